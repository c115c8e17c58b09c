"""Parity: labels that name a class equally often in all groups, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import OptionError
from ...fit.result import Result
from ...votes.attributes import attribute_of_items
from ...votes.codes import Array
from ...votes.table import Table
from .gaps import each_group, positive_class, votes_of


@dataclass(frozen=True, eq=False)
class Parity:
    """Labels at one rate in all groups. labels: item, group, label, changed. thresholds: group, threshold, items.

    rate: the share that is named in each group. accuracy, before: the expected accuracy of these labels and of those
    that were given; price: the difference, in points of a share, if the model is right.
    """

    labels: Table
    thresholds: Table
    rate: float
    before: float
    accuracy: float

    @property
    def price(self) -> float:
        """Expected accuracy that parity costs."""
        return self.before - self.accuracy

    def __str__(self) -> str:
        changed = int(self.labels["changed"].sum())
        return (
            f"every group is named at a rate of {self.rate:.1%}: {changed:,} labels change, and expected accuracy goes "
            f"from {self.before:.3f} to {self.accuracy:.3f}, a price of {self.price:.3f}, if the model is right"
        )


def parity(result: Result, by: Any, *, positive: Any = None, rate: float | None = None) -> Parity:
    """Labels with the same share of `positive` in all groups of items: a threshold for each group.

    The common rate is the one under which the fewest errors are expected, unless it is told. Two classes; of more, it
    is `positive` (the last unless told) against the rest, of which the likeliest is named. Items of no group keep their
    labels. The price is always there: `print(found)` says it.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(9, 2, 0.8), n_items=1000, per_item=5, seed=0)
    >>> found = parity(DawidSkene().fit(made.crowd), np.where(made.truth, "x", "y"))
    >>> shares = [found.labels["label"][found.labels["group"] == group].mean() for group in ("x", "y")]
    >>> bool(abs(shares[0] - shares[1]) < 0.01), found.price > 0.1
    (True, True)
    """
    if rate is not None and not 0.0 <= rate <= 1.0:
        raise OptionError(f"rate={rate} must lie between 0 and 1")
    crowd = votes_of(result)
    groups, code = attribute_of_items(crowd, by), positive_class(result.classes, positive)
    on, posterior = result.on(crowd)
    given = result.labels_on(on, posterior)
    chance = posterior[:, code]
    others = posterior.copy()
    others[:, code] = -1.0
    instead = others.argmax(axis=1)
    gain = chance - posterior[np.arange(len(chance)), instead]  # of naming it, in expected right labels
    if rate is None:
        steps = np.linspace(0.0, 1.0, 1001)
        rate = float(steps[np.sum([_worth(gain[some], steps) for _, some in each_group(groups)], axis=0).argmax()])
    label = given.copy()
    rows = []
    for name, some in each_group(groups):
        items = np.flatnonzero(some)
        order = items[np.argsort(-gain[items], kind="stable")]
        n = round(rate * order.size)
        label[order[:n]], label[order[n:]] = code, instead[order[n:]]
        rows.append((name, float(chance[order[n - 1]]) if n else 1.0, order.size))
    rows_of = np.arange(len(chance))
    named = np.append(groups.names, "")[groups.code]
    columns = {"item": on.items, "group": named, "label": result.classes[label], "changed": label != given}
    names, thresholds, sizes = (np.array(column) for column in zip(*rows, strict=True))
    return Parity(
        Table(columns),
        Table({"group": names, "threshold": thresholds, "items": sizes}),
        rate,
        float(posterior[rows_of, given].mean()),
        float(posterior[rows_of, label].mean()),
    )


def _worth(gain: Array, rates: Array) -> Array:
    """Expected right labels of a group, beyond naming nobody, when the surest are named at each rate."""
    total = np.concatenate([[0.0], np.cumsum(np.sort(gain)[::-1])])
    return np.asarray(total[np.round(rates * gain.size).astype(np.int64)])
