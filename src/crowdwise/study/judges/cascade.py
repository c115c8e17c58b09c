"""Cascades: cheap judges first, dear ones only where those are not sure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import InputError
from ...methods import make
from ...votes.codes import shown
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.keyed import keyed_uniform
from ...votes.table import Table

SURE = (0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
FOLDS = 5


def cascade(crowd: Crowd, human: Any, cost: Mapping[Any, float], *, method: str = "gold-vote") -> Table:
    """What it costs, and how often it is right, to ask judges one after the other until their label is sure enough.

    Judges are asked from the cheapest to the dearest. Human labels of four fifths of the items teach what their votes
    are worth, and the last fifth measures, five times over. One row per confidence at which one stops, and one for
    everybody: sure, cost (of an item), judges (asked of an item), accuracy.

    >>> from crowdwise import simulate
    >>> made = simulate.crowd(simulate.one_coin(3, 2, [0.8, 0.85, 0.95]), n_items=500, graph="dense", seed=0)
    >>> table = cascade(made.crowd, dict(enumerate(made.truth.tolist())), {0: 1.0, 1: 2.0, 2: 20.0})
    >>> bool(table["cost"][0] < table["cost"][-1] == 23.0)
    True
    """
    missing = [name for name in crowd.annotators.tolist() if name not in cost]
    if missing:
        raise InputError(f"judge {shown(missing[0])} has no cost")
    price = np.array([cost[name] for name in crowd.annotators.tolist()], float)
    if not (np.isfinite(price) & (price > 0.0)).all():
        raise InputError("costs must be above 0")
    if crowd.n_votes < crowd.n_items * crowd.n_annotators:
        raise InputError("a cascade needs every judge's answer on every item, to know what it would have cost")
    stages = np.argsort(price, kind="stable")
    told = gold_codes(crowd, human)
    known = np.flatnonzero(told >= 0)
    if known.size < 2 * FOLDS:
        raise InputError(f"{known.size} human labels: at least {2 * FOLDS} are needed")
    fold = np.floor(keyed_uniform(0, crowd.item_hash) * FOLDS)
    sure = np.zeros((stages.size, known.size))
    right = np.zeros((stages.size, known.size), bool)
    for hidden in range(FOLDS):
        test = fold[known] == hidden
        gold = {crowd.items[i]: crowd.classes[told[i]] for i in known[~test].tolist()}
        if not test.any() or not gold:
            continue
        for stage in range(stages.size):
            some = np.isin(crowd.annotator, stages[: stage + 1])
            found = make(method).fit(crowd.take(some), gold=gold)
            rows = found.posterior[known[test]]
            sure[stage, test], right[stage, test] = (
                rows.max(axis=1),
                found.label_codes[known[test]] == told[known[test]],
            )
    spent = np.cumsum(price[stages])
    out = []
    for least in (*SURE, np.inf):
        stop = np.where((sure >= least).any(axis=0), (sure >= least).argmax(axis=0), stages.size - 1)
        at = np.arange(known.size)
        out.append((least, float(spent[stop].mean()), float(stop.mean() + 1), float(right[stop, at].mean())))
    names = ("sure", "cost", "judges", "accuracy")
    table = {name: np.array(column) for name, column in zip(names, zip(*out, strict=True), strict=True)}
    return Table({**table, "sure": np.where(np.isinf(table["sure"]), 1.0, table["sure"])})
