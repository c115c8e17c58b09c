"""Made while the site is built: pages out of the registries, and formulas as MathML, which needs no script."""

import contextlib
import inspect
import io
import json
import os
import re
import runpy
import tempfile
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.utils import get_relative_url

import crowdwise.cli  # noqa: F401  (fills the table of commands)
from crowdwise import METHODS
from crowdwise.cli.options import COMMANDS
from crowdwise.io import FORMATS
from crowdwise.io.kinds import KINDS
from crowdwise.learn.objectives import OBJECTIVES
from crowdwise.methods import DEFAULTS
from crowdwise.report.sections import SECTIONS
from crowdwise.report.texts import texts

ROOT = Path(__file__).parents[1]


def on_page_markdown(markdown, page, **_):
    """Put methods and objectives where a page asks for them."""
    for mark, made in MADE.items():
        if mark in markdown:
            markdown = markdown.replace(mark, made())
    return markdown


def formats_page():
    """A table of all formats: what is read, and what is written."""
    lines = [
        "| format | what it is | read | votes written | labels written | other answers written |",
        "|---" * 6 + "|",
    ]
    for name, entry in FORMATS.items():
        can = " | ".join("yes" if does else "" for does in (entry.reads, entry.votes, entry.labels))
        lines.append(f"| `{name}` | {entry.line} | {can} | {', '.join(entry.numbers)} |")
    return "\n".join(lines)


def methods_page():
    """A table of all methods, then each one's docstring."""
    lines = ["| method | what it does | cost | reference |", "|---|---|---|---|"]
    for name, method in METHODS.items():
        lines.append(f"| [{name}](#{name}) | {method.line} | {method.cost} | {method.reference} |")
    for name, method in METHODS.items():
        text = as_markdown(inspect.getdoc(method.load()))
        lines += ["", f"## {name}", "", f"`crowdwise.{method.class_name}`", "", text]
    return "\n".join(lines)


def objectives_page():
    """A table of all objectives, then each one's docstring."""
    lines = ["| objective | what it does | reference |", "|---|---|---|"]
    for name, entry in OBJECTIVES.items():
        lines.append(f"| [{name}](#{name}) | {entry.line} | {entry.reference} |")
    for name, entry in OBJECTIVES.items():
        text = as_markdown(inspect.getdoc(entry.load()))
        lines += ["", f"## {name}", "", f"`crowdwise.learn.{entry.class_name}`", "", text]
    return "\n".join(lines)


def sections_page():
    """A table of a report's sections, by the kinds of answers that they are for."""
    lines = ["| section | what is in it | for |", "|---|---|---|"]
    for name, entry in SECTIONS.items():
        title = entry.title or texts()[name]["title"]
        lines.append(f"| {title} | {entry.line} | {', '.join(entry.kinds)} |")
    return "\n".join(lines)


def commands_page():
    """A table of all commands, each with the first sentence and the example of its help."""
    lines = ["| command | what it does | example |", "|---|---|---|"]
    for name, command in sorted(COMMANDS.items(), key=lambda one: one[1].place):
        first, *rest = inspect.getdoc(command.function).split("\n\n")
        example = next(part for part in rest if part.startswith("Example: ")).removeprefix("Example: ")
        lines.append(f"| `{name}` | {' '.join(first.split())} | `{' '.join(example.split())}` |")
    return "\n".join(lines).replace("||", "|")


def chooser_page():
    """What is asked of people, how the answers look in a table, and what decides by default."""
    lines = ["| you ask | the answers in a table | kind | decides by default | why | more |", "|---" * 6 + "|"]
    for name, kind in KINDS.items():
        columns, _, row = kind.example.partition(": ")
        method = METHODS[DEFAULTS[name]]
        page = CHOSEN_IN.get(name, "structured.md")
        cells = [kind.asked, f"`{columns}`<br>`{row}`", f"`{name}`", f"[{DEFAULTS[name]}](methods.md#{DEFAULTS[name]})"]
        lines.append(
            " | ".join(
                ["", *(cell.replace("|", "\\|") for cell in cells), method.line, f"[{page}]({page})", ""]
            ).strip()
        )
    return "\n".join(lines)


def gallery_page():
    """The examples, each with its code and the picture that the code made."""
    lines = []
    for file in sorted((ROOT / "examples").glob("*.py")):
        text = file.read_text()
        about, _, code = text.partition("\n\n")
        title, _, rest = about.strip('"').partition(": ")
        lines += [f"## {title}", "", rest[:1].upper() + rest[1:], "", f"![{title}](gallery/{file.stem}.svg)", ""]
        lines += [f"[as a notebook](gallery/{file.stem}.ipynb)", "", "```py", code.strip(), "```", ""]
    return "\n".join(lines)


def drawn(file, folder):
    """Run an example where it may write, and keep its figure; and the example as a notebook."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                names = runpy.run_path(str(file))
        finally:
            os.chdir(before)
    names["figure"].savefig(folder / f"{file.stem}.svg")
    about, _, code = file.read_text().partition("\n\n")
    cells = [("markdown", about.strip('"')), ("code", f"{code.strip()}\nfigure")]
    made = [
        {"cell_type": kind, "metadata": {}, "id": f"{file.stem[:2]}-{kind}", "source": text.splitlines(keepends=True)}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, text in cells
    ]
    notebook = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / f"{file.stem}.ipynb").write_text(json.dumps(notebook, indent=1))


def on_pre_build(config):
    """Every picture of the gallery is made by the code beside it."""
    folder = Path(config["docs_dir"]) / "gallery"
    folder.mkdir(exist_ok=True)
    for file in sorted((ROOT / "examples").glob("*.py")):
        picture = folder / f"{file.stem}.svg"
        if not picture.exists() or picture.stat().st_mtime < file.stat().st_mtime:
            drawn(file, folder)


CHOSEN_IN = {"classes": "choosing.md", "ratings": "numbers.md", "comparisons": "numbers.md"}
MADE = {
    "<!-- chooser -->": chooser_page,
    "<!-- gallery -->": gallery_page,
    "<!-- sections -->": sections_page,
    "<!-- commands -->": commands_page,
    "<!-- methods -->": methods_page,
    "<!-- objectives -->": objectives_page,
    "<!-- formats -->": formats_page,
}


def as_markdown(docstring):
    """reStructuredText roles and formulas, and doctests, as Markdown."""
    text = re.sub(r":math:`([^`]+)`", lambda found: convert(found[1]), docstring)
    text = re.sub(
        r"\.\. math::((?: .*)?(?:\n+(?:    ).*)*)",
        lambda found: convert(" ".join(found[1].split()), display="block"),
        text,
    )
    return re.sub(r"((?:^(?:>>> |\.\.\. ).*\n?(?:^(?!>>> |\n).+\n?)*)+)", r"```pycon\n\1\n```\n", text, flags=re.M)


SHIM = "https://unpkg.com/iframe-worker/shim"  # what the theme would load from elsewhere, to search without a server


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Pages need nothing from elsewhere: their search, opened from a folder, runs by a script of our own."""
    return output.replace(SHIM, get_relative_url("offline_search.js", page.url))
