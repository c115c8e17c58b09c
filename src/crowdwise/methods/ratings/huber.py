"""Huber: means in which what lies far off counts less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...votes.codes import Array
from ...votes.ratings import Ratings
from .median import Median
from .one_number import OneNumber, mean_of, weighted_median

TO_SD = 1.4826  # from a median distance to a standard deviation


@dataclass(frozen=True, kw_only=True)
class Huber(OneNumber):
    r"""Values t that make :math:`\sum \rho(y - t)` least, squared up to :math:`k s` and linear beyond, by weights.

    s is 1.48 times the median distance of all ratings from their items' medians, or, where most of them agree, from
    the mean distance. O(ratings), a step.

    k: where large begins, in standard deviations. max_iter: steps.

    Reference: Huber, Annals of Mathematical Statistics 35, 1964.

    >>> from crowdwise import Huber, Ratings
    >>> found = Huber().fit(Ratings.from_columns(["a"] * 5, list("vwxyz"), [1.0, 2, 3, 2, 99])).estimate.mean
    >>> bool(2.0 < found[0] < 4.0)
    True
    """

    name: ClassVar[str] = "huber"
    k: float = 1.345
    max_iter: int = 50

    def values(self, ops: Ratings, weight: Array) -> Array:
        value = Median().values(ops, weight)
        off = np.abs(ops.value - value[ops.item])
        mean = float((weight * off).sum()) / max(float(weight.sum()), 1e-300)
        spread = TO_SD * weighted_median(off, weight) or mean or 1.0
        for _ in range(self.max_iter):
            far = self.k * spread / np.maximum(np.abs(ops.value - value[ops.item]), 1e-300)
            value = mean_of(ops, weight * np.minimum(1.0, far), ops.value)
        return value
