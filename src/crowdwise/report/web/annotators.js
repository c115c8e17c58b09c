// The table of annotators: sorted, searched, paged, and opened.

const PAGE = 20;
const MOST_CLASSES = 12; // of a confusion matrix
const people = content.annotators.table;
const level = percent(content.level);

// The cells of the annotator at a place, of a table that is sorted by places.
function cellsOf(table, who) {
  const first = (value) => {
    let low = 0, high = table.place.length;
    while (low < high) { const middle = (low + high) >> 1; if (table.place[middle] < value) low = middle + 1; else high = middle; }
    return low;
  };
  const from = first(who), to = first(who + 1);
  return Object.fromEntries(Object.keys(table).map((key) => [key, table[key].slice(from, to)]));
}

const verdictOf = (verdict) => el("span", { class: "verdict" }, glyph(verdict), texts.verdicts[verdict].name);

const COLUMNS = [
  { key: "annotator", cell: (at, view) => opener(at, view) },
  { key: "verdict", cell: (at) => verdictOf(people.verdict[at]), order: (at) => Object.keys(texts.verdicts).indexOf(people.verdict[at]) },
  { key: "kind", cell: (at) => texts.kinds[people.kind[at]] ?? "–" },
  { key: "votes", number: true, cell: (at) => number(people.votes[at]) },
  { key: "accuracy", number: true, cell: (at) => [interval(people.accuracy[at], people.accuracy_low[at], people.accuracy_high[at]), percent(people.accuracy[at])] },
  { key: "information", number: true, aside: true, cell: (at) => fixed(people.information[at]) },
  { key: "bias", aside: true, cell: (at) => lean(at), order: (at) => people.excess[at] },
  { key: "gold_accuracy", number: true, cell: (at) => percent(people.gold_accuracy[at]) },
  { key: "drift", number: true, aside: true, cell: (at) => signed(people.drift[at]) },
  { key: "seconds", number: true, aside: true, cell: (at) => number(people.seconds[at]) },
  { key: "group", number: true, aside: true, cell: (at) => (people.group[at] < 0 ? "–" : number(people.group[at] + 1)) },
].filter(({ key }) => key in people && (key !== "group" || people.group.some((group) => group >= 0)));

const signed = (share) => (share === null ? "–" : `${share > 0 ? "+" : ""}${points(share)}`);
const lean = (at) => (people.excess[at] === null || people.excess[at] < 0.005 ? texts.annotators.no_lean
  : say(texts.annotators.lean, { class: name(people.bias[at]), points: points(people.excess[at]) }));

function opener(at, view) {
  const open = view.open.has(at);
  return el("button", { type: "button", class: "opener", id: `annotator-${at}`, "aria-expanded": String(open),
    "aria-controls": open ? `detail-${at}` : null, on: { click: () => view.toggle(at) } }, name(people.annotator[at]));
}

function compared(order, down) {
  const collator = new Intl.Collator(texts.language, { numeric: true });
  return (a, b) => {
    const one = order(a), two = order(b);
    if (one === null || two === null) return (one === null) - (two === null) || a - b;
    const by = typeof one === "number" ? one - two : collator.compare(String(one), String(two));
    return (down ? -by : by) || a - b;
  };
}

function annotatorTable() {
  const words = texts.annotators;
  const view = { sort: null, down: false, query: "", verdict: "", page: 0, open: new Set() };
  const heads = el("tr"), body = el("tbody"), where = el("span", { "aria-live": "polite", class: "where" });
  const step = (way) => () => {
    view.page += way;
    render();
    if (previous.disabled || next.disabled) (next.disabled ? previous : next).focus(); // a disabled button loses the focus
  };
  const previous = el("button", { type: "button", on: { click: step(-1) }, "aria-label": words.previous }, "←");
  const next = el("button", { type: "button", on: { click: step(1) }, "aria-label": words.next }, "→");

  view.toggle = (at) => {
    if (!view.open.delete(at)) view.open.add(at);
    render();
    document.getElementById(`annotator-${at}`)?.focus();
  };
  function chosen() {
    const query = view.query.toLocaleLowerCase();
    const places = range(size(people)).filter((at) =>
      (!view.verdict || people.verdict[at] === view.verdict) && (!query || String(people.annotator[at]).toLocaleLowerCase().includes(query)));
    const column = COLUMNS.find(({ key }) => key === view.sort);
    return column ? places.sort(compared(column.order ?? ((at) => people[column.key][at]), view.down)) : places;
  }
  function head(column) {
    const here = view.sort === column.key;
    const sort = () => { view.down = here ? !view.down : Boolean(column.number); view.sort = column.key; view.page = 0; render(); heads.querySelector(`[data-key=${column.key}]`).focus(); };
    return el("th", { scope: "col", class: [column.number ? "number" : "", column.aside ? "aside" : ""].join(" "), "aria-sort": here ? (view.down ? "descending" : "ascending") : null },
      el("button", { type: "button", "data-key": column.key, on: { click: sort } }, words[column.key], el("span", { class: "arrow", "aria-hidden": "true" }, here ? (view.down ? "↓" : "↑") : "↕")));
  }
  function render() {
    const places = chosen(), pages = Math.max(1, Math.ceil(places.length / PAGE));
    view.page = Math.max(0, Math.min(view.page, pages - 1));
    const shown = places.slice(view.page * PAGE, (view.page + 1) * PAGE);
    heads.replaceChildren(...COLUMNS.map(head));
    body.replaceChildren(...shown.flatMap((at) => {
      const line = el("tr", {}, COLUMNS.map((column, place) => el(place ? "td" : "th", { scope: place ? null : "row",
        class: [column.number ? "number" : "", column.aside ? "aside" : ""].join(" ") }, column.cell(at, view))));
      return view.open.has(at) ? [line, el("tr", { class: "detail", id: `detail-${at}` }, el("td", { colspan: COLUMNS.length }, detail(at)))] : [line];
    }));
    where.textContent = shown.length ? plain(texts.of, { from: view.page * PAGE + 1, to: view.page * PAGE + shown.length, all: places.length }) : words.none;
    previous.disabled = view.page === 0;
    next.disabled = view.page >= pages - 1;
  }
  view.show = (at) => {
    Object.assign(view, { sort: null, query: "", verdict: "", page: Math.floor(at / PAGE) });
    search.value = "";
    filter.value = "";
    view.open.add(at);
    render();
    const there = document.getElementById(`annotator-${at}`);
    there.scrollIntoView({ block: "center" });
    there.focus({ preventScroll: true });
  };
  const search = el("input", { type: "search", id: "search", autocomplete: "off", on: { input: (event) => { view.query = event.target.value; view.page = 0; render(); } } });
  const there = Object.keys(texts.verdicts).filter((verdict) => people.verdict.includes(verdict));
  const filter = el("select", { id: "verdict", on: { change: (event) => { view.verdict = event.target.value; view.page = 0; render(); } } },
    el("option", { value: "" }, words.all_verdicts), there.map((verdict) => el("option", { value: verdict }, texts.verdicts[verdict].name)));
  render();
  view.element = el("div", { class: "annotators" },
    el("div", { class: "controls" },
      el("label", { for: "search" }, words.search, search), el("label", { for: "verdict" }, words.verdict_filter, filter)),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words.title },
      el("table", {}, el("caption", { class: "unseen" }, words.caption), el("thead", {}, heads), body)),
    el("div", { class: "pager" }, previous, where, next));
  return view;
}

function detail(at) {
  const words = texts.annotators;
  const part = (title, ...children) => el("div", { class: "part" }, el("h3", {}, title), ...children);
  if (!people.votes[at]) return paragraph(words.no_votes);
  return el("div", { class: "parts" },
    people.reason[at] ? el("p", { class: "reason" }, verdictOf(people.verdict[at]), ": ", people.reason[at]) : null,
    part(words.confusion, confusionMatrix(at)),
    el("div", { class: "stack" },
      part(words.bias_title, paragraph(biasOf(at))),
      part(words.gold_title, paragraph(goldOf(at))),
      part(words.numbers_title, inNumbers(at))),
    part(words.over_time, overTime(at)));
}

function biasOf(at) {
  const words = texts.annotators;
  const values = { class: name(people.bias[at]), points: points(people.excess[at]), favourite: name(people.favourite[at]), share: percent(people.favourite_share[at]) };
  return say(people.excess[at] >= 0.005 ? words.bias_some : words.bias_none, values);
}

function goldOf(at) {
  const words = texts.annotators;
  if (!people.gold_votes) return words.no_gold;
  if (!people.gold_votes[at]) return words.gold_none;
  return say(words.gold_some, { count: people.gold_votes[at], accuracy: percent(people.gold_accuracy[at]), level,
    low: percent(people.gold_low[at]), high: percent(people.gold_high[at]) });
}

function inNumbers(at) {
  const words = texts.annotators;
  const ends = (low, high, show) => `${show(low)} – ${show(high)}`;
  const facts = [
    [words.interval, `${percent(people.accuracy[at])} (${ends(people.accuracy_low[at], people.accuracy_high[at], percent)})`],
    [words.bits, `${fixed(people.information[at], 3)} (${ends(people.information_low[at], people.information_high[at], (bits) => fixed(bits, 3))})`],
    [words.value, fixed(people.value[at], 1)],
    [words.consensus, percent(people.consensus[at])],
    [words.spammer_score, fixed(people.spammer_score[at])],
    people.group[at] < 0 ? null : [words.partners, number(people.group[at] + 1)],
    people.hasty && people.hasty[at] !== null ? [words.hasty, percent(people.hasty[at])] : null,
  ];
  return el("dl", {}, facts.filter(Boolean).map(([term, fact]) => [el("dt", {}, term), el("dd", {}, fact)]));
}

function confusionMatrix(at) {
  const words = texts.annotators, cells = cellsOf(content.annotators.confusion, at);
  const classes = content.annotators.classes, met = new Map(), given = new Map();
  range(size(cells)).forEach((place) => {
    met.set(cells.true[place], cells.of[place]);
    given.set(`${cells.true[place]} ${cells.given[place]}`, cells.votes[place]);
  });
  const weight = new Map();
  range(size(cells)).forEach((place) => [cells.true[place], cells.given[place]].forEach((code) => weight.set(code, (weight.get(code) ?? 0) + cells.votes[place])));
  const shown = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a)).slice(0, MOST_CLASSES).sort((a, b) => a - b);
  const cell = (row, column) => {
    const share = met.get(row) ? (given.get(`${row} ${column}`) ?? 0) / met.get(row) : 0;
    return el("td", { class: `shade shade-${Math.round(share * 8)}${row === column ? " right" : ""}`, title: plain("{0} → {1}", { 0: String(classes[row]), 1: String(classes[column]) }) }, share ? points(share) : "");
  };
  return [
    about(words.confusion_about, " ", cells.votes.reduce((sum, votes) => sum + votes, 0) < 0.95 * people.votes[at] ? `${words.cells_cut} ` : "", weight.size > MOST_CLASSES ? plain(words.confusion_cut, { shown: shown.length, all: classes.length }) : ""),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words.confusion },
      el("table", { class: "matrix" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, words.true_given), shown.map((code) => el("th", { scope: "col" }, name(classes[code]))))),
        el("tbody", {}, shown.map((row) => el("tr", {}, el("th", { scope: "row" }, name(classes[row])), shown.map((column) => cell(row, column))))))),
  ];
}

function overTime(at) {
  const words = texts.annotators;
  if (!content.annotators.over_time) return paragraph(words.no_time);
  const cells = cellsOf(content.annotators.over_time.cells, at);
  if (!size(cells)) return paragraph(words.no_time_votes);
  const halves = people.drift[at] === null ? null : say(words.drift_some, { early: percent(people.early[at]), late: percent(people.late[at]) });
  return [about(words.over_time_about, " ", halves), timeline(cells, `${words.over_time}: ${people.annotator[at]}`),
    behind([words.period, words.votes, words.accuracy], rows(cells).map((row) => [String(row.begins).replace("T", " "), number(row.votes), percent(row.accuracy)]), [1, 2])];
}
