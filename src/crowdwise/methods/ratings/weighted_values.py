"""WeightedValues: values and annotators' weights in turn."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...votes.codes import Array
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .one_number import OneNumber, mean_of, obeyed
from .rating_method import by_annotator, by_item, weight_of

SETTLED = 1e-9  # of the spread of all ratings
LEAST = 1e-3  # of the variance of a rating: nobody is taken to be without error


@dataclass(frozen=True, kw_only=True)
class WeightedValues(OneNumber):
    """In turn, values are weighted means and weights follow from each annotator's loss, by a method's `weights`.

    Losses have a floor, a thousandth of the variance of a rating: without one, an annotator whom the values follow is
    followed more and more.
    """

    max_iter: int = 100

    @abstractmethod
    def weights(self, loss: Array, n: Array) -> Array:
        """Weights by summed squared errors and how many ratings there were."""

    def losses(self, ops: Ratings, off: Array) -> Array:
        """What an error costs, one number per rating."""
        return off**2

    def values(self, ops: Ratings, weight: Array) -> Array:
        return mean_of(ops, weight, ops.value)

    def weigh(self, ops: Ratings, known: KnownValues | None) -> tuple[Array, bool]:
        own = weight_of(ops)
        value = obeyed(self.values(ops, own), known)
        n = by_annotator(ops, own)
        unit = float((own * self.losses(ops, ops.value - value[ops.item])).sum()) / max(float(own.sum()), 1e-300)
        floor = LEAST * (unit or 1.0) * np.maximum(n, 1e-300)
        spread = float(np.std(ops.value)) or 1.0
        worth = np.ones(ops.n_annotators)
        for _ in range(self.max_iter):
            loss = by_annotator(ops, own * self.losses(ops, ops.value - value[ops.item]))
            worth = self.weights(np.maximum(loss, floor), n)
            worth = np.where(n > 0.0, worth, 1.0)
            worth = worth / max(float(worth[n > 0.0].mean()), 1e-300)
            before, value = value, obeyed(self.values(ops, own * worth[ops.annotator]), known)
            if np.abs(value - before).max(initial=0.0) <= SETTLED * spread:
                return worth, True
        return worth, False


def item_spread(ops: Ratings, value: Array) -> Array:
    """The spread of each item's ratings, at least a thousandth of that of all."""
    weight = weight_of(ops)
    n = np.maximum(by_item(ops, weight), 1e-300)
    spread = np.sqrt(by_item(ops, weight * (ops.value - value[ops.item]) ** 2) / n)
    return np.maximum(spread, 1e-3 * (float(np.std(ops.value)) or 1.0))
