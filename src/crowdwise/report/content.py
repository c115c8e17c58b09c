"""What a report says: one mapping of plain values and Tables, which the page, the JSON and the short text all show."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..files import whole_file
from ..fit.result import Result
from ..study.annotators import effective_number, repeated, review, verdicts, with_timing
from ..study.annotators.items import SURE
from ..study.compare import compare, disputed, truth_codes
from ..study.identify import identify
from ..study.uncertainty import check_level
from ..votes.codes import Array, find
from ..votes.crowd import Crowd
from ..votes.frames import labels_by_item
from ..votes.gold import gold_codes
from ..votes.table import Table
from .sections import labels
from .sections.contested import contested, settled
from .sections.people import annotators
from .sections.together import coefficients, heat_map
from .summary import FLAGGED

QUICK = ("majority-vote", "wawa", "one-coin", "dawid-skene", "mace", "zencrowd")  # seconds for a million votes
FORMS = ("html", "md", "json")
TOLD = 20  # rows of a table that only a part is told of


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Everything that is known about a crowd, and ways to show it.

    `content` has a key for each part, in their order: summary, labels, annotators, agreement, groups, contested,
    methods, identifiability, data, made; and title, level, sure.
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
    methods: Iterable[str] = QUICK,
    level: float = 0.9,
    sure: float = SURE,
    items: int = 50,
    title: str = "Crowd report",
    notes: Iterable[str] = (),
    made: Mapping[str, Any] | None = None,
    engine: str = "auto",
    callback: Callable[[str], object] | None = None,
) -> Report:
    """A report on a crowd and what a method found in it.

    gold: what the fit was told; how right the votes are is then measured by `blind`, a fit without it (one more by the
    same method, unless given). truth: used to measure only. time, seconds: columns of the votes that tell when, and how
    long. methods: those that the result is compared with; none for no comparison. level: of all intervals; sure: the
    confidence from which an item is settled; items: how many of the contested ones are shown. notes: what there is to
    say of the data, read when all is done; made: of how the report was made. `callback(name)` is called before each
    part.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(9, 3, 0.75) + simulate.spammers(2, 3)
    >>> made = simulate.crowd(people, n_items=1000, per_item=6, seed=0)
    >>> about = report(made.crowd, DawidSkene().fit(made.crowd), methods=())
    >>> about.content["summary"]["items"], about.content["summary"]["flagged"]
    (1000, 2)
    >>> about.html()[:15], about.markdown()[:16]
    ('<!doctype html>', '## Crowd report\\n')
    """
    check_level(level)
    if items < 0:
        raise InputError(f"items={items} must be at least 0")
    tell = callback or (lambda name: None)
    crowd = Crowd.of(crowd).with_names(annotators=result.annotators).with_classes(result.classes)
    if not np.array_equal(crowd.items, result.items):
        raise InputError("the result is of other items: make the report of the votes that were fitted")
    truth = _not_told(truth, gold)
    truth_of = _measured(crowd, result, gold, blind, truth, engine)
    tell("annotators")
    found = verdicts(crowd, result, level=level, gold=gold, engine=engine)
    found = with_timing(found, crowd, result, time=time, seconds=seconds)
    group = found["group"][find(crowd.annotators, found["annotator"])]
    tell("items")
    reviewed = review(crowd, result, trusted=trusted, sure=sure, gold=gold)
    tell("agreement")
    agreement = coefficients(crowd, level=level, seed=result.method.seed, engine=engine)
    tell("identifiability")
    identified = identify(crowd, result, engine=engine)
    content: dict[str, Any] = {
        "title": title,
        "summary": {},
        "level": level,
        "sure": sure,
        "labels": {
            "classes": labels.classes(crowd, result),
            "certainty": labels.certainty(reviewed["confidence"]),
            "calibration": labels.calibration(*truth_of, level, sure) if truth_of else None,
        },
        "annotators": annotators(crowd, result, found, time),
        "agreement": {**agreement, "heat_map": heat_map(crowd, found)},
        "groups": effective_number(crowd, result, group=group),
        "contested": contested(crowd, result, reviewed, items),
        "methods": _side_by_side(crowd, result, methods, gold, truth, engine, tell),
        "identifiability": {
            "verdict": identified.verdict,
            "findings": identified.findings,
            "numbers": identified.numbers,
            "confusable": identified.confusable.take(slice(0, TOLD)),
            "wanted": identified.wanted.take(slice(0, TOLD)),
        },
        "data": {"notes": tuple(notes), "counts": crowd.summary(), **_again(crowd), **_thin(crowd)},
        "made": {**_made(result), **(made or {})},
    }
    content["summary"] = _numbers(crowd, result, reviewed, found, content)
    return Report(content)


def _not_told(truth: Any, gold: Any) -> dict[Any, Any] | None:
    """Truth of items that are not gold: the fit was told those. None where there is no such item."""
    if truth is None:
        return None
    told = set() if gold is None else set(labels_by_item(gold)[0].tolist())
    pairs = zip(*(names.tolist() for names in labels_by_item(truth)), strict=True)
    return {item: label for item, label in pairs if item not in told} or None


def _measured(
    crowd: Crowd, result: Result, gold: Any, blind: Result | None, truth: Any, engine: str
) -> tuple[Array, Array, str] | None:
    """A posterior, truth that it was not told, and where that comes from."""
    if truth is not None:
        return result.on(crowd)[1], truth_codes(crowd, truth), "truth"
    if gold is not None:
        blind = blind or result.method.fit(crowd, engine=engine)
        return blind.on(crowd)[1], gold_codes(crowd, gold), "gold"
    return None


def _side_by_side(
    crowd: Crowd, result: Result, methods: Iterable[str], gold: Any, truth: Any, engine: str, tell: Callable[[str], Any]
) -> dict[str, Any] | None:
    """The result beside other methods; None where there are none."""
    others = [name for name in methods if name != result.method.name]
    if not others:
        return None
    table, results = compare(
        crowd, truth=truth, methods=others, gold=gold, forecasts=False, engine=engine, seed=result.method.seed,
        callback=tell, fitted={result.method.name: result},
    )  # fmt: skip
    items = disputed(results)
    return {"method": result.method.name, "table": table, "differ": len(items), "disputed": items.take(slice(0, TOLD))}


def _again(crowd: Crowd) -> dict[str, Any]:
    twice = repeated(crowd)
    return {"repeated": {"times": len(twice), "contradict": int(twice["contradict"].sum())}}


def _thin(crowd: Crowd) -> dict[str, int]:
    """Items and annotators with a single vote, of which the votes can tell little."""
    items, people = np.bincount(crowd.item), np.bincount(crowd.annotator)
    return {"items_with_one_vote": int((items == 1).sum()), "annotators_with_one_vote": int((people == 1).sum())}


def _made(result: Result) -> dict[str, Any]:
    from .. import __version__

    return {
        "version": __version__,
        "method": result.method.name,
        "settings": asdict(result.method),
        "seed": result.method.seed,
        "steps": len(result.trace),
        "converged": result.converged,
        "remarks": result.notes,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "date": datetime.now(UTC).date().isoformat(),
    }


def _numbers(crowd: Crowd, result: Result, reviewed: Table, found: Table, content: dict[str, Any]) -> dict[str, Any]:
    """What the first sentences are made of."""
    sure = int(settled(reviewed).sum())
    known = crowd.n_items - len(reviewed)
    verdict = found["verdict"].astype(str)
    counts = {name: int((verdict == name).sum()) for name in np.unique(verdict).tolist()}
    together = content["groups"]
    return {
        "votes": crowd.n_votes,
        "items": crowd.n_items,
        "annotators": crowd.n_annotators,
        "gold": known,
        "settled": sure,
        "unsettled": len(reviewed) - sure,
        "expected_right": float(result.on(crowd)[1].max(axis=1).mean()),
        "verdicts": counts,
        "flagged": sum(counts.get(name, 0) for name in FLAGGED),
        "groups": len(together) - 1,
        "votes_per_item": float(together["votes_per_item"][0]),
        "effective_votes": float(together["effective_votes"][0]),
        "understood": content["identifiability"]["verdict"],
    }
