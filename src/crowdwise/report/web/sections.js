// The sections, in their order; each is a function that gives its elements.

const view = annotatorTable();
const link = (at) => el("button", { type: "button", class: "link", on: { click: () => view.show(at) } }, name(people.annotator[at]));
const FLAGGED = ["colluder", "adversary", "spammer"];

const SECTIONS = {
  summary() {
    const numbers = content.summary, measured = content.labels.calibration, words = texts.summary.figures;
    const asked = numbers.items - numbers.gold;
    const right = words[measured ? `right_${measured.source}` : "expected"];
    const figures = [
      [asked ? percent(numbers.settled / asked) : "–", words.settled, ""],
      [number(numbers.unsettled), words.unsettled, numbers.unsettled ? "watch" : ""],
      [number(numbers.flagged), words.flagged, numbers.flagged ? "watch" : ""],
      [percent(measured ? measured.accuracy : numbers.expected_right), right, measured?.too_sure ? "watch" : ""],
    ];
    return [
      el("ul", { class: "figures" }, figures.map(([figure, words, kind]) => el("li", { class: kind }, el("strong", {}, figure), el("span", {}, words)))),
      el("ul", { class: "sentences" }, content.sentences.map((sentence) => el("li", {}, sentence))),
    ];
  },

  labels() {
    const words = texts.labels, classes = content.labels.classes, most = 20;
    const items = classes.items.reduce((sum, n) => sum + n, 0), votes = classes.votes.reduce((sum, n) => sum + n, 0);
    const share = (votes_) => (votes ? (votes_ / votes) * items : 0);
    const longest = Math.max(1, ...classes.items, ...classes.votes.map(share));
    const shown = range(size(classes)).slice(0, most), hidden = range(size(classes)).slice(most);
    const lines = shown.map((at) => [name(classes.class[at]), bar(classes.items[at] / longest, share(classes.votes[at]) / longest), number(classes.items[at]), number(classes.expected[at]), number(classes.votes[at])]);
    if (hidden.length) {
      const sum = (column) => hidden.reduce((total, at) => total + column[at], 0);
      lines.push([say(words.other_classes, { count: hidden.length }), bar(sum(classes.items) / longest), number(sum(classes.items)), number(sum(classes.expected)), number(sum(classes.votes))]);
    }
    const certainty = content.labels.certainty, measured = content.labels.calibration;
    return [
      el("h3", {}, words.distribution), about(words.distribution_about),
      grid([words.class, "", words.items, words.expected, words.votes], lines, [2, 3, 4]),
      el("div", { class: "pair" },
        el("div", {}, el("h3", {}, words.certainty), about(say(words.certainty_about, { sure: percent(content.sure) })),
          histogram(certainty, content.sure, words.certainty),
          behind([words.confidence, words.items], rows(certainty).filter((row) => row.items).map((row) => [`${percent(row.low)} – ${percent(row.high)}`, number(row.items)]), [1])),
        el("div", {}, el("h3", {}, words.calibration), measured ? calibration(measured) : paragraph(words.no_calibration))),
    ];
  },

  annotators() {
    const words = texts.annotators, known = content.annotators.known;
    return [
      about(say(words.about, { level }), " ", known > size(people) ? plain(words.shown, { shown: size(people), all: known }) : ""),
      view.element,
      folded(words.columns_title, el("dl", {}, COLUMNS.filter(({ key }) => words.columns[key]).map(({ key }) => [el("dt", {}, words[key]), el("dd", {}, words.columns[key])]))),
    ];
  },

  skill() {
    const classes = content.annotators.classes.length;
    return [
      about(say(texts.skill.about), " ", classes > 1 ? say(texts.skill.about_guess, { classes }) : ""),
      scatter(people, 1 / classes, plain(texts.skill.label, { count: size(people) }), (found) => view.show(found.place)),
      el("ul", { class: "legend" }, Object.keys(texts.verdicts).filter((verdict) => people.verdict.includes(verdict))
        .map((verdict) => el("li", {}, glyph(verdict), `${texts.verdicts[verdict].name}: ${texts.verdicts[verdict].about} (${number(content.summary.verdicts[verdict] ?? 0)})`))),
    ];
  },

  flagged() {
    const words = texts.flagged, most = 50;
    const places = range(size(people)).filter((at) => FLAGGED.includes(people.verdict[at]));
    if (!places.length) return [paragraph(words.none)];
    const lines = places.slice(0, most).map((at) => [link(at), verdictOf(people.verdict[at]), number(people.votes[at]), percent(people.accuracy[at]), [plainly(at), el("div", { class: "quiet" }, people.reason[at])]]);
    const more = content.summary.flagged - lines.length;
    return [about(words.about),
      grid([texts.annotators.annotator, texts.annotators.verdict, texts.annotators.votes, texts.annotators.accuracy, words.reason], lines, [2, 3], [2, 3]),
      more > 0 ? paragraph(say(words.more, { count: more })) : null];
  },

  agreement() {
    const words = texts.agreement, { coefficients, reason, heat_map: map } = content.agreement;
    const heat = map.annotators.length;
    const pairs = range(heat).flatMap((a) => range(a).map((b) => [a, b])).filter(([a, b]) => map.shared[a][b] > 0)
      .sort(([a, b], [c, d]) => map.agreement[a][b] - map.agreement[c][d]).slice(0, 50);
    return [
      about(say(words.about, { level })),
      coefficients && coefficients.items[0] ? grid([words.coefficient, words.value, "", words.interval],
        rows(coefficients).map((row) => [row.measure, fixed(row.value), interval(row.value, row.low, row.high, Math.min(0, ...coefficients.low), 1), row.low === null ? "–" : `${fixed(row.low)} – ${fixed(row.high)}`]), [1, 3])
        : paragraph(reason ?? words.too_few),
      content.annotators.classes.length < 2 ? paragraph(words.one_class) : null,
      el("h3", {}, words.heat),
      heat < 2 ? paragraph(words.heat_few) : [
        about(say(map.grouped ? words.heat_groups : words.heat_busiest, { count: heat })),
        heatMap(map, plain(words.heat_label, { count: heat })),
        el("p", { class: "scale" }, words.scale_low, el("span", { class: "steps", "aria-hidden": "true" }, range(LEVELS).map((step) => el("i", { class: `heat-${step}` }))), words.scale_high,
          el("span", { class: "steps none", "aria-hidden": "true" }, el("i")), words.scale_none),
        behind([words.first, words.second, words.agree, words.shared_items], pairs.map(([a, b]) => [name(map.annotators[a]), name(map.annotators[b]), percent(map.agreement[a][b]), number(map.shared[a][b])]), [2, 3])],
    ];
  },

  groups() {
    const words = texts.groups, [all, ...groups] = rows(content.groups);
    const members = (group) => {
      const places = range(size(people)).filter((at) => people.group[at] === group.group), most = 12;
      const shown = places.slice(0, most).flatMap((at, place) => [place ? ", " : "", link(at)]);
      return places.length > most ? [shown, ` + ${number(places.length - most)}`] : shown;
    };
    return [
      about(words.about),
      paragraph(say(words.all, { annotators: all.annotators, effective: fixed(all.effective, 1), votes: fixed(all.votes_per_item, 1), worth: fixed(all.effective_votes, 1) })),
      groups.length ? grid([words.group, words.annotators, words.effective, words.correlation, words.members],
        groups.map((group) => [number(group.group + 1), number(group.annotators), fixed(group.effective, 1), fixed(group.correlation), members(group)]), [1, 2, 3]) : paragraph(words.none),
    ];
  },

  contested() {
    const words = texts.contested, items = content.contested;
    if (!items.length) return [paragraph(content.summary.unsettled ? texts.nothing : words.none)];
    return [about(words.about), items.length < content.summary.unsettled ? paragraph(say(words.shown, { shown: items.length, all: content.summary.unsettled })) : null,
      el("div", { class: "items" }, items.map(contestedItem))];
  },

  methods() {
    const words = texts.methods, found = content.methods;
    if (!found) return [paragraph(words.none)];
    const shares = ["agreement", "agrees_with_majority", "accuracy"], columns = [...shares, "calibration_error", "seconds"].filter((key) => key in found.table);
    const lines = rows(found.table).map((row) => [row.method === found.method ? el("strong", {}, row.method) : row.method,
      ...columns.map((key) => (shares.includes(key) ? [bar(row[key]), percent(row[key])] : fixed(row[key], key === "seconds" ? 1 : 3)))]);
    const disputed = found.disputed, others = Object.keys(disputed).filter((key) => key !== "item" && key !== "labels");
    return [
      about(say(words.about, { method: found.method })),
      grid([words.method, ...columns.map((key) => words[key])], lines, range(columns.length).map((place) => place + 1)),
      paragraph(found.differ ? say(words.differ, { count: found.differ }) : words.same),
      size(disputed) ? folded(words.disputed, grid([words.item, ...others], rows(disputed).map((row) => [name(row.item), ...others.map((key) => name(row[key]))]))) : null,
    ];
  },

  identifiability() {
    const words = texts.identifiability, found = content.identifiability;
    const table = (title, columns) => (size(columns) ? folded(title, grid(Object.keys(columns).map((key) => words.columns[key]),
      rows(columns).map((row) => Object.entries(row).map(([key, value]) => (["mistaken", "named"].includes(key) ? percent(value) : name(value)))))) : null);
    return [about(words.about), el("p", { class: "answer" }, words.verdict[found.verdict]),
      el("ul", {}, found.findings.map((finding) => el("li", {}, finding))),
      table(words.confusable, found.confusable), table(words.wanted, found.wanted)];
  },

  data() {
    const words = texts.data, found = content.data;
    const notes = [...found.notes,
      found.repeated.times ? plain(words.repeated, { count: found.repeated.times, contradict: found.repeated.contradict }) : null,
      found.items_with_one_vote ? plain(words.thin_items, { count: found.items_with_one_vote }) : null,
      found.annotators_with_one_vote ? plain(words.thin_annotators, { count: found.annotators_with_one_vote }) : null].filter(Boolean);
    return [
      notes.length ? el("ul", {}, notes.map((note) => el("li", {}, note))) : paragraph(words.none),
      el("h3", {}, words.counts),
      el("dl", {}, Object.entries(found.counts).map(([term, fact]) => [el("dt", {}, term), el("dd", {}, number(fact))])),
    ];
  },

  made() {
    const words = texts.made, made = content.made;
    const shown = (value) => (typeof value === "boolean" ? words[value ? "yes" : "no"] : Array.isArray(value) ? value.join(" · ") : value !== null && typeof value === "object"
      ? Object.entries(value).map(([key, each]) => `${key}=${each === null ? "–" : Array.isArray(each) ? each.join(", ") : each}`).join(" · ") : String(value));
    const facts = ["command", "method", "settings", "remarks", ...(made.steps ? ["steps", "converged"] : []), "version", "python", "numpy", "date"].filter((key) => made[key] !== undefined && shown(made[key]) !== "");
    return [
      about(say(words.about, { version: made.version, method: made.method, seed: String(made.seed) }), made.anonymised ? ` ${words.anonymised}` : ""),
      about(words.more),
      el("dl", {}, facts.map((key) => [el("dt", {}, words[key]), el("dd", {}, key === "command" ? el("code", {}, made[key]) : shown(made[key]))])),
    ];
  },
};

// Why somebody is flagged, in plain words.
function plainly(at) {
  const words = texts.flagged, accuracy = percent(people.accuracy[at]);
  if (people.verdict[at] !== "spammer") return say(words.wrong, { accuracy });
  if (people.favourite_share[at] < 0.6) return say(words.guesses, { accuracy });
  return say(words.says_one, { favourite: name(people.favourite[at]), share: percent(people.favourite_share[at]) });
}

function calibration(measured) {
  const words = texts.labels, bins = measured.bins;
  return [
    paragraph(say(words[`calibration_${measured.source}`], { count: measured.items, accuracy: percent(measured.accuracy), expected: percent(measured.expected), error: fixed(measured.error, 3) })),
    about(say(words.calibration_about, { level })),
    reliability(bins, words.calibration),
    behind([words.confidence, words.accuracy, words.interval, words.items],
      rows(bins).map((row) => [percent(row.confidence), percent(row.accuracy), `${percent(row.low)} – ${percent(row.high)}`, number(row.items)]), [1, 3]),
  ];
}

function contestedItem(item) {
  const words = texts.contested, why = item.why;
  const heading = el("summary", {}, el("span", { class: "what" }, name(item.item)),
    el("span", {}, say(words.heading, { label: name(item.label), confidence: percent(item.confidence) })),
    el("span", { class: "quiet" }, say(words.facts, { count: item.votes, gain: fixed(item.gain) })));
  const trusted = item.trusted === undefined || item.trusted === null ? null : paragraph(say(words.trusted, { class: name(item.trusted) }));
  const shown = item.text ? el("blockquote", {}, clipped(item.text, 600)) : null;
  const said = rows(item.said), tally = about(said.map((row, place) => [place ? " · " : "", say(words.said, { votes: row.votes, label: name(row.label) })]),
    said.length && !said.some((row) => row.label === item.label) ? [" · ", say(words.unsaid, { label: name(item.label) })] : null);
  if (!why) return el("details", {}, heading, shown, trusted, tally, paragraph(words.not_apart));
  const votes = rows(why.votes).map((vote) => [say(words.vote, { annotator: voter(vote.annotator), label: name(vote.label) }), vote.contribution]);
  if (why.further_votes) votes.push([say(words.further, { count: why.further_votes }), why.further]);
  const parts = [[why.additive ? words.before : words.rest, why.before], ...votes];
  const most = Math.max(...parts.map(([, value]) => Math.abs(value)), Math.abs(why.total));
  return el("details", {}, heading, shown, trusted, tally,
    about(say(words.unit, { unit: why.unit, label: name(item.label), other: name(why.other) })),
    el("table", { class: "votes" }, el("tbody", {}, [...parts, [el("strong", {}, words.total), why.total]].map(([what, value]) =>
      el("tr", {}, el("th", { scope: "row" }, what), el("td", {}, diverging(value, most)), el("td", { class: "number" }, `${value < 0 ? "−" : "+"}${fixed(Math.abs(value))}`))))));
}

const places = new Map(people.annotator.map((annotator, at) => [annotator, at]));
const voter = (annotator) => (places.has(annotator) ? link(places.get(annotator)) : name(annotator));
