"""CRHValues: weights that are the logarithm of an annotator's share of all losses, for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...votes.codes import Array
from ...votes.ratings import Ratings
from .one_number import mean_of
from .rating_method import weight_of
from .weighted_values import WeightedValues, item_spread


@dataclass(frozen=True, kw_only=True)
class CRHValues(WeightedValues):
    r"""Conflict resolution for continuous data: :math:`w_j = -\log(e_j / \sum_m e_m)`, e the mean normalised loss.

    The loss of a rating is its squared error over the spread of its item's ratings. O(ratings), a step.

    max_iter: steps.

    Reference: Li, Li, Gao, Zhao, Fan & Han, SIGMOD 2014, section 2.4.

    >>> from crowdwise import CRHValues, Ratings
    >>> ratings = Ratings.from_columns([0, 0, 0, 1, 1, 1], list("abcabc"), [1.0, 1.1, 5.0, 2.0, 2.1, -9.0])
    >>> CRHValues().fit(ratings).params["worth"].argmin()
    np.int64(2)
    """

    name: ClassVar[str] = "crh-values"

    def losses(self, ops: Ratings, off: Array) -> Array:
        spread = item_spread(ops, mean_of(ops, weight_of(ops), ops.value))
        return off**2 / spread[ops.item]

    def weights(self, loss: Array, n: Array) -> Array:
        rate = np.where(n > 0.0, loss / np.maximum(n, 1e-300), 0.0)
        return np.maximum(-np.log(np.maximum(rate, 1e-12 * rate.sum()) / max(float(rate.sum()), 1e-300)), 1e-6)
