"""The annotators: a row each, and what a click on the row shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import bind
from ...fit.result import Result
from ...study.annotators import over_time
from ...votes.codes import Array, find
from ...votes.crowd import Crowd
from ...votes.table import Table
from ..about import About

MOST_ANNOTATORS = 20_000
MOST_CELLS = 200_000  # of all confusion matrices together, and of all periods
MOST_PERIODS = 24
LEAST_VOTES = 0.05  # of a cell that is told


def section(about: About) -> dict[str, Any]:
    """The table, worst first; confusion matrices as cells; votes by period. Who is told of is a row's place."""
    crowd, result, found, time = about.crowd, about.result, about.judged, about.time
    shown = found.take(slice(0, MOST_ANNOTATORS))
    return {
        "known": len(found),
        "table": shown,
        "classes": crowd.classes,
        "confusion": _cells(crowd, result, shown["annotator"]),
        "over_time": _periods(crowd, result, shown["annotator"], time) if time else None,
    }


def drawn_above(about: About) -> None:
    """A section of the page that draws what another one holds."""


def _cells(crowd: Crowd, result: Result, names: Array) -> Table:
    """Votes by annotator, true class and given label, of how many on that class; of each annotator the fullest."""
    crowd, posterior = result.on(crowd)
    counts = bind(crowd).confusion_counts(posterior)
    who, true, given = np.nonzero(counts >= LEAST_VOTES)
    place, votes = find(crowd.annotators, names)[who], counts[who, true, given]
    order = np.lexsort((-votes, place))[np.count_nonzero(place < 0) :]
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    rank = np.arange(order.size) - np.repeat(first, np.diff(first, append=order.size))
    kept = order[rank < max(4, MOST_CELLS // max(first.size, 1))]
    of = counts.sum(axis=2)[who[kept], true[kept]]
    return Table({"place": place[kept], "true": true[kept], "given": given[kept], "votes": votes[kept], "of": of})


def _periods(crowd: Crowd, result: Result, names: Array, time: str) -> dict[str, Any]:
    """Votes by annotator and period: fewer periods where annotators are many."""
    periods = int(np.clip(MOST_CELLS // max(names.size, 1), 4, MOST_PERIODS))
    told = over_time(crowd, result, time, periods=periods)
    place, begins = find(told["annotator"], names), np.sort(told["begins"])
    cells = Table({"place": place, **{name: told[name] for name in ("period", "begins", "votes", "accuracy")}})
    cells = cells.take(np.lexsort((told["period"], place))[np.count_nonzero(place < 0) :])
    ends = {"first": begins[:1], "last": begins[-1:]}
    return {"cells": cells, "periods": int(told["period"].max(initial=0)) + 1, **ends}
