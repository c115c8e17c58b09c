"""TrimmedMean: the mean of an item's ratings without the lowest and the highest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.options import BelowOne
from ...votes.codes import Array
from ...votes.ratings import Ratings
from .one_number import OneNumber, sorted_by_item


@dataclass(frozen=True, kw_only=True)
class TrimmedMean(OneNumber):
    """The mean of what lies, by weight, between the first and the last `trim` of an item's ratings.

    O(ratings log ratings). trim: the share that is left out at either end, below one half.

    Reference: textbook.

    >>> from crowdwise import Ratings, TrimmedMean
    >>> TrimmedMean().fit(Ratings.from_columns(["a"] * 5, list("vwxyz"), [0.0, 2, 3, 4, 99])).estimate.mean.tolist()
    [3.0]
    """

    name: ClassVar[str] = "trimmed-mean"
    trim: BelowOne = 0.2

    def values(self, ops: Ratings, weight: Array) -> Array:
        item, value, begin, end = sorted_by_item(ops, weight)
        cut = min(self.trim, 0.499)
        kept = np.maximum(np.minimum(end, 1.0 - cut) - np.maximum(begin, cut), 0.0)
        return np.bincount(item, kept * value, ops.n_items) / np.maximum(np.bincount(item, kept, ops.n_items), 1e-300)
