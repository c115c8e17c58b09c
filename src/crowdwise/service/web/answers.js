"use strict";
// How each kind of answer is given. Every kind draws into a place and tells what a digit and the Enter key do.
// What comes from data is put in as text.

const Answers = (() => {
const made = (tag, own, ...inside) => {
  const one = Object.assign(document.createElement(tag), own);
  one.append(...inside);
  return one;
};
const button = (label, place, press) => {
  const one = made("button", { type: "button" }, label);
  if (place < 9) one.append(" ", made("kbd", { textContent: `${place + 1}` }));
  one.addEventListener("click", press);
  return one;
};
const sender = (press, text = "Send") => {
  const one = made("button", { type: "button", className: "send" }, text, " ", made("kbd", { textContent: "Enter" }));
  one.addEventListener("click", press);
  return one;
};

// One of several answers: each has a button.
function oneOf(labels, said, place, answer) {
  place.replaceChildren(...labels.map((label, at) => button(label, at, () => answer(said[at]))));
  return { digit: (k) => k in said && answer(said[k]) };
}

// Several labels: each is on or off, and then all are sent.
function severalOf(labels, place, answer) {
  const on = new Set();
  const toggles = labels.map((label, at) => {
    const one = button(label, at, () => {
      on.has(label) ? on.delete(label) : on.add(label);
      one.setAttribute("aria-pressed", String(on.has(label)));
    });
    one.setAttribute("aria-pressed", "false");
    return one;
  });
  const done = () => answer(labels.filter((label) => on.has(label)));
  place.replaceChildren(...toggles, sender(done));
  return { digit: (k) => toggles[k]?.click(), done };
}

// A number: a button for each step where there are few, otherwise a slider.
function number(ask, place, answer) {
  const steps = ask.step ? Math.round((ask.high - ask.low) / ask.step) + 1 : Infinity;
  if (steps <= 11) {
    const values = [...Array(steps).keys()].map((k) => Number((ask.low + k * ask.step).toFixed(10)));
    place.replaceChildren(...values.map((value) => button(String(value), Infinity, () => answer(value))));
    return { digit: (k) => values.includes(k + 1) && answer(k + 1) };  // a digit is the number itself
  }
  const slider = made("input", { type: "range", id: "value", min: ask.low, max: ask.high, step: ask.step || "any" });
  const told = made("output", { textContent: "not set", htmlFor: "value" });
  let set = false;
  const show = () => { set = true; told.textContent = String(Number(Number(slider.value).toPrecision(6))); };
  slider.addEventListener("input", show);
  slider.addEventListener("change", show);
  const done = () => { if (set) answer(Number(Number(slider.value).toPrecision(10))); else told.textContent = "move the slider first"; };
  place.replaceChildren(made("label", { htmlFor: "value", textContent: `From ${ask.low} to ${ask.high}` }), slider, told, sender(done));
  return { done };
}

// Parts of a text: select one, then press its label. Places are counted in letters, not in halves of them.
function spans(ask, item, place, answer) {
  const text = item.content.text ?? "", letters = (end) => [...text.slice(0, end)].length;
  let marks = [];
  // Not readOnly: in such a one the arrows move no cursor, and nobody could select without a mouse.
  const area = made("textarea", { id: "text", value: text, rows: Math.min(12, 1 + Math.ceil(text.length / 60)), ariaReadOnly: "true", spellcheck: false });
  area.addEventListener("beforeinput", (event) => event.preventDefault());
  const seen = made("p", { id: "marked" }), list = made("ul", { id: "marks" }), told = made("p", { id: "told" });
  told.setAttribute("role", "status");
  const show = () => {
    marks.sort((one, other) => one.from - other.from);
    let at = 0;
    seen.replaceChildren(...marks.flatMap((one) => {
      const before = text.slice(at, one.from);
      at = one.to;
      return [before, made("mark", {}, text.slice(one.from, one.to), " ", made("small", { textContent: one.label }))];
    }), text.slice(at));
    list.replaceChildren(...marks.map((one) => {
      const remove = made("button", { type: "button", textContent: "remove" });
      remove.setAttribute("aria-label", `remove ${one.label} ${text.slice(one.from, one.to)}`);
      remove.addEventListener("click", () => { marks = marks.filter((other) => other !== one); show(); area.focus(); });
      return made("li", {}, `${one.label}: ${text.slice(one.from, one.to)} `, remove);
    }));
  };
  const mark = (label) => {
    let from = area.selectionStart, to = area.selectionEnd;
    while (from < to && /\s/.test(text[from])) from++;
    while (from < to && /\s/.test(text[to - 1])) to--;
    if (from === to) { told.textContent = "Select a part of the text first."; return; }
    told.textContent = "";
    marks = marks.filter((one) => one.to <= from || to <= one.from);
    marks.push({ from, to, label });
    show();
  };
  const done = () => answer(marks.map((one) => ({ begin: letters(one.from), end: letters(one.to), label: one.label })));
  const choices = ask.classes.map((label, at) => button(label, at, () => mark(label)));
  place.replaceChildren(made("label", { htmlFor: "text", textContent: "Select a part of the text, then choose what it is." }), area, ...choices, told, seen, list, sender(done));
  show();
  return { digit: (k) => ask.classes[k] && mark(ask.classes[k]), done };
}

const sides = { left: "Left", right: "Right", tie: "No difference" };
const give = {
  classes: (ask, item, place, answer) => oneOf(ask.classes, ask.classes, place, answer),
  "label-sets": (ask, item, place, answer) => severalOf(ask.classes, place, answer),
  ratings: (ask, item, place, answer) => number(ask, place, answer),
  comparisons: (ask, item, place, answer) => oneOf(ask.classes.map((side) => sides[side]), ask.classes, place, answer),
  spans,
};

// What is shown of an item: one thing, or the two sides of a pair.
function shown(ask, item) {
  const part = (kind, value, name) => {
    const src = /^(https?:|data:|\/)/.test(value) ? value : `/media/${value.split("/").map(encodeURIComponent).join("/")}`;
    if (kind === "image") return made("img", { src, alt: name });
    if (kind === "audio") return made("audio", { src, controls: true });
    return made("p", { textContent: value });
  };
  const parts = Object.entries(item.content).filter(([kind]) => ["image", "audio"].includes(kind) || (kind === "text" && ask.kind !== "spans"))
    .map(([kind, value]) => part(kind, value, item.name));
  if (ask.kind === "comparisons") {
    const pair = made("div", { className: "pair" }, ...["left", "right"].map((side) => {
      const own = Object.entries(item.content).filter(([kind]) => kind === side || kind.startsWith(`${side}_`));
      const box = made("section", {}, made("h2", { textContent: sides[side] }), ...own.map(([kind, value]) => part(kind.slice(side.length + 1) || "text", value, sides[side])));
      box.setAttribute("aria-label", sides[side]);
      return box;
    }));
    return [...parts, pair];
  }
  return parts.length || ask.kind === "spans" ? parts : [part("text", item.name)];
}

return { give, shown };
})();
