"""OneNumber: methods that find the items' values by themselves, and keep nothing of the annotators for later."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ...fit.estimates import Values
from ...fit.method import Callback, Solution
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .rating_method import RatingMethod, by_item, weight_of


@dataclass(frozen=True, kw_only=True)
class OneNumber(RatingMethod):
    """A method says `weigh` (what an annotator's rating counts, from all ratings) and `values`.

    The standard deviation of a value is that of a rating about its value, by weight, over the root of how many ratings
    there are; it knows nothing of how hard an item is.
    """

    params: ClassVar[Mapping[str, Axes]] = {"worth": Axes(("annotator",), "positive")}

    def weigh(self, ops: Ratings, known: KnownValues | None) -> tuple[Array, bool]:
        """How much a rating of each annotator counts, and whether that settled."""
        return np.ones(ops.n_annotators), True

    @abstractmethod
    def values(self, ops: Ratings, weight: Array) -> Array:
        """A value for each item from ratings that count so much; any number where an item has none."""

    def solve(self, ops: Ratings, known: KnownValues | None, start: Any, callback: Callback | None) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        worth, settled = self.weigh(ops, known)
        params = {"worth": worth}
        return Solution(self.infer(ops, params, known), params, {}, converged=settled)

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        weight = weight_of(ops) * params["worth"][ops.annotator]
        n = by_item(ops, weight)
        mean = obeyed(filled(ops, self.values(ops, weight), n), known)
        total = float(weight.sum())
        whole = float((weight * ops.value).sum()) / max(total, 1e-300)
        between = float((weight * (ops.value - whole) ** 2).sum()) / max(total, 1e-300) or np.nan
        free = total * (1.0 - np.count_nonzero(n) / max(ops.n_votes, 1)) or total
        within = float((weight * (ops.value - mean[ops.item]) ** 2).sum()) / max(free, 1e-300) or between
        usual = total / max(float(weight_of(ops).sum()), 1e-300)
        sd = np.sqrt(np.where(n > 0.0, within * usual / np.maximum(n, 1e-300), between))
        if known is not None:
            sd[known.item] = 0.0
        return Values(mean, sd)


def mean_of(ops: Ratings, weight: Array, value: Array) -> Array:
    """Weighted means of numbers of ratings, by item; the mean of all where there are none."""
    n = by_item(ops, weight)
    return filled(ops, by_item(ops, weight * value) / np.maximum(n, 1e-300), n)


def filled(ops: Ratings, value: Array, n: Array) -> Array:
    """Values, and for items without ratings the mean of all ratings."""
    weight = weight_of(ops)
    return np.where(n > 0.0, value, float((weight * ops.value).sum()) / max(float(weight.sum()), 1e-300))


def obeyed(value: Array, known: KnownValues | None) -> Array:
    """Values that agree with what is known."""
    if known is not None:
        value = value.copy()
        value[known.item] = known.value
    return value


def sorted_by_item(ops: Ratings, weight: Array) -> tuple[Array, Array, Array, Array]:
    """Ratings by item and then by value: items, values, and which shares of an item's weight they span."""
    order = np.lexsort((ops.value, ops.item))
    item, value, own = ops.item[order].astype(np.int64), ops.value[order], weight[order]
    until = np.cumsum(own)
    total = np.bincount(item, own, ops.n_items)
    until = until - np.concatenate([[0.0], np.cumsum(total)[:-1]])[item]
    whole = np.maximum(total[item], 1e-300)
    return item, value, (until - own) / whole, until / whole


def weighted_median(value: Array, weight: Array) -> float:
    """The value at which half of the weight is reached.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 5.0]))
    2.0
    """
    order = np.argsort(value, kind="stable")
    until = np.cumsum(weight[order])
    return float(value[order][min(int(np.searchsorted(until, until[-1] / 2.0)), value.size - 1)])
