// The page itself.

function themes() {
  const words = texts.theme;
  const select = el("select", { id: "theme", on: { change: (event) => { document.documentElement.dataset.theme = event.target.value; } } },
    ["auto", "light", "dark"].map((theme) => el("option", { value: theme }, words[theme])));
  return el("label", { class: "theme", for: "theme" }, words.label, select);
}

const drawings = typeof SECTIONS === "undefined" ? {} : SECTIONS;
const titles = new Map(Object.entries(content.sections));
const sections = [...titles].map(([key, title]) =>
  el("section", { id: key, "aria-labelledby": `${key}-title` }, el("h2", { id: `${key}-title` }, title), ...(drawings[key] ?? (() => drawn(content[key])))()));
document.body.append(
  el("a", { class: "skip", href: "#main" }, texts.skip),
  el("header", {},
    el("div", {}, el("h1", {}, name(content.title)),
      el("p", { class: "quiet" }, say(texts.subtitle, content.head))),
    themes()),
  el("div", { class: "columns" },
    el("nav", { "aria-label": texts.contents }, el("ol", {}, [...titles].map(([key, title]) => el("li", {}, el("a", { href: `#${key}` }, title))))),
    el("main", { id: "main", tabindex: -1 }, sections)),
  tip);

const links = new Map([...document.querySelectorAll("nav a")].map((anchor) => [anchor.hash.slice(1), anchor]));
const reading = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
  links.forEach((anchor) => anchor.removeAttribute("aria-current"));
  links.get(entry.target.id).setAttribute("aria-current", "true");
}), { rootMargin: "0px 0px -80% 0px" });
sections.forEach((section) => reading.observe(section));
