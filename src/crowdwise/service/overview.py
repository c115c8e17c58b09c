"""Overview: what an admin sees of all votes together: agreement, how good and how fast people are, what is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fit.result import Result
from ..report.sections.alike import agreement_of
from ..study.annotators import verdicts
from ..study.annotators.timing import HASTE
from ..study.numbers.answerers import verdicts as verdicts_on_answers
from ..votes.crowd import Crowd
from .store import Person

MANY = 200_000  # votes, and so many tell how good people are
FEW_DRAWS = 20  # of intervals that nobody looks at here
ACCURACIES = ("accuracy", "correlation", "reliability", "alike")
"""What tables of verdicts call how good somebody is, by the kind of answers."""


@dataclass(frozen=True)
class Overview:
    """agreement: measures and their values. people: verdict, reason and how good somebody is, by their name."""

    agreement: list[dict[str, Any]]
    people: dict[str, dict[str, Any]]


def overview_of(result: Result) -> Overview:
    """Of all votes behind a result; of many, of those on some items, drawn by their names."""
    votes: Any = result.votes
    if votes.n_votes > MANY:
        votes = votes.sample(MANY)
    found = verdicts(votes, result) if isinstance(votes, Crowd) else verdicts_on_answers(votes, result)
    good = next(name for name in ACCURACIES if name in found.columns)
    people = {
        str(row["annotator"]): {
            "verdict": row["verdict"], "why": row["reason"], "measure": good, "good": _number(row[good]),
            "low": _number(row[f"{good}_low"]), "high": _number(row[f"{good}_high"]),
        }
        for row in found.records()
    }  # fmt: skip
    agreed = [
        {"measure": str(row["measure"]), "value": _number(row["value"])}
        for table in agreement_of(votes, draws=FEW_DRAWS).values()
        for row in table.records()
    ]
    return Overview([row for row in agreed if row["value"] is not None], people)


def speeds(seconds: Mapping[int, Sequence[float]]) -> dict[int, dict[str, float]]:
    """The median of the seconds that each person's answers took, and the share of hasty ones: less than a third of what
    is usual."""
    everybody = [one for own in seconds.values() for one in own]
    if not everybody:
        return {}
    usual = float(np.median(everybody))
    return {
        person: {"seconds": float(np.median(own)), "hasty": float(np.mean(np.array(own) < HASTE * usual))}
        for person, own in seconds.items()
        if own
    }


def remaining(
    counts: Any, max_votes: int, settled: int, needed: int, people: Iterable[Person], given: Mapping[int, int]
) -> dict[str, Any]:
    """What is left to ask, and what it costs by what people cost; what was spent."""
    there = [(one, given.get(one.id, 0)) for one in people]
    answers = sum(n for _, n in there)
    usual = (
        sum(one.cost * n for one, n in there) / answers
        if answers
        else float(np.mean([one.cost for one, _ in there] or [1.0]))
    )
    open_ = int((counts == 0).sum())
    votes = int(np.maximum(max_votes - counts, 0).sum()) if max_votes else None
    return {
        "without a vote": open_, "settled": settled, "votes to the limit": votes, "audits": needed,
        "a vote costs": usual, "spent": float(sum(one.cost * n for one, n in there)),
        "to cover": open_ * usual, "to the limit": None if votes is None else votes * usual,
    }  # fmt: skip


def _number(value: Any) -> float | None:
    """A number that JSON can say."""
    return float(value) if value is not None and np.isfinite(value) else None
