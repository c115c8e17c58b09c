"""What a report says: one mapping of plain values and Tables, which the page, the JSON and the short text all show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import whole_file
from ..fit.result import Result
from ..study.annotators.items import SURE
from .about import QUICK, About
from .sections import SECTIONS, of_kind

FORMS = ("html", "md", "json")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Everything that is known about a crowd, and ways to show it.

    `content` has a key for each section, in the order of `SECTIONS`: summary, labels, annotators, agreement, groups,
    contested, methods, identifiability, data, made; and title, level, sure.
    """

    content: Mapping[str, Any]

    def html(self) -> str:
        """One page that needs nothing but itself."""
        from .page import page

        return page(self.content)

    def markdown(self) -> str:
        """A short text for a pull request or a chat."""
        from .markdown import markdown

        return markdown(self.content)

    def json(self) -> str:
        """The same content for other tools; tables are lists of rows."""
        from .data import dumps, records

        return dumps(self.content, records, indent=2)

    def text(self, form: str) -> str:
        """The report as "html", "md" or "json"."""
        forms = {"html": self.html, "md": self.markdown, "json": self.json}
        return forms[form]()

    def write(self, path: str | Path, form: str | None = None) -> None:
        """Write a file, whole or not at all: "html", "md" or "json", by the ending of its name unless it is told."""
        form = form or Path(path).suffix.lstrip(".")
        if form not in FORMS:
            raise InputError(f"{path}: a report is .html, .md or .json")
        with whole_file(Path(path)) as file:
            file.write(self.text(form).encode())


def report(
    crowd: Any,
    result: Result,
    *,
    gold: Any = None,
    blind: Result | None = None,
    truth: Any = None,
    trusted: Iterable[Any] = (),
    time: str = "",
    seconds: str = "",
    by: str = "",
    methods: Iterable[str] = QUICK,
    level: float = 0.9,
    sure: float = SURE,
    items: int = 50,
    title: str = "Crowd report",
    texts: Mapping[Any, str] | None = None,
    notes: Iterable[str] = (),
    made: Mapping[str, Any] | None = None,
    engine: str = "auto",
    callback: Callable[[str], object] | None = None,
) -> Report:
    """A report on a crowd and what a method found in it.

    gold: what the fit was told; how right the votes are is then measured by `blind`, a fit without it (one more by the
    same method, unless given). by: a column of the items, or of the annotators: a section by its groups. truth: used to
    measure only. time, seconds: columns of the votes that tell when, and how
    long. methods: those that the result is compared with; none for no comparison. level: of all intervals; sure: the
    confidence from which an item is settled; items: how many of the contested ones are shown; texts: what items are
    about, by name. notes: what there is to say of the data, read when all is done; made: of how the report was made.
    `callback(name)` is called before each part.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(9, 3, 0.75) + simulate.spammers(2, 3)
    >>> made = simulate.crowd(people, n_items=1000, per_item=6, seed=0)
    >>> about = report(made.crowd, DawidSkene().fit(made.crowd), methods=())
    >>> about.content["summary"]["items"], about.content["summary"]["flagged"]
    (1000, 2)
    >>> about.html()[:15], about.markdown()[:16]
    ('<!doctype html>', '## Crowd report\\n')
    """
    about = About(
        crowd,
        result,
        gold=gold,
        blind=blind,
        truth=truth,
        trusted=trusted,
        time=time,
        seconds=seconds,
        by=by,
        methods=tuple(methods),
        level=level,
        sure=sure,
        items=items,
        texts=texts or {},
        notes=notes,
        made=made or {},
        engine=engine,
        tell=callback or (lambda name: None),
    )
    content = {name: SECTIONS.load(name)(about) for name in of_kind("classes")}
    told = {name: section for name, section in content.items() if section is not None or name == "methods"}
    return Report({"title": title, "level": level, "sure": sure, **told})
