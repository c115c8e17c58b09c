"use strict";
// What the admin sees, asked for again every two seconds. What comes from data is put in as text.

const at = (id) => document.getElementById(id);
async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json", "x-crowdwise": "1" }, body: JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(typeof told.detail === "string" ? told.detail : "the server refused that");
  return told;
}
const made = (tag, own, ...inside) => {
  const one = Object.assign(document.createElement(tag), own);
  one.append(...inside);
  return one;
};
const row = (...cells) => made("tr", {}, ...cells.map((cell) => made("td", {}, cell)));
const button = (text, label, press) => {
  const one = made("button", { type: "button", textContent: text });
  one.setAttribute("aria-label", label);
  one.addEventListener("click", press);
  return one;
};
// Not under somebody's hands: who is about to press a button keeps it.
const fill = (id, rows) => { if (!at(id).contains(document.activeElement)) at(id).replaceChildren(...rows); };
const number = (value, digits) => (value === null || value === undefined ? "" : value.toFixed(digits));

let questions = null;  // what is asked of items, and how it is answered
async function look() {
  try {
    const told = await ask("/api/status");
    questions = told.ask;
    at("state").textContent = `${told.votes} votes, ${told.covered} of ${told.items} items answered` + (told.confidence ? `, mean confidence ${told.confidence.toFixed(3)}` : "") + `. Estimate: ${told.estimate}.`;
    at("promise").textContent = told.promise ? told.promise.why : told.votes ? "No promise: these answers are not right or wrong; the export says how far each may be off." : "There are no votes yet.";
    at("audits").hidden = !told.promise;
    fill("notes", (told.notes ?? []).map((note) => made("li", { textContent: note })));
    if (at("formats").childElementCount !== told.formats.length) {
      at("formats").replaceChildren(...told.formats.map((form) => made("a", { href: `/api/export.${form}`, download: "", textContent: `${form} ` })));
    }
    draw(told.curve);
    fill("left", left(told.left).map((text) => made("li", { textContent: text })));
    fill("agreement", told.agreement.map((one) => row(one.measure, number(one.value, 3))));
    at("pay").hidden = !told.can_pay;
    at("good").textContent = told.people.find((one) => one.measure)?.measure ?? "How good";
    fill("people", told.people.map((one) => {
      const asked = button(one.paused ? "ask again" : "pause", `${one.paused ? "ask again" : "pause"} ${one.name}`,
        (event) => ask(`/api/people/${one.id}/pause`, { paused: !one.paused }).then(() => { event.target.blur(); look(); }, trouble));
      const speed = number(one.seconds, 1) + (one.hasty > 0.2 ? ` (${(100 * one.hasty).toFixed(0)} % in haste)` : "");
      const good = one.good === null || one.good === undefined ? "" : `${number(one.good, 2)} (${number(one.low, 2)} to ${number(one.high, 2)})`;
      return row(one.name, one.role, String(one.answers), speed, good, made("span", { title: one.why ?? "" }, (one.verdict ?? "") + (one.why ? `: ${one.why}` : "")), asked);
    }));
    fill("contested", (told.contested ?? []).map((one) => row(one.item, one.label, number(one.confidence, 3),
      button("settle", `settle ${one.item}`, () => decide("settle", one.item, one.content)))));
    at("trouble").textContent = "";
  } catch (error) { trouble(error); }
}

// What is left to ask, in sentences.
function left(told) {
  const price = (sum) => `${Number(sum.toFixed(2))}`;
  const said = [`${told["without a vote"]} items have no vote: at ${price(told["a vote costs"])} a vote they cost ${price(told["to cover"])}.`];
  if (told["votes to the limit"] !== null) said.push(`${told["votes to the limit"]} votes until each item has all that it may have: ${price(told["to the limit"])}.`);
  if (told.audits) said.push(`${told.audits} more audits, all of them right, would do for a promise.`);
  if (told.settled) said.push(`${told.settled} items are settled.`);
  said.push(`Spent so far: ${price(told.spent)}.`);
  return said;
}

// Settle an item, or audit one: the same buttons as an annotator has.
function decide(how, name, content) {
  const item = { name, content };
  at("decide-title").textContent = how === "audit" ? `Audit: what is ${name}?` : `Settle: what is ${name}?`;
  at("item").replaceChildren(...Answers.shown(questions, item));
  Answers.give[questions.kind](questions, item, at("labels"), (label) => {
    ask(`/api/${how}`, { item: name, label }).then(() => { close(); look(); }, trouble);
  });
  at("decide").hidden = false;
  at("decide-title").focus();
}
function close() {
  at("decide").hidden = true;
  at("item").replaceChildren();
  at("labels").replaceChildren();
}

function draw(curve) {
  if (!curve.length) return;
  const most = curve[curve.length - 1].votes;
  const line = (value, kind) => {
    const there = curve.filter((one) => one[value] !== null);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    path.setAttribute("class", kind);
    path.setAttribute("points", there.map((one) => `${(400 * one.votes) / most},${115 - 110 * one[value]}`).join(" "));
    return path;
  };
  at("curve").replaceChildren(line("confidence", "believed"), line("right", "audited"));
  const last = curve[curve.length - 1];
  at("curve-said").textContent = `At ${last.votes} votes` + (last.confidence === null ? "" : ` the mean confidence is ${last.confidence.toFixed(3)}`) +
    (last.right === null ? "; no item is audited." : `, and ${(100 * last.right).toFixed(0)} % of ${last.audited} audited items are right.`);
}
const trouble = (error) => { at("trouble").textContent = error.message; };
at("cancel").addEventListener("click", close);
at("audit").addEventListener("click", () => ask("/api/audits?n=1")
  .then(([name]) => name === undefined ? Promise.reject(new Error("there are no items yet")) : ask(`/api/item?name=${encodeURIComponent(name)}`)).then((one) => decide("audit", one.name, one.content)).catch(trouble));
at("add").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("/api/people", { name: at("name").value, role: at("role").value, cost: Number(at("cost").value) }).then((told) => {
    at("token").textContent = `The link of ${told.name}, shown once: ${location.origin}/enter/${told.token}`;
    look();
  }, trouble);
});
at("pay").addEventListener("submit", (event) => {
  event.preventDefault();
  ask(`/api/pay?amount=${Number(at("amount").value)}`).then((shares) => {
    at("paid").replaceChildren(...shares.map((one) => row(one.name, String(one.votes), number(one.bits, 3), number(one.pay, 2))));
    at("shares").hidden = false;
  }, trouble);
});
at("log").addEventListener("toggle", () => at("log").open && ask("/api/events").then((events) => {
  at("events").replaceChildren(...events.map((one) => made("li", { textContent: `${new Date(1000 * one.at).toLocaleString()}: ${one.who}: ${one.what}` })));
}, trouble));
look();
setInterval(look, 2000);
