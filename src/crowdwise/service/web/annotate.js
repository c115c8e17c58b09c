"use strict";
// One item at a time. A vote has an id of its own, and waits in the browser until the server has it: it is neither lost
// nor counted twice. What comes from data is put in as text.

const at = (id) => document.getElementById(id);
let current = null, following = null, last = null, since = 0, control = {}, person = null;

// Each answer waits under a key of its own, with the person's name in it: tabs do not write over each other, and nobody
// sends what somebody else has answered here.
const prefix = () => `crowdwise:${person}:`;
const waiting = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix())).sort()
  .map((key) => [key, JSON.parse(localStorage.getItem(key))]);
let counted = 0;
const keep = (path, body) => localStorage.setItem(`${prefix()}${Date.now()}:${String(counted++).padStart(6, "0")}:${body.id ?? path}`, JSON.stringify({ path, body }));
// Not crypto.randomUUID: it is there on secure pages alone.
const made = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

class Refused extends Error {}  // what the server will never take

async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? { headers: { "x-crowdwise": "1" } } : {
    method: "POST", headers: { "content-type": "application/json", "x-crowdwise": "1" }, body: JSON.stringify(body) });
  const json = (answer.headers.get("content-type") ?? "").includes("json");
  const told = json ? await answer.json() : {};
  if (answer.ok && json) return told;
  const why = typeof told.detail === "string" ? told.detail : `the server answers ${answer.status}`;
  if ([404, 409, 413, 422].includes(answer.status)) throw new Refused(why);
  throw new Error(why);  // not now: no connection, no token, paused, too fast, or a proxy's page
}

let sending = false;
async function send() {
  if (sending || person === null) return;
  sending = true;
  try {  // the cookie is the browser's: somebody else may have entered in another tab
    const now = (await ask("/api/progress")).name;
    if (now !== person) {
      at("trouble").textContent = `${now} has entered in this browser: the answers of ${person} wait until ${person} does again.`;
      sending = false;
      return;
    }
  } catch (error) {
    at("trouble").textContent = `${waiting().length} answers wait here until the server can be reached.`;
    setTimeout(() => { sending = false; send(); }, 2000);
    return;
  }
  for (const [key, { path, body }] of waiting()) {
    try {
      await ask(path, body);
      at("trouble").textContent = "";
    } catch (error) {
      if (!(error instanceof Refused)) {
        at("trouble").textContent = `${waiting().length} answers wait here: ${error instanceof TypeError ? "the server cannot be reached" : error.message}.`;
        setTimeout(() => { sending = false; send(); }, 2000);
        return;
      }
      at("trouble").textContent = error.message;
    }
    localStorage.removeItem(key);
  }
  sending = false;
  if (waiting().length) { send(); return; }
  progress();
  if (current) prefetch(); else show();
}

async function progress() {
  try {
    const told = await ask("/api/progress");
    person = told.name;
    at("count").textContent = `${told.name}: ${told.mine} answered. ${told.covered} of ${told.items} items have an answer.`;
    at("guidelines").textContent = told.guidelines || "There are none.";
  } catch (error) { at("count").textContent = error instanceof TypeError ? "not connected" : error.message; }
}

// Who this is, before anything else: answers that wait here belong to somebody.
async function begin() {
  await progress();
  if (person === null) { setTimeout(begin, 3000); return; }
  send();
}

// The next item, fetched while this one is looked at; not while answers wait, whose items would come again.
async function prefetch() {
  if (!current || following || waiting().length) return;
  const name = current.name;
  try {
    const told = await ask(`/api/next?beside=${encodeURIComponent(name)}`);
    if (told.item && current && current.name === name && told.item.name !== name) following = told;
  } catch { /* there will be another time */ }
}

async function show() {
  let told;
  try { told = following ?? await ask("/api/next"); } catch (error) {
    at("trouble").textContent = error instanceof TypeError ? "The server cannot be reached." : error.message;
    setTimeout(show, 3000);
    return;
  }
  following = null;
  current = told.item;
  prefetch();
  at("labels").replaceChildren();
  at("item").hidden = false;
  if (current) {
    at("item").replaceChildren(...Answers.shown(told.ask, current));
    at("item").hidden = !at("item").hasChildNodes();
    control = Answers.give[told.ask.kind](told.ask, current, at("labels"), answer);
  } else at("item").replaceChildren(Object.assign(document.createElement("p"), { textContent: "Nothing to do now. Thank you!" }));
  at("skip").disabled = !current;
  since = performance.now();
  if (!current) setTimeout(() => { if (!current) show(); }, 5000);
}

function answer(label) {
  if (!current) return;
  const body = { id: made(), item: current.name, label, seconds: Math.min((performance.now() - since) / 1000, 86400) };
  last = body.id;
  at("undo").disabled = false;
  push("/api/votes", body);
}

function push(path, body) {
  keep(path, body);
  current = null;
  at("item").replaceChildren();
  at("labels").replaceChildren();
  if (following) show();  // there at once, connected or not
  send();
}

at("skip").addEventListener("click", () => current && push("/api/skip", { id: made(), item: current.name }));
at("undo").addEventListener("click", () => {
  if (!last) return;
  following = null;  // what was taken back comes next
  push(`/api/votes/${last}/undo`, {});
  last = null;
  at("undo").disabled = true;
});
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=range]), textarea:not([aria-readonly]), select")) return;
  if (event.key === "s") at("skip").click();
  else if (event.key === "u") at("undo").click();
  else if (event.key === "?") { const box = document.querySelector("details"); box.open = !box.open; }
  else if (!current) return;
  else if (/^[0-9]$/.test(event.key)) control.digit?.(event.key - 1);
  else if (event.key === "Enter" && !event.target.closest("button, a, summary")) control.done?.();
});
window.addEventListener("online", send);
begin();
