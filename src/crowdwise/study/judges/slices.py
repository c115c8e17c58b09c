"""Means from few human labels and many judged items, slice by slice."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...fit.result import Result
from ...votes.attributes import attribute_of_items
from ...votes.codes import find, names_array
from ...votes.gold import gold_codes
from ...votes.table import Table
from ..fairness.gaps import positive_class, votes_of
from ..panels.judged_mean import judged_mean
from .crossed import crossed

LEAST = 2  # human labels of a slice


def means(
    result: Result, human: Any, *, positive: Any = None, by: Any = None, level: float = 0.9, right: bool = False
) -> Table:
    """Win rates, prevalences or accuracies: one row for all items, and one for each slice, with honest intervals.

    result: what judges say of all items; if it was told the human labels, fits that were not are asked. human: labels
    of some items, drawn at random. The mean is that of "the label is `positive`" (the last class unless told), or, with
    `right`, of "the judges' label is right". by: a column of the items, {item: value}, or one value per item. Columns:
    slice, items, human, mean, low, high, trust (how much the judges were listened to), worth (human labels alone that
    would do as well); see `judged_mean`.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(5, 2, 0.8), n_items=1000, per_item=5, seed=0)
    >>> table = means(DawidSkene().fit(made.crowd), dict(enumerate(made.truth[:100].tolist())))
    >>> bool(table["low"][0] < made.truth.mean() < table["high"][0]), bool(table["worth"][0] > 100)
    (True, True)
    """
    crowd = votes_of(result)
    code = positive_class(result.classes, positive)
    told = gold_codes(crowd, human)
    known, codes = told >= 0, np.asarray(find(result.classes, crowd.classes), np.int64)
    posterior, label = crossed(result, human)
    value = (told == (codes[label] if right else codes[code])).astype(float)
    belief = posterior[np.arange(len(label)), label] if right else posterior[:, code]
    slices = [("all", np.ones(crowd.n_items, bool))]
    if by is not None:
        groups = attribute_of_items(crowd, by)
        slices += [(str(name), groups.code == g) for g, name in enumerate(groups.names.tolist())]
    rows = []
    for name, some in slices:
        here, rest = some & known, some & ~known
        if here.sum() < LEAST or rest.sum() < LEAST:
            if name == "all":
                raise InputError(
                    f"{int(here.sum())} human labels and {int(rest.sum())} other items: two of each, at least"
                )
            rows.append((name, int(some.sum()), int(here.sum()), *[np.nan] * 5))
            continue
        found = judged_mean(value[here], belief[here], belief[rest], level=level)
        ends = (max(found.low, 0.0), min(found.high, 1.0))
        rows.append((name, int(some.sum()), int(here.sum()), found.mean, *ends, found.trust, found.worth))
    names = ("slice", "items", "human", "mean", "low", "high", "trust", "worth")
    return Table({name: names_array(list(column)) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
