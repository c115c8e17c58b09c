"""Reports on answers that name no classes: the same three forms, of sections that are drawn plainly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from ..errors import InputError
from ..fit.estimates import Values
from ..fit.result import Result
from ..study.numbers import verdicts
from ..study.uncertainty import check_level
from ..votes.table import Table
from ..votes.votes import Votes
from .content import Report
from .markdown import code, escaped, plain_table
from .page import plain_page
from .sections import SECTIONS, of_kind


@dataclass(frozen=True, eq=False)
class AboutNumbers:
    """Answers, what a method found in them, and how a report on both was asked for."""

    votes: Any
    result: Result
    level: float = 0.9
    items: int = 50
    notes: Iterable[str] = ()
    seed: int = 0

    @property
    def estimate(self) -> Values:
        """Values, or scores."""
        assert isinstance(self.result.estimate, Values)
        return self.result.estimate

    @cached_property
    def judged(self) -> Table:
        """The annotators and their verdicts, worst first."""
        return verdicts(self.votes, self.result, level=self.level)


class PlainReport(Report):
    """A report whose sections are texts and tables."""

    def html(self) -> str:
        return plain_page(self.content, self._names)

    def markdown(self) -> str:
        lines = [f"## {escaped(str(self.content['title']))}", ""]
        for name in self._names:
            section = self.content[name]
            lines += [
                f"### {SECTIONS[name].title}",
                "",
                *(f"- {escaped(text)}" for text in section.get("text", ())),
                "",
            ]
            for caption, answers in section.get("marked", {}).items():
                lines += ["", f"**{escaped(caption)}**", "", *(f"- {_marked(one)}" for one in answers)]
            for caption, table in section.get("tables", {}).items():
                lines += plain_table(caption, list(table.columns), [list(map(_cell, row)) for row in table.rows()])
        return "\n".join(lines)

    @property
    def _names(self) -> list[str]:
        return [name for name in of_kind(self.content["kind"]) if name in self.content]


def _marked(answer: Mapping[str, Any]) -> str:
    """A text whose marked words stand in brackets, with their label."""
    words = (f"[{word}]({kind})" if kind else word for word, kind in answer["pieces"])
    return escaped(f"{answer['who']}: {' '.join(words)}")


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else code(value)


def report_of_numbers(
    votes: Votes,
    result: Result,
    *,
    level: float = 0.9,
    items: int = 50,
    title: str = "Crowd report",
    notes: Iterable[str] = (),
    seed: int = 0,
) -> Report:
    """A report on answers that name no classes and what a method found in them.

    level: of all intervals; items: how many of them are shown; notes: what there is to say of the data.

    >>> from crowdwise import Mean, simulate
    >>> made = simulate.ratings(n_items=30, n_annotators=6, per_item=4, seed=0)
    >>> about = report_of_numbers(made.ratings, Mean().fit(made.ratings))
    >>> about.html()[:15], about.markdown()[:16], list(about.content)[5:]
    ('<!doctype html>', '## Crowd report\\n', ['values', 'raters', 'reliability', 'next', 'fit'])
    """
    check_level(level)
    if votes.kind == "classes":
        raise InputError(f"{result.method.name} names classes: report() takes its result")
    about = AboutNumbers(votes, result, level, items, tuple(notes), seed)
    names = of_kind(votes.kind)
    sizes = {"votes": votes.n_votes, "annotators": votes.n_annotators, "items": votes.n_items}
    content: Mapping[str, Any] = {
        "title": title,
        "kind": votes.kind,
        "level": level,
        "head": {**sizes, "date": datetime.now(UTC).date().isoformat()},
        "summary": {**votes.summary(), **result.summary()},
        **{name: SECTIONS.load(name)(about) for name in names},
    }
    return PlainReport({name: section for name, section in content.items() if section is not None})
