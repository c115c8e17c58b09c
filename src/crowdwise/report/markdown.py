"""A report as a short text, for a pull request or a chat."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .summary import FLAGGED, percent, sentences
from .texts import fill, texts

MOST_ROWS = 10
BARE_BAR = re.compile(r"(?<!\\)\|")


def markdown(content: Mapping[str, Any]) -> str:
    """The summary, the annotators to talk to and the items to look at."""
    words, made = texts(), content["made"]
    lines = [f"## {escaped(content['title'])}", "", *(f"- {text}" for text in sentences(content, code)), ""]
    table = content["annotators"]["table"]
    rows = [
        (code(name), words["verdicts"][verdict]["name"], f"{votes:,.0f}", percent(accuracy), escaped(reason))
        for name, verdict, votes, accuracy, reason in zip(
            *(table[column].tolist() for column in ("annotator", "verdict", "votes", "accuracy", "reason")), strict=True
        )
        if verdict in FLAGGED
    ]
    head = [words["annotators"][name] for name in ("annotator", "verdict", "votes", "accuracy")]
    lines += _table(words["markdown"]["talk_to"], [*head, words["flagged"]["reason"]], rows, len(rows))
    items = [
        (code(row["item"]), code(row["label"]), percent(row["confidence"]), f"{row['votes']:,}", f"{row['gain']:.2f}")
        for row in content["contested"]
    ]
    head = [words["methods"]["item"], *(words["labels"][name] for name in ("class", "confidence", "votes"))]
    more = content["summary"]["unsettled"]
    lines += _table(words["markdown"]["look_at"], [*head, words["markdown"]["gain"]], items, more)
    if content["identifiability"]["verdict"] != "yes":
        missing = (f"- {escaped(finding)}" for finding in content["identifiability"]["findings"])
        lines += [f"**{words['markdown']['missing']}**", "", *missing, ""]
    by = {name: str(made[name]) for name in ("version", "method", "seed")}
    return "\n".join([*lines, f"<sub>{fill(words['markdown']['by'], **by)}</sub>", ""])


def code(name: Any) -> str:
    """A name from data as code, which nothing in it can end; it calls nobody and links nowhere.

    >>> code("a`b"), code("two\\nlines")
    ('``a`b``', '`two lines`')
    """
    text = re.sub(r"\s+", " ", str(name)).strip() or texts()["empty_name"]
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def escaped(text: str) -> str:
    """A sentence in which nothing is a mark, a link or somebody's name.

    >>> escaped("<b> *a* @ann")
    '\\\\<b\\\\> \\\\*a\\\\* @<!-- -->ann'
    """
    text = re.sub(r"([\\`*_{}\[\]<>#|~!&])", r"\\\1", re.sub(r"\s+", " ", text))
    return text.replace("@", "@<!-- -->").replace("://", ":<!-- -->//").replace("www.", "www<!-- -->.")


def plain_table(title: str, head: list[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The first rows of a table under a title."""
    return _table(escaped(title), [escaped(name.replace("_", " ")) for name in head], rows, len(rows))


def _row(cells: Sequence[str]) -> str:
    """A line of a table; a bar inside a cell is told apart, unless it is so already."""
    return " | ".join(["", *(BARE_BAR.sub(r"\\|", cell) for cell in cells), ""]).strip()


def _table(title: str, head: list[str], rows: Sequence[Sequence[str]], count: int) -> list[str]:
    """A table of the first rows under a title; nothing where there are none."""
    if not rows:
        return []
    lines = [f"**{title}**", "", *(_row(row) for row in (head, ["---"] * len(head), *rows[:MOST_ROWS]))]
    more = count - min(len(rows), MOST_ROWS)
    return [*lines, "", *([fill(texts()["markdown"]["more"], count=more), ""] if more else [])]
