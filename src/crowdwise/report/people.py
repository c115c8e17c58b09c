"""The annotators: a row each, and what a click on the row shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..annotators import over_time
from ..codes import Array, find
from ..crowd import Crowd
from ..engine import bind
from ..result import Result
from ..table import Table

MOST_ANNOTATORS = 20_000
MOST_CELLS = 200_000  # of all confusion matrices together, and of all periods
LEAST_VOTES = 0.05  # of a cell that is told


def annotators(crowd: Crowd, result: Result, found: Table, time: str) -> dict[str, Any]:
    """The table, worst first; confusion matrices as cells; votes by period. Who is told of is a row's place."""
    shown = found.take(slice(0, MOST_ANNOTATORS))
    periods = None
    if time:
        periods = over_time(crowd, result, time)
        periods = _placed(Table({**periods.columns, "annotator": find(periods["annotator"], shown["annotator"])}))
    return {
        "known": len(found),
        "table": shown,
        "classes": crowd.classes,
        "confusion": _placed(_cells(crowd, result, shown["annotator"])),
        "over_time": periods,
    }


def _cells(crowd: Crowd, result: Result, names: Array) -> Table:
    """Votes by annotator, true class and given label; annotators by their place among `names`."""
    crowd, posterior = result.on(crowd)
    counts = bind(crowd).confusion_counts(posterior)
    who, true, given = np.nonzero(counts >= LEAST_VOTES)
    place = find(crowd.annotators, names)[who]
    return Table({"annotator": place, "true": true, "given": given, "votes": counts[who, true, given]})


def _placed(cells: Table) -> Table:
    """The cells of those in the table, in its order; of each annotator the fullest, so that they are not too many."""
    cells = cells.take(cells["annotator"] >= 0)
    order = np.lexsort((-cells["votes"], cells["annotator"]))
    who = cells["annotator"][order]
    first = np.flatnonzero(np.diff(who, prepend=-1))
    rank = np.arange(who.size) - np.repeat(first, np.diff(first, append=who.size))
    return cells.take(order[rank < max(4, MOST_CELLS // max(first.size, 1))])
