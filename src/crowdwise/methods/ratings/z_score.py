"""ZScore: every annotator's ratings brought to the crowd's mean and spread, then averaged."""

from __future__ import annotations

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
from .mean import Mean
from .rating_method import RatingMethod, by_annotator, weight_of


@dataclass(frozen=True, kw_only=True)
class ZScore(RatingMethod):
    """Means of ratings from which each annotator's own mean and spread were taken off; then back to the crowd's scale.

    Annotators with fewer than three ratings, or who always say the same, keep the crowd's spread. O(ratings). Use it
    where everybody rates the same items, or items drawn at random: else an annotator who saw better items is taken for
    a generous one.

    Reference: van Dijk, Martens & Watson, 1995; the usual normalisation of opinion scores.

    >>> from crowdwise import Ratings, ZScore
    >>> ratings = Ratings.from_columns([0, 1, 2] * 2, ["a"] * 3 + ["b"] * 3, [1.0, 2, 3, 11, 12, 13])
    >>> ZScore().fit(ratings).estimate.mean.round(1).tolist()
    [0.8, 7.0, 13.2]
    """

    name: ClassVar[str] = "z-score"
    params: ClassVar[Mapping[str, Axes]] = {
        "own_mean": Axes(("annotator",), "real"),
        "own_spread": Axes(("annotator",), "positive"),
        "whole": Axes(("one",), "real"),
    }

    def solve(self, ops: Ratings, known: KnownValues | None, start: Any, callback: Callback | None) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        weight = weight_of(ops)
        whole = float((weight * ops.value).sum() / weight.sum())
        spread = float(np.sqrt((weight * (ops.value - whole) ** 2).sum() / weight.sum())) or 1.0
        n = by_annotator(ops, weight)
        some = np.maximum(n, 1e-300)
        mean = np.where(n > 0.0, by_annotator(ops, weight * ops.value) / some, whole)
        own = np.sqrt(by_annotator(ops, weight * (ops.value - mean[ops.annotator]) ** 2) / some)
        enough = (np.bincount(ops.annotator, minlength=ops.n_annotators) > 2) & (own > 1e-9 * spread)
        params = {
            "own_mean": mean,
            "own_spread": np.where(enough, own, spread),
            "whole": np.array([whole, spread]),
        }
        return Solution(self.infer(ops, params, known), params, {})

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        whole, spread = params["whole"]
        z = (ops.value - params["own_mean"][ops.annotator]) / params["own_spread"][ops.annotator]
        moved: Array = whole + spread * z
        return Mean().infer(ops.derive(value=moved), {}, known)
