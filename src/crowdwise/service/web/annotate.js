"use strict";
// One item at a time. A vote has an id of its own, and waits in the browser until the server has it: it is neither lost
// nor counted twice. What comes from data is put in as text.

const KEY = "crowdwise-waiting";
const at = (id) => document.getElementById(id);
let current = null, following = null, last = null, since = 0, classes = [];
const waiting = JSON.parse(localStorage.getItem(KEY) ?? "[]");
const keep = () => localStorage.setItem(KEY, JSON.stringify(waiting));

async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? { headers: { "x-crowdwise": "1" } } : {
    method: "POST", headers: { "content-type": "application/json", "x-crowdwise": "1" }, body: JSON.stringify(body) });
  if (answer.status >= 500 || answer.status === 429) throw new TypeError(`${answer.status}`);
  const told = await answer.json();
  if (!answer.ok) throw new Error(typeof told.detail === "string" ? told.detail : "the server refused that");
  return told;
}

let sending = false;
async function send() {
  if (sending) return;
  sending = true;
  while (waiting.length) {
    try {
      await ask(waiting[0].path, waiting[0].body);
      at("trouble").textContent = "";
    } catch (error) {
      if (error instanceof TypeError) {
        at("trouble").textContent = `${waiting.length} answers wait here until the server can be reached.`;
        setTimeout(() => { sending = false; send(); }, 2000);
        return;
      }
      at("trouble").textContent = error.message;
    }
    waiting.shift();
    keep();
  }
  sending = false;
  progress();
  if (!current) show();
}

async function progress() {
  try {
    const told = await ask("/api/progress");
    at("count").textContent = `${told.name}: ${told.mine} answered. ${told.covered} of ${told.items} items have an answer.`;
    at("guidelines").textContent = told.guidelines || "There are none.";
  } catch (error) { at("count").textContent = error instanceof TypeError ? "not connected" : error.message; }
}

function drawn(content, name) {
  const parts = Object.entries(content).filter(([kind]) => ["text", "image", "audio", "left", "right"].includes(kind)).map(([kind, value]) => {
    if (kind === "image") return Object.assign(document.createElement("img"), { src: value, alt: name });
    if (kind === "audio") return Object.assign(document.createElement("audio"), { src: value, controls: true });
    return Object.assign(document.createElement("p"), { textContent: value });
  });
  return parts.length ? parts : [Object.assign(document.createElement("p"), { textContent: name })];
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
  classes = told.classes;
  at("labels").replaceChildren(...classes.map((label, place) => {
    const button = Object.assign(document.createElement("button"), { type: "button", disabled: !current });
    button.append(label, " ");
    if (place < 9) button.append(Object.assign(document.createElement("kbd"), { textContent: `${place + 1}` }));
    button.addEventListener("click", () => answer(label));
    return button;
  }));
  at("item").replaceChildren(...(current ? drawn(current.content, current.name) : [Object.assign(document.createElement("p"), { textContent: "Nothing to do now. Thank you!" })]));
  at("skip").disabled = !current;
  since = performance.now();
  if (!current) setTimeout(() => { if (!current) show(); }, 5000);
}

function answer(label) {
  if (!current) return;
  const body = { id: crypto.randomUUID(), item: current.name, label, seconds: Math.min((performance.now() - since) / 1000, 86400) };
  last = body.id;
  at("undo").disabled = false;
  push("/api/votes", body);
}

function push(path, body) {
  waiting.push({ path, body });
  keep();
  current = null;
  at("item").replaceChildren();
  send();
}

at("skip").addEventListener("click", () => current && push("/api/skip", { id: crypto.randomUUID(), item: current.name }));
at("undo").addEventListener("click", () => {
  if (!last) return;
  push(`/api/votes/${last}/undo`, {});
  last = null;
  at("undo").disabled = true;
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  if (event.key === "s") at("skip").click();
  else if (event.key === "u") at("undo").click();
  else if (event.key === "?") { const box = document.querySelector("details"); box.open = !box.open; }
  else if (/^[1-9]$/.test(event.key) && classes[event.key - 1]) answer(classes[event.key - 1]);
});
window.addEventListener("online", send);
progress();
send();
