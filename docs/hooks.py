"""Made while the site is built: the methods page out of METHODS, and formulas as MathML, which needs no script."""

import inspect
import re

from latex2mathml.converter import convert

from crowdwise import METHODS


def on_page_markdown(markdown, page, **_):
    """Put the methods where the page asks for them."""
    return markdown.replace("<!-- methods -->", methods_page()) if page.file.src_uri == "methods.md" else markdown


def methods_page():
    """A table of all methods, then each one's docstring."""
    lines = ["| method | what it does | cost | reference |", "|---|---|---|---|"]
    for name, method in METHODS.items():
        lines.append(f"| [{name}](#{name}) | {method.line} | {method.cost} | {method.reference} |")
    for name, method in METHODS.items():
        text = as_markdown(inspect.getdoc(method.load()))
        lines += ["", f"## {name}", "", f"`crowdwise.{method.class_name}`", "", text]
    return "\n".join(lines)


def as_markdown(docstring):
    """reStructuredText roles and formulas, and doctests, as Markdown."""
    text = re.sub(r":math:`([^`]+)`", lambda found: convert(found[1]), docstring)
    text = re.sub(
        r"\.\. math::((?: .*)?(?:\n+(?:    ).*)*)",
        lambda found: convert(" ".join(found[1].split()), display="block"),
        text,
    )
    return re.sub(r"((?:^(?:>>> |\.\.\. ).*\n?(?:^(?!>>> |\n).+\n?)*)+)", r"```pycon\n\1\n```\n", text, flags=re.M)
