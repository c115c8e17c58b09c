// Charts. Bars and intervals are HTML; what needs two axes is SVG, drawn as wide as there is room.

// A bar from 0 to `share` of its track, with a tick where there is something to compare with.
function bar(share, tick = null) {
  return el("span", { class: "bar", "aria-hidden": "true" },
    el("i", { class: "fill", style: { "inline-size": `${100 * Math.max(0, Math.min(1, share))}%` } }),
    tick === null ? null : el("i", { class: "tick", style: { "inset-inline-start": `${100 * Math.min(1, tick)}%` } }));
}

// A value and its interval on a track from `from` to `to`.
function interval(value, low, high, from = 0, to = 1) {
  const at = (x) => 100 * Math.max(0, Math.min(1, (x - from) / (to - from)));
  const known = low !== null && high !== null;
  return el("span", { class: "interval", "aria-hidden": "true" },
    known ? el("i", { class: "span", style: { "inset-inline-start": `${at(low)}%`, "inline-size": `${at(high) - at(low)}%` } }) : null,
    value === null ? null : el("i", { class: "dot", style: { "inset-inline-start": `${at(value)}%` } }));
}

// A bar to the right or to the left of the middle; `most` is the longest.
function diverging(value, most) {
  const length = most ? (50 * Math.min(Math.abs(value), most)) / most : 0;
  const start = value < 0 ? 50 - length : 50;
  return el("span", { class: "bar middle", "aria-hidden": "true" },
    el("i", { class: value < 0 ? "fill against" : "fill", style: { "inset-inline-start": `${start}%`, "inline-size": `${length}%` } }));
}

// A chart that is drawn again when its width changes: `draw(width)` gives the parts of an SVG, `height(width)` its height.
function chart(label, height, draw, extra = {}) {
  const figure = el("div", { class: "chart" });
  let drawn = 0;
  const redraw = (width) => {
    if (!width || Math.abs(width - drawn) < 1) return;
    drawn = width;
    const tall = height(width);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${tall}`, role: "img", "aria-label": label }, draw(width, tall));
    if (extra.near) {
      const place = (event) => {
        const box = picture.getBoundingClientRect();
        return extra.near(((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * tall) / box.height);
      };
      picture.addEventListener("pointermove", (event) => showTip(event, place(event)?.text ?? ""));
      picture.addEventListener("pointerleave", () => { tip.hidden = true; });
      if (extra.pick) picture.addEventListener("click", (event) => { const found = place(event); if (found) extra.pick(found); });
    }
    figure.replaceChildren(picture);
  };
  new ResizeObserver((entries) => redraw(Math.floor(entries[0].contentRect.width))).observe(figure);
  return figure;
}

const text = (x, y, words, anchor = "middle") => svg("text", { x, y, "text-anchor": anchor }, words);
const line = (x1, y1, x2, y2, kind) => svg("line", { x1, y1, x2, y2, class: kind });

// A frame for values from 0 to 1 upwards: grid lines with their shares at the left.
function shares(left, right, top, bottom) {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = bottom - share * (bottom - top);
    return [line(left, y, right, y, "grid"), text(left - 6, y + 4, percent(share), "end")];
  });
}

function histogram(table, mark, label) {
  const most = Math.max(1, ...table.items), bins = size(table);
  return chart(label, () => 220, (width, height) => {
    const left = 8, right = width - 8, top = 18, bottom = height - 24, step = (right - left) / bins;
    const x = (share) => left + share * (right - left);
    return [
      table.items.map((items, bin) => {
        const tall = items ? Math.max(1.5, (items / most) * (bottom - top)) : 0;
        return svg("rect", { x: x(table.low[bin]) + 1, y: bottom - tall, width: Math.max(1, step - 2), height: tall,
          class: table.low[bin] >= mark - 1e-9 ? "strong" : "soft" },
          svg("title", {}, `${percent(table.low[bin])} – ${percent(table.high[bin])}: ${number(items)}`));
      }),
      line(left, bottom, right, bottom, "axis"),
      line(x(mark), top - 6, x(mark), bottom, "mark"),
      text(x(mark) - 5, top + 2, texts.labels.settled, "end"),
      [0, 0.5, 1].map((share) => text(x(share), height - 8, percent(share), share === 0 ? "start" : share === 1 ? "end" : "middle")),
    ];
  });
}

function reliability(bins, label) {
  const most = Math.max(...bins.items);
  return chart(label, (width) => Math.min(340, width), (width, height) => {
    const left = 46, right = Math.min(width - 22, left + height - 20), top = 14, bottom = height - 28;
    const x = (share) => left + share * (right - left), y = (share) => bottom - share * (bottom - top);
    return [
      shares(left, right, top, bottom),
      [0, 0.5, 1].map((share) => text(x(share), height - 10, percent(share))),
      line(x(0), y(0), x(1), y(1), "mark"),
      range(size(bins)).filter((bin) => bins.items[bin] >= Math.min(5, most)).map((bin) => [
        line(x(bins.confidence[bin]), y(bins.low[bin]), x(bins.confidence[bin]), y(bins.high[bin]), "whisker"),
        svg("circle", { cx: x(bins.confidence[bin]), cy: y(bins.accuracy[bin]), r: 3 + 6 * Math.sqrt(bins.items[bin] / most), class: "strong" },
          svg("title", {}, `${percent(bins.confidence[bin])} → ${percent(bins.accuracy[bin])}, ${number(bins.items[bin])}`)),
      ]),
    ];
  });
}

// The outline of a mark around (x, y): verdicts differ in shape as well as in colour.
const MARKS = {
  fine: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  undecided: (x, y, r) => `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`,
  spammer: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  adversary: (x, y, r) => `M${x - r} ${y - r}h${2 * r}L${x} ${y + r}z`,
  colluder: (x, y, r) => `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}z`,
};

const glyph = (verdict) =>
  svg("svg", { class: "glyph", viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("path", { d: MARKS[verdict](6, 6, 4), class: verdict }));

// Round numbers from a power of ten up to the most.
const ticks = (power, most, decades) => range(Math.ceil(decades) + 1)
  .flatMap((step) => (decades > 3 ? [1] : [1, 2, 5]).map((digit) => digit * 10 ** (power + step))).filter((tick) => tick <= most);

function scatter(table, guess, label, pick) {
  const seen = range(size(table)).filter((place) => table.votes[place] > 0 && table.accuracy[place] !== null);
  const most = Math.max(10, ...seen.map((place) => table.votes[place]));
  const fewest = Math.floor(Math.log10(Math.min(most, ...seen.map((place) => table.votes[place])))), decades = Math.max(0.5, Math.log10(most) - fewest);
  let spots = [];
  return chart(label, (width) => Math.max(260, Math.min(420, width * 0.6)), (width, height) => {
    const left = 52, right = width - 14, top = 12, bottom = height - 44, r = seen.length > 1000 ? 2.5 : 4;
    const x = (votes) => left + ((Math.log10(votes) - fewest) / decades) * (right - left);
    const y = (share) => bottom - share * (bottom - top);
    spots = seen.map((place) => ({ place, x: x(table.votes[place]), y: y(table.accuracy[place]) }));
    return [
      shares(left, right, top, bottom),
      ticks(fewest, most, decades).map((votes) => [line(x(votes), top, x(votes), bottom, "grid"), text(x(votes), bottom + 16, number(votes))]),
      guess < 1 ? [line(left, y(guess), right, y(guess), "mark"), text(right - 2, y(guess) - 5, texts.skill.guess, "end")] : null,
      text((left + right) / 2, height - 8, texts.skill.x),
      Object.keys(MARKS).map((verdict) => svg("path", { class: `mark-${verdict} ${verdict}`,
        d: spots.filter((spot) => table.verdict[spot.place] === verdict).map((spot) => MARKS[verdict](+spot.x.toFixed(1), +spot.y.toFixed(1), r)).join("") })),
    ];
  }, {
    pick,
    near: (x, y) => {
      const apart = (spot) => (spot.x - x) ** 2 + (spot.y - y) ** 2;
      const nearest = spots.reduce((best, spot) => (best && apart(best) <= apart(spot) ? best : spot), null);
      if (!nearest || apart(nearest) > 400) return null;
      const at = nearest.place;
      return { place: at, text: plain(texts.skill.point, { annotator: spelt(table.annotator[at]), votes: table.votes[at],
        verdict: texts.verdicts[table.verdict[at]].name, accuracy: percent(table.accuracy[at]) }) };
    },
  });
}

const LEVELS = 9; // of the heat map's colour
const MOST_NAMED = 40; // annotators that it has room to name

function heatMap(map, label) {
  const n = map.annotators.length, top = 4;
  let cell = 0, left = 0;
  const room = (width) => (n <= MOST_NAMED && width > 360 ? 120 : top);
  return chart(label, (width) => Math.min(width - room(width), 560, 60 * n), (width, height) => {
    cell = (height - 2 * top) / n;
    left = room(width);
    const named = left > top;
    const gap = cell > 8 ? 1 : 0, paths = range(LEVELS).map(() => []);
    for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) {
      const share = map.agreement[a][b];
      if (a === b || share === null) continue;
      paths[Math.min(LEVELS - 1, Math.floor(share * LEVELS))].push(`M${(left + b * cell).toFixed(2)} ${(top + a * cell).toFixed(2)}h${(cell - gap).toFixed(2)}v${(cell - gap).toFixed(2)}h${(gap - cell).toFixed(2)}z`);
    }
    return [paths.map((path, level) => svg("path", { class: `heat heat-${level}`, d: path.join("") })),
      named ? map.annotators.map((at, row) => text(left - 8, top + (row + 0.5) * cell + 4, clipped(at, 16), "end")) : null];
  }, {
    near: (x, y) => {
      const a = Math.floor((y - top) / cell), b = Math.floor((x - left) / cell);
      if (a === b || a < 0 || b < 0 || a >= n || b >= n) return null;
      const values = { first: spelt(map.annotators[a]), second: spelt(map.annotators[b]),
        agreement: percent(map.agreement[a][b]), shared: map.shared[a][b] };
      return { text: plain(map.agreement[a][b] === null ? texts.agreement.heat_none : texts.agreement.heat_cell, values) };
    },
  });
}

function timeline(cells, label) {
  const most = Math.max(...cells.votes), { periods, first, last } = content.annotators.over_time;
  const order = range(size(cells)).sort((a, b) => cells.period[a] - cells.period[b]);
  return chart(label, () => 150, (width, height) => {
    const left = 46, right = width - 8, top = 8, bottom = height - 24, step = (right - left) / periods;
    const y = (share) => bottom - share * (bottom - top), x = (place) => left + (cells.period[place] + 0.5) * step;
    const moment = (begins) => String(begins).slice(0, 16).replace("T", " ");
    return [
      shares(left, right, top, bottom),
      order.map((place) => svg("rect", { x: x(place) - step / 2 + 0.5, width: Math.max(1, step - 1), class: "soft",
        y: y(cells.votes[place] / most), height: bottom - y(cells.votes[place] / most) },
        svg("title", {}, `${cells.begins[place]}: ${number(cells.votes[place])}, ${percent(cells.accuracy[place])}`))),
      svg("polyline", { class: "trend", points: order.map((place) => `${x(place)},${y(cells.accuracy[place])}`).join(" ") }),
      order.map((place) => svg("circle", { class: "strong", r: 2.5, cx: x(place), cy: y(cells.accuracy[place]) })),
      line(left, bottom, left, bottom + 5, "axis"), text(left, height - 6, moment(first[0]), "start"),
      line(right - step, bottom, right - step, bottom + 5, "axis"), text(right - step + 2, height - 6, moment(last[0]), "end"),
    ];
  });
}
