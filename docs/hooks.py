"""Made while the site is built: pages out of the registries, and formulas as MathML, which needs no script."""

import inspect
import re

from latex2mathml.converter import convert

from crowdwise import METHODS
from crowdwise.io import FORMATS
from crowdwise.learn.objectives import OBJECTIVES


def on_page_markdown(markdown, page, **_):
    """Put methods and objectives where a page asks for them."""
    for mark, made in MADE.items():
        if mark in markdown:
            markdown = markdown.replace(mark, made())
    return markdown


def formats_page():
    """A table of all formats: what is read, and what is written."""
    lines = ["| format | what it is | read | votes written | labels written | other answers written |", "|---" * 6 + "|"]
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


MADE = {
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
