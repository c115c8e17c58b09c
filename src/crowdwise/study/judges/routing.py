"""Routing: which items a person should see, by what an error costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError, OptionError
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.gold import gold_codes
from ...votes.table import Table
from ..fairness.gaps import votes_of
from .crossed import crossed

LEAST = 10
RIDGE = 1.0


def route(result: Result, human: Any, *, cost_human: float = 1.0, cost_error: float = 10.0) -> Table:
    """Which items a person should see: one row per item, the most worth asking first.

    A model's own confidence is no chance. It is brought to one by the human labels of some items (a logistic curve of
    its log-odds, drawn to itself), and a person is asked where the chance of an error costs more than the person does:
    `chance < 1 - cost_human / cost_error`. Where the result was told these labels, fits that were not told them say how
    sure it would have been. Columns: item, label, chance, ask, gain (cost that is saved by asking).
    Items with a human label are left out.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(5, 2, 0.7), n_items=400, per_item=3, seed=0)
    >>> table = route(DawidSkene().fit(made.crowd), dict(enumerate(made.truth[:100].tolist())), cost_error=5.0)
    >>> len(table), bool(table["ask"][0]), bool(table["chance"][0] < 0.8)
    (300, True, True)
    """
    if not (cost_human > 0.0 and cost_error > cost_human):
        raise OptionError(f"cost_human={cost_human} must be above 0, and cost_error={cost_error} above it")
    crowd = votes_of(result)
    posterior, label = crossed(result, human)
    sure = np.clip(posterior[np.arange(len(label)), label], 1e-6, 1.0 - 1e-6)
    told = gold_codes(crowd.with_classes(result.classes), human)
    known = told >= 0
    if known.sum() < LEAST:
        raise InputError(f"{int(known.sum())} human labels: {LEAST} are needed to know what a confidence is worth")
    odds = np.log(sure / (1.0 - sure))
    chance = _curve(odds[known], told[known] == label[known])(odds)
    gain = (1.0 - chance) * cost_error - cost_human
    order = np.argsort(-gain, kind="stable")
    order = order[~known[order]]
    columns = {"item": crowd.items, "label": result.classes[label], "chance": chance, "ask": gain > 0.0, "gain": gain}
    return Table(columns).take(order)


def _curve(odds: Array, right: Array) -> Any:
    """The chance to be right by log-odds: sigmoid(a + b x), drawn to a = 0 and b = 1."""
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    sign = np.where(right, 1.0, -1.0)

    def loss(at: Array) -> float:
        fit = log_expit(sign * (at[0] + at[1] * odds)).sum()
        return float(-fit + 0.5 * (RIDGE * at[0] ** 2 + RIDGE * (at[1] - 1.0) ** 2))

    a, b = minimize(loss, np.array([0.0, 1.0])).x
    return lambda x: expit(a + max(b, 0.0) * x)
