"""Contested items: why each got its label, and what one more vote would be worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import bind
from ...fit.result import Result
from ...study.explain import Explanation, explain_all
from ...votes.codes import Array, find
from ...votes.crowd import Crowd
from ...votes.table import Table
from ..about import About

MOST_EXPLAINED = 1000  # votes on an item: some methods look at it once without each of them
MOST_VOTES = 12  # of an item that are told one by one, the strongest


def settled(reviewed: Table) -> Array:
    """Which items need no more votes: they are sure, and not by a single vote."""
    return np.isin(reviewed["state"].astype(str), ("easy", "open")) & (reviewed["votes"] > 1)


def section(about: About) -> list[dict[str, Any]]:
    """The items to look at first, each with how many said what, and every vote's contribution."""
    crowd, result, reviewed = about.crowd, about.result, about.reviewed
    rows = reviewed.take(np.flatnonzero(~settled(reviewed))[: about.items])
    few = crowd.subset(items=rows["item"])
    said = bind(few, "numpy").item_votes()[find(rows["item"], few.items)]
    told = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows()]
    why = _why(few, result, rows["item"])
    return [
        {**row, "text": about.texts.get(row["item"]), "said": _tally(few.classes, votes), "why": reason}
        for row, votes, reason in zip(told, said, why, strict=True)
    ]


def _tally(classes: Array, votes: Array) -> Table:
    order = np.argsort(-votes, kind="stable")[: int((votes > 0.0).sum())]
    return Table({"label": classes[order], "votes": votes[order]})


def _why(crowd: Crowd, result: Result, items: Array) -> list[dict[str, Any] | None]:
    """None where there is no other class to hold against the label, or so many votes that it would take too long."""
    votes = np.bincount(crowd.item, minlength=crowd.n_items)[find(items, crowd.items)]
    coupled = getattr(result.method, "structure", "independent") != "independent"
    told = np.flatnonzero((votes <= MOST_EXPLAINED) & (len(result.classes) > 1) & (not coupled))
    out: list[dict[str, Any] | None] = [None] * len(items)
    if told.size:
        for place, why in zip(told, explain_all(crowd, result, items[told].tolist()), strict=True):
            out[place] = _told(why)
    return out


def _told(why: Explanation) -> dict[str, Any]:
    contribution = why.votes["contribution"]
    return {
        "other": why.other,
        "unit": why.unit,
        "before": why.before,
        "total": why.total,
        "additive": why.additive,
        "votes": why.votes.take(slice(0, MOST_VOTES)),
        "further_votes": max(0, contribution.size - MOST_VOTES),
        "further": float(contribution[MOST_VOTES:].sum()),
    }
