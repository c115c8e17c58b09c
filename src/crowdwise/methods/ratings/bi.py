"""BI: belief propagation between items and annotators, variances on a grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ...fit.estimates import Values
from ...fit.method import Callback, Solution, Watch
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .one_number import mean_of, obeyed
from .rating_method import RatingMethod, by_item, weight_of

GRID = 2.0 ** np.arange(-4, 4)  # times the variance of a rating about its item's mean
DAMPED = 0.5
SETTLED = 1e-6


@dataclass(frozen=True, kw_only=True)
class BI(RatingMethod):
    r"""Bayesian iteration: an annotator's variance is one of eight; messages leave out what they answer.

    With :math:`m, u` the mean and variance of item i without annotator j, and :math:`\sigma_s^2` the grid,

    .. math:: q_{j \to i}(s) \propto \prod_{k \ne i} N(y_{kj};\, m_{k \to j},\, u_{k \to j} + \sigma_s^2)

    and the precision of a rating is its mean of :math:`1 / \sigma_s^2`. O(ratings x 8), a round.

    max_iter: rounds.

    Reference: Ok, Oh, Shin, Jang & Yi, NeurIPS 2019 (iterative Bayesian estimation of crowdsourced regression).

    >>> from crowdwise import BI, Ratings
    >>> ratings = Ratings.from_columns([0, 0, 0, 1, 1, 1], list("abcabc"), [1.0, 1.1, 5.0, 2.0, 2.1, -9.0])
    >>> BI().fit(ratings).params["rater_spread"].argmax()
    np.int64(2)
    """

    name: ClassVar[str] = "bi"
    params: ClassVar[Mapping[str, Axes]] = {
        "rater_spread": Axes(("annotator",), "positive"),
        "whole": Axes(("one",), "real"),
    }
    exempt: ClassVar[Mapping[str, str]] = {
        "A weight of 2 equals two votes": "a message leaves out the vote that it answers, and a vote of weight 2 whole"
    }
    max_iter: int = 60

    def solve(self, ops: Ratings, known: KnownValues | None, start: Any, callback: Callback | None) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        weight, watch = weight_of(ops), Watch(callback)
        value = mean_of(ops, weight, ops.value)
        unit = float((weight * (ops.value - value[ops.item]) ** 2).sum() / weight.sum()) or 1.0
        whole = np.array([value.mean(), max(float(value.var()), 1e-9 * unit)])
        grid, precision = unit * GRID, np.full(ops.n_votes, 1.0 / unit)
        total, settled, step = np.zeros((ops.n_annotators, grid.size)), False, 0
        while step < self.max_iter and not settled:
            step += 1
            mean, variance = self._without(ops, whole, weight, precision, known)
            own = weight[:, None] * _log_normal(ops.value - mean, variance, grid)  # (ratings, grid)
            total = np.stack([np.bincount(ops.annotator, column, ops.n_annotators) for column in own.T], axis=1)
            before = precision
            precision = DAMPED * precision + (1.0 - DAMPED) * _mean_precision(total[ops.annotator] - own, grid)
            settled = float(np.abs(precision - before).max(initial=0.0)) <= SETTLED / unit
            if watch(step, float(own.sum())):
                break
        params = {"rater_spread": _mean_precision(total, grid) ** -0.5, "whole": whole}
        return Solution(self.infer(ops, params, known), params, {}, converged=settled)

    def _without(
        self, ops: Ratings, whole: Array, weight: Array, precision: Array, known: KnownValues | None
    ) -> tuple[Array, Array]:
        """Mean and variance of each rating's item by the other ratings of it."""
        own = weight * precision
        left = np.maximum(1.0 / whole[1] + by_item(ops, own)[ops.item] - own, 1e-300)
        mean = (whole[0] / whole[1] + by_item(ops, own * ops.value)[ops.item] - own * ops.value) / left
        variance = 1.0 / left
        if known is not None:
            told = np.full(ops.n_items, np.nan)
            told[known.item] = known.value
            sure = np.isfinite(told[ops.item])
            mean, variance = np.where(sure, told[ops.item], mean), np.where(sure, 0.0, variance)
        return mean, variance

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        own, (whole, spread) = weight_of(ops) / params["rater_spread"][ops.annotator] ** 2, params["whole"]
        precision = 1.0 / spread + by_item(ops, own)
        sd = precision**-0.5
        if known is not None:
            sd[known.item] = 0.0
        return Values(obeyed((whole / spread + by_item(ops, own * ops.value)) / precision, known), sd)


def _log_normal(off: Array, variance: Array, grid: Array) -> Array:
    """Log densities of errors under each variance of the grid, but for a constant, (ratings, grid)."""
    both = variance[:, None] + grid
    return np.asarray(-0.5 * (np.log(both) + off[:, None] ** 2 / both))


def _mean_precision(log: Array, grid: Array) -> Array:
    chance = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray((chance / chance.sum(axis=1, keepdims=True)) @ (1.0 / grid))
