"""Mean: the plain average of an item's ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ...fit.estimates import Values
from ...fit.method import Callback, Solution
from ...fit.params import Params
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .rating_method import RatingMethod, by_item, weight_of


@dataclass(frozen=True, kw_only=True)
class Mean(RatingMethod):
    r"""The mean of an item's ratings; its standard deviation is :math:`s / \sqrt{n_i}`.

    :math:`s` is the spread of ratings about their items' means, one for the whole crowd. O(ratings). The baseline of
    everything else. An item without ratings gets the mean of all. Where no item has ratings that differ, s is the
    spread of all ratings, and unknown (NaN) if these are all alike.

    Reference: textbook.

    >>> from crowdwise import Mean, Ratings
    >>> Mean().fit(Ratings.from_columns(["a", "a", "b"], ["x", "y", "x"], [1.0, 3.0, 5.0])).estimate.mean.tolist()
    [2.0, 5.0]
    """

    name: ClassVar[str] = "mean"

    def solve(self, ops: Ratings, known: KnownValues | None, start: Any, callback: Callback | None) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        return Solution(self.infer(ops, {}, known), {}, {})

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        weight = weight_of(ops)
        n, total = by_item(ops, weight), float(weight.sum())
        whole = float((weight * ops.value).sum()) / total if total else np.nan
        mean = np.where(n > 0.0, by_item(ops, weight * ops.value) / np.maximum(n, 1e-300), whole)
        free = max(total - np.count_nonzero(n), 1.0)
        between = float((weight * (ops.value - whole) ** 2).sum()) / max(total, 1e-300) or np.nan
        within = float((weight * (ops.value - mean[ops.item]) ** 2).sum()) / free or between
        sd = np.sqrt(np.where(n > 0.0, within / np.maximum(n, 1e-300), between))
        if known is not None:
            mean[known.item], sd[known.item] = known.value, 0.0
        return Values(mean, sd)
