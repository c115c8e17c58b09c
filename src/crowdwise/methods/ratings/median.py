"""Median: the rating in the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...votes.codes import Array
from ...votes.ratings import Ratings
from .one_number import OneNumber, sorted_by_item


@dataclass(frozen=True, kw_only=True)
class Median(OneNumber):
    """The rating at which half of an item's weight is reached; between two, their mean. O(ratings log ratings).

    Use it where a few wild answers are all that is wrong; it wastes a third of what careful annotators say.

    Reference: textbook.

    >>> from crowdwise import Median, Ratings
    >>> Median().fit(Ratings.from_columns(["a"] * 4, list("wxyz"), [1.0, 2.0, 4.0, 99.0])).estimate.mean.tolist()
    [3.0]
    """

    name: ClassVar[str] = "median"

    def values(self, ops: Ratings, weight: Array) -> Array:
        item, value, begin, end = sorted_by_item(ops, weight)
        low, high = np.full(ops.n_items, np.inf), np.full(ops.n_items, -np.inf)
        reached, left = end >= 0.5 - 1e-9, begin <= 0.5 + 1e-9
        np.minimum.at(low, item[reached], value[reached])
        np.maximum.at(high, item[left], value[left])
        return np.where(np.isfinite(low), (low + np.where(np.isfinite(high), high, low)) / 2.0, 0.0)
