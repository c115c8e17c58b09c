"""P913: a bias and a variance for each annotator, by maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ...fit.estimates import Values
from ...fit.method import Callback, Solution, Watch
from ...fit.params import Axes, Params
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .one_number import mean_of, obeyed
from .rating_method import RatingMethod, by_annotator, by_item, weight_of

FLOOR = 1e-2  # of the variance of a rating
SETTLED = 1e-9


@dataclass(frozen=True, kw_only=True)
class P913(RatingMethod):
    r"""A rating is the item's value, the annotator's bias and noise of the annotator's variance, in turn.

    .. math:: y_{ij} = t_i + b_j + N(0, v_j), \qquad \sum_j n_j b_j = 0

    As recommended for opinion scores; no priors, so that variances have a floor. O(ratings), a step. `gaussian-em`
    is the same model with priors, and `empirical-bayes` has gains too.

    max_iter: steps.

    Reference: ITU-T P.913 (2021), section 12.6; Li, Bampis, Krasula, Janowski & Katsavounidis, 2020.

    >>> from crowdwise import P913, Ratings
    >>> ratings = Ratings.from_columns([0, 0, 1, 1, 2, 2], ["low", "high"] * 3, [1.0, 3.0, 2.0, 4.0, 6.0, 8.0])
    >>> P913().fit(ratings).params["rater_bias"].round(2).tolist()
    [-1.0, 1.0]
    """

    name: ClassVar[str] = "p913"
    params: ClassVar[Mapping[str, Axes]] = {
        "rater_bias": Axes(("annotator",), "real"),
        "rater_spread": Axes(("annotator",), "positive"),
        "whole": Axes(("one",), "real"),
    }
    max_iter: int = 200

    def solve(self, ops: Ratings, known: KnownValues | None, start: Any, callback: Callback | None) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        weight, watch = weight_of(ops), Watch(callback)
        n = np.maximum(by_annotator(ops, weight), 1e-300)
        value = obeyed(mean_of(ops, weight, ops.value), known)
        unit = float((weight * (ops.value - value[ops.item]) ** 2).sum() / weight.sum()) or 1.0
        spread = float(np.std(ops.value)) or 1.0
        settled, step = False, 0
        bias, variance = np.zeros(ops.n_annotators), np.full(ops.n_annotators, unit)
        while step < self.max_iter and not settled:
            step += 1
            bias = by_annotator(ops, weight * (ops.value - value[ops.item])) / n
            if known is None:  # what all share cannot be seen
                bias = bias - float((n * bias).sum() / n.sum())
            off = ops.value - value[ops.item] - bias[ops.annotator]
            variance = np.maximum(by_annotator(ops, weight * off**2) / n, FLOOR * unit)
            before = value
            own = weight / variance[ops.annotator]
            value = obeyed(mean_of(ops, own, ops.value - bias[ops.annotator]), known)
            settled = float(np.abs(value - before).max(initial=0.0)) <= SETTLED * spread
            if watch(step, -float((off**2).sum())):
                break
        heard = by_annotator(ops, weight) > 0.0
        params = {
            "rater_bias": np.where(heard, bias, 0.0),
            "rater_spread": np.sqrt(np.where(heard, variance, unit)),
            "whole": np.array([float((weight * ops.value).sum() / weight.sum()), spread]),
        }
        return Solution(self.infer(ops, params, known), params, {}, converged=settled)

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        precision = weight_of(ops) / params["rater_spread"][ops.annotator] ** 2
        n = by_item(ops, precision)
        whole, spread = params["whole"]
        own = by_item(ops, precision * (ops.value - params["rater_bias"][ops.annotator])) / np.maximum(n, 1e-300)
        sd = np.sqrt(np.where(n > 0.0, 1.0 / np.maximum(n, 1e-300), spread**2))
        if known is not None:
            sd[known.item] = 0.0
        return Values(obeyed(np.where(n > 0.0, own, whole), known), sd)
