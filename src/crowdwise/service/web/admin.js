"use strict";
// What the admin sees, asked for again every two seconds.

const at = (id) => document.getElementById(id);
async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json", "x-crowdwise": "1" }, body: JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(typeof told.detail === "string" ? told.detail : "the server refused that");
  return told;
}
const row = (...cells) => {
  const line = document.createElement("tr");
  line.append(...cells.map((cell) => { const td = document.createElement("td"); td.append(cell); return td; }));
  return line;
};

async function look() {
  try {
    const told = await ask("/api/status");
    at("state").textContent = `${told.votes} votes, ${told.covered} of ${told.items} items answered` + (told.confidence ? `, mean confidence ${told.confidence.toFixed(3)}` : "") + `. Estimate: ${told.estimate}.`;
    at("promise").textContent = told.promise ? told.promise.why : told.votes ? "No promise: these answers are not right or wrong; the export says how far each may be off." : "There are no votes yet.";
    at("notes").replaceChildren(...(told.notes ?? []).map((note) => Object.assign(document.createElement("li"), { textContent: note })));
    if (at("formats").childElementCount !== told.formats.length) {
      at("formats").replaceChildren(...told.formats.map((form) => Object.assign(document.createElement("a"), { href: `/api/export.${form}`, download: "", textContent: `${form} ` })));
    }
    draw(told.curve);
    at("people").replaceChildren(...told.people.map((one) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: one.paused ? "ask again" : "pause" });
      button.setAttribute("aria-label", `${one.paused ? "ask again" : "pause"} ${one.name}`);
      button.addEventListener("click", () => ask(`/api/people/${one.id}/pause`, { paused: !one.paused }).then(look, trouble));
      return row(one.name, one.role, String(one.answers), button);
    }));
    at("contested").replaceChildren(...(told.contested ?? []).map((one) => row(one.item, one.label, one.confidence === null ? "" : one.confidence.toFixed(3))));
    at("trouble").textContent = "";
  } catch (error) { trouble(error); }
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
at("add").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("/api/people", { name: at("name").value, role: at("role").value }).then((told) => {
    at("token").textContent = `The link of ${told.name}, shown once: ${location.origin}/enter/${told.token}`;
    look();
  }, trouble);
});
look();
setInterval(look, 2000);
