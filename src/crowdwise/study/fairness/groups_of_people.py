"""Groups of annotators: how often each is right, and how often it names each class, beside the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...fit.result import Result
from ...votes.attributes import attribute_of_annotators
from ...votes.table import Table
from .gaps import votes_of

DRAWS = 200


def groups_of_people(result: Result, by: Any, *, level: float = 0.9, seed: int = 0) -> Table:
    """What groups of annotators say: one row per group and measure, with an interval by drawing items anew.

    right: the share of their votes that is right by the posterior of all; names CLASS: the share of their votes that
    name it, beside what the others say on the same items (`beside`). Where who is asked decides what is true, see
    `crowdwise.perspectives`. by: a column of the annotators, such as "kind" (people and machines), {annotator: value},
    or one value for each.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(5, 2, 0.9) + simulate.spammers(5, 2)
    >>> made = simulate.crowd(people, n_items=400, per_item=6, seed=0)
    >>> table = groups_of_people(DawidSkene().fit(made.crowd), ["able"] * 5 + ["lost"] * 5)
    >>> right = table["value"][table["measure"] == "right"]
    >>> bool(right[0] > 0.85 > 0.6 > right[1])
    True
    """
    crowd = votes_of(result)
    groups = attribute_of_annotators(crowd, by)
    on, posterior = result.on(crowd)
    code = groups.code[on.annotator]
    right = posterior[on.item, on.label]
    rng, n = np.random.default_rng(seed), groups.names.size
    lots = rng.poisson(1.0, (DRAWS, on.n_items)).astype(float)
    weights = [np.ones(on.n_items), *lots]
    rows: list[tuple[Any, ...]] = []
    measures = {"right": right, **{f"names {name}": (on.label == k).astype(float)
                                   for k, name in enumerate(on.classes.tolist())}}  # fmt: skip
    for measure, value in measures.items():
        drawn = np.array([_shares(value, code, weight[on.item], n) for weight in weights])
        beside = [_beside(value, code == g, on.item, on.n_items) for g in range(n)]
        drawn[1:] = np.where(np.isnan(drawn[1:]), drawn[0], drawn[1:])
        low, high = np.quantile(drawn[1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
        for g, name in enumerate(groups.names.tolist()):
            rows.append((str(name), measure, int((code == g).sum()), drawn[0, g], low[g], high[g], beside[g]))
    names = ("group", "measure", "votes", "value", "low", "high", "beside")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _shares(value: Any, code: Any, weight: Any, n: int) -> Any:
    there = code >= 0
    total = np.bincount(code[there], weight[there], n)
    sums = np.bincount(code[there], (weight * value)[there], n)
    return np.where(total > 0.0, sums / np.where(total > 0.0, total, 1.0), np.nan)


def _beside(value: Any, own: Any, item: Any, n_items: int) -> float:
    """The mean of the others' votes on the items of some votes."""
    n = np.bincount(item[~own], minlength=n_items)
    mean = np.bincount(item[~own], value[~own], n_items) / np.maximum(n, 1)
    there = n[item[own]] > 0
    return float(mean[item[own]][there].mean()) if there.any() else float("nan")
