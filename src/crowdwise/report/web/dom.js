"use strict";
// Elements and sentences. Whatever comes from data is put in as text, never as markup.

const { texts, content } = JSON.parse(document.getElementById("content").textContent);

function grow(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (key === "style") for (const [rule, worth] of Object.entries(value)) element.style.setProperty(rule, worth);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

const el = (tag, attributes = {}, ...children) => grow(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  grow(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A name from data: kept apart, so that letters that run the other way do not turn what stands around it.
const spelt = (value) => (value === null || value === undefined || !String(value).trim() ? texts.empty_name : String(value));
function name(value) {
  const text = spelt(value);
  return el("bdi", { class: "name", title: text.length > 24 ? text : null }, text);
}

const clipped = (value, most) => (spelt(value).length > most ? `${spelt(value).slice(0, most - 1)}…` : spelt(value));

// A sentence with its blanks filled, as a list of texts and elements; `count` decides between one and many.
function say(text, values = {}) {
  const form = typeof text === "string" ? text : text[values.count === 1 ? "one" : "many"];
  return form.split(/\{(\w+)\}/).map((part, place) => {
    if (place % 2 === 0) return part;
    const value = values[part];
    return typeof value === "number" ? number(value) : value;
  });
}
const plain = (text, values) => say(text, values).map((part) => part?.textContent ?? part).join("");

const counts = new Intl.NumberFormat(texts.language, { maximumFractionDigits: 1 });
const number = (value) => (value === null || value === undefined ? "–" : counts.format(value));
const fixed = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));
// Only all is 100 %, only nothing 0 %.
function percent(share) {
  if (share === null || share === undefined) return "–";
  if (share === 0 || share === 1) return `${100 * share} %`;
  return `${Math.min(Math.max(100 * share, 0.1), 99.9).toFixed(share >= 0.1 && share <= 0.9 ? 0 : 1).replace(/\.0$/, "")} %`;
}
const points = (share) => (100 * share).toFixed(0);

const size = (table) => (table ? (Object.values(table)[0] ?? []).length : 0);
const range = (n) => Array.from({ length: n }, (_, place) => place);
const rows = (table) =>
  range(size(table)).map((place) => Object.fromEntries(Object.keys(table).map((key) => [key, table[key][place]])));

const paragraph = (...children) => el("p", {}, ...children);
const about = (...children) => el("p", { class: "about" }, ...children);

// A plain table: heads are texts, rows are lists of texts or elements; columns of numbers are set to the right, and
// what is aside is left out where there is no room.
function grid(heads, lines, numeric = [], aside = []) {
  const side = (place) => [numeric.includes(place) ? "number" : heads[place] === "" ? "broad" : "", aside.includes(place) ? "aside" : ""].join(" ");
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": heads.filter(Boolean).join(", ") },
    el("table", {},
      el("thead", {}, el("tr", {}, heads.map((head, place) => el(head === "" ? "td" : "th", { scope: head === "" ? null : "col", class: side(place) }, head)))),
      el("tbody", {}, lines.map((line) => el("tr", {}, line.map((cell, place) =>
        place ? el("td", { class: side(place) }, cell) : el("th", { scope: "row", class: side(place) }, cell)))))));
}

const folded = (summary, ...children) => el("details", { class: "folded" }, el("summary", {}, summary), ...children);
const behind = (heads, lines, numeric) => folded(texts.numbers, grid(heads, lines, numeric));

// One note that follows the pointer.
const tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = !text;
  const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${event.clientY + 16}px`;
}
