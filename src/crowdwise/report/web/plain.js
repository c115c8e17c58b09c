// A section without a drawing of its own: paragraphs, then tables under their captions. Where a table tells ends of an
// interval beside a number, the interval is drawn.

const ENDS = [["low", "high"], ["correlation_low", "correlation_high"], ["reliability_low", "reliability_high"], ["rank_low", "rank_high"]];
const shortly = (value) => (Number.isInteger(value) || Math.abs(value) >= 100 ? number(value) : String(Number(value.toPrecision(3))));

function drawn({ text = [], tables = {} }) {
  return [...text.map((sentence) => paragraph(sentence)), ...Object.entries(tables).flatMap(([caption, table]) => {
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
