"""Contested items: why each got its label, and what one more vote would be worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..crowd import Crowd
from ..explain import explain
from ..result import Result
from ..table import Table

MOST_VOTES = 12  # of an item that are told one by one, the strongest
SETTLED = ("easy", "open")  # states of items that are sure


def contested(crowd: Crowd, result: Result, reviewed: Table, most: int) -> list[dict[str, Any]]:
    """The items to look at first, each with every vote's contribution."""
    rows = reviewed.take(np.flatnonzero(~np.isin(reviewed["state"].astype(str), SETTLED))[:most])
    few = crowd.subset(items=rows["item"])
    told = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows()]
    return [{**row, "why": _why(few, result, row["item"])} for row in told]


def _why(crowd: Crowd, result: Result, item: Any) -> dict[str, Any] | None:
    """None where there is no other class that the label could be held against."""
    if len(result.classes) == 1:
        return None
    why = explain(crowd, result, item)
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
