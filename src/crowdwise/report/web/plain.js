// A section without a drawing of its own: paragraphs, then tables under their captions. Where a table tells ends of an
// interval beside a number, the interval is drawn.

const ENDS = [["low", "high"], ["correlation_low", "correlation_high"], ["reliability_low", "reliability_high"], ["rank_low", "rank_high"]];
const shortly = (value) => (Number.isInteger(value) || Math.abs(value) >= 100 ? number(value) : String(Number(value.toPrecision(3))));

// A text of each answer, marked words under their label; and boxes of one image, what was found drawn thick.
const marked = ([caption, answers]) => [el("h3", {}, caption), grid(["who", "marks"], answers.map(({ who, pieces }) =>
  [name(who), el("span", {}, pieces.flatMap(([word, label]) => [label ? el("mark", {}, word, el("sub", {}, label)) : word, " "]))]), [])];
function regions([caption, boxes]) {
  const ends = boxes.flatMap(({ box }) => box.slice(2));
  const [wide, high] = [Math.max(...boxes.map(({ box }) => box[2]), 1), Math.max(...boxes.map(({ box }) => box[3]), 1)];
  const label = `${caption}: ${boxes.map(({ who, label: of }) => `${who} ${of}`).join(", ")}`;
  const scale = Math.max(wide, high) / 100;
  const picture = svg("svg", { viewBox: `${-scale} ${-scale} ${wide + 2 * scale} ${high + 2 * scale}`, role: "img", "aria-label": label, class: "regions" },
    boxes.map(({ who, box, label: of }) => svg("rect", { x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1],
      class: who === "found" ? "box found" : "box", "stroke-width": who === "found" ? 1.2 * scale : 0.5 * scale }, svg("title", {}, `${who}: ${of}`))));
  return [el("h3", {}, caption), ends.length ? picture : paragraph("nothing drawn")];
}

function drawn({ text = [], tables = {}, marked: texts_ = {}, regions: images = {} }) {
  return [...text.map((sentence) => paragraph(sentence)), ...Object.entries(texts_).flatMap(marked), ...Object.entries(images).flatMap(regions), ...Object.entries(tables).flatMap(([caption, table]) => {
    const heads = Object.keys(table);
    const cell = (value) => (typeof value === "number" ? shortly(value) : value === null ? "–" : spelt(value));
    const ends = ENDS.find(([low, high]) => heads.includes(low) && heads.includes(high));
    const middle = ends && heads[heads.indexOf(ends[0]) - 1];
    const known = ends ? [...table[ends[0]], ...table[ends[1]]].filter((end) => end !== null) : [];
    const [from, to] = [Math.min(...known), Math.max(...known)];
    const shown = heads.filter((head) => !ends || !ends.includes(head));
    const titles = shown.flatMap((head) => (ends && head === middle ? [head.replaceAll("_", " "), ""] : [head.replaceAll("_", " ")]));
    const lines = rows(table).map((row) => shown.flatMap((head) =>
      ends && head === middle ? [cell(row[head]), interval(row[head], row[ends[0]], row[ends[1]], from, to > from ? to : from + 1)] : [cell(row[head])]));
    const numeric = range(titles.length).filter((place) => titles[place] && typeof table[shown.find((head) => head.replaceAll("_", " ") === titles[place])].find((value) => value !== null) === "number");
    return [el("h3", {}, caption), grid(titles, lines, numeric)];
  })];
}
