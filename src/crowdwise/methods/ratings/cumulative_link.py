"""CumulativeLink: ratings are steps of a scale, and annotators cut it where they like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...errors import InputError
from ...fit.estimates import Values
from ...fit.method import Callback, Solution, Watch
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .one_number import obeyed
from .rating_method import RatingMethod, weight_of

GRID = np.linspace(-3.5, 3.5, 29)  # where an item may lie
STEPS = 20  # of a scale: finer ones are cut into as many
LEAST = 1e-2  # variance of annotators' biases and gains
SETTLED = 1e-6
CLEAR = 1e-3  # between two thresholds


class Scale(NamedTuple):
    """Thresholds, and each annotator's shift and gain: P(rating <= k) = sigma(cut_k - shift - gain t)."""

    cut: Array
    shift: Array
    gain: Array


@dataclass(frozen=True, kw_only=True)
class CumulativeLink(RatingMethod):
    r"""Ratings have an order and no distances: an ordinal model, whose annotators shift and stretch the scale, by EM.

    .. math:: P(y_{ij} \le k) = \sigma(c_k - b_j - g_j t_i), \quad t_i \sim N(0, 1),\; b_j \sim N(0, \tau_b),\;
              g_j \sim N(\gamma, \tau_g)

    A strict annotator has b < 0, one who reverses the scale g < 0, one who does not look g = 0. An item's value is the
    rating that the usual annotator (b = 0, g = :math:`\gamma`) is expected to give it. Items lie on 29 points.
    O(ratings x 29 + annotators x steps x 29), a step. Use it for stars and grades, where most ratings are at an end of
    the scale; `empirical-bayes` takes distances at their word. A scale of more than 20 steps is cut into 20, as many
    ratings in each.

    max_iter: steps.

    Reference: McCullagh, JRSS B 42, 1980 (the cumulative link); crowdwise (annotators' shifts and gains).

    >>> from crowdwise import CumulativeLink, simulate
    >>> made = simulate.ratings(n_items=200, n_annotators=20, per_item=5, seed=0)
    >>> stars = Ratings.from_columns(made.ratings.item, made.ratings.annotator, np.round(made.ratings.value))
    >>> bool(np.corrcoef(CumulativeLink().fit(stars).estimate.mean, made.truth)[0, 1] > 0.9)
    True
    """

    name: ClassVar[str] = "cumulative-link"
    params: ClassVar[Mapping[str, Axes]] = {
        "rater_bias": Axes(("annotator",), "real"),
        "gain": Axes(("annotator",), "real"),
        "threshold": Axes(("threshold",), "real"),
        "edge": Axes(("threshold",), "real"),
        "step": Axes(("step",), "real"),
        "usual_gain": Axes(("one",), "real"),
    }
    max_iter: int = 200

    def solve(self, ops: Ratings, known: KnownValues | None, start: Any, callback: Callback | None) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        weight, watch, n = weight_of(ops), Watch(callback), ops.n_annotators
        edge = edges(ops.value, weight)
        level, size = np.searchsorted(edge, ops.value), edge.size + 1
        step_value = np.bincount(level, weight * ops.value, size) / np.maximum(np.bincount(level, weight, size), 1e-300)
        below = np.cumsum(np.bincount(level, weight, size))[:-1] / max(float(weight.sum()), 1e-300)
        cut = 1.5 * np.log(below / (1.0 - below)) if size > 1 else np.empty(0)
        scale, heard = Scale(cut, np.zeros(n), np.ones(n)), np.bincount(ops.annotator, weight, n) > 0.0
        usual, of_shift, of_gain = 1.0, 0.5, 0.25
        row, settled, number = ops.annotator.astype(np.int64) * size + level, size == 1, 0
        while not settled and number < self.max_iter:
            number += 1
            posterior = self._posterior(ops, level, scale, step_value, usual, known)
            each = [np.bincount(row, weight * column[ops.item], n * size) for column in posterior.T]
            counts = np.stack(each, axis=1).reshape(n, size, GRID.size)
            before = scale
            scale, spread = _steps(counts, scale, usual, of_shift, of_gain)
            shared = float(scale.shift[heard].mean())  # what all share is the thresholds'
            scale = Scale(scale.cut - shared, scale.shift - shared, scale.gain)
            usual = float(scale.gain[heard].mean())
            of_shift = max(float((scale.shift**2 + spread[0])[heard].mean()), LEAST)
            of_gain = max(float(((scale.gain - usual) ** 2 + spread[1])[heard].mean()), LEAST)
            moved = max(float(np.abs(new - old).max(initial=0.0)) for new, old in zip(scale, before, strict=True))
            settled = moved <= SETTLED**0.5
            if watch(number, -moved):
                break
        if usual < 0.0:  # the scale's direction is that of most annotators
            scale, usual = Scale(scale.cut, scale.shift, -scale.gain), -usual
        params = {
            "rater_bias": np.where(heard, scale.shift, 0.0), "gain": np.where(heard, scale.gain, usual),
            "threshold": scale.cut, "edge": edge, "step": step_value, "usual_gain": np.array([usual]),
        }  # fmt: skip
        return Solution(self.infer(ops, params, known), params, {}, converged=settled)

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        scale = Scale(params["threshold"], params["rater_bias"], params["gain"])
        usual = float(params["usual_gain"][0])
        level: Array = np.searchsorted(params["edge"], ops.value)
        posterior = self._posterior(ops, level, scale, params["step"], usual, known)
        told = values_of(scale.cut, params["step"], usual)
        mean = posterior @ told
        sd = np.sqrt(np.maximum(posterior @ told**2 - mean**2, 0.0))
        if known is not None:
            sd[known.item] = 0.0
        return Values(obeyed(mean, known), sd)

    def _posterior(
        self, ops: Ratings, level: Array, scale: Scale, step_value: Array, usual: float, known: KnownValues | None
    ) -> Array:
        """Where each item lies, (items, grid)."""
        log = np.log(chances(scale)).reshape(-1, GRID.size)  # (annotators x steps, grid)
        row, weight = ops.annotator.astype(np.int64) * step_value.size + level, weight_of(ops)
        own = np.stack([np.bincount(ops.item, weight * column[row], ops.n_items) for column in log.T], axis=1)
        total = own.astype(float) - 0.5 * GRID**2
        chance = np.exp(total - total.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        if known is not None:  # the point whose value is nearest to what is known
            nearest = np.abs(values_of(scale.cut, step_value, usual) - known.value[:, None]).argmin(axis=1)
            chance[known.item] = np.eye(GRID.size)[nearest]
        return np.asarray(chance)


def edges(value: Array, weight: Array) -> Array:
    """Between the steps of a scale: halfway between two ratings that were given, or as many ratings in each step.

    >>> edges(np.array([1.0, 2.0, 2.0, 4.0]), np.ones(4)).tolist()
    [1.5, 3.0]
    """
    steps, place = np.unique(value, return_inverse=True)
    if steps.size <= STEPS:
        return np.asarray((steps[1:] + steps[:-1]) / 2.0)
    until = np.cumsum(np.bincount(place, weight))
    at = np.searchsorted(until, until[-1] * np.arange(1, STEPS) / STEPS)
    at = np.unique(np.minimum(at, steps.size - 2))
    return np.asarray((steps[at] + steps[at + 1]) / 2.0)


def _below(scale: Scale) -> Array:
    """P(rating <= k) of each annotator at each point, from 0 before the first step to 1, (annotators, K + 1, grid)."""
    from scipy.special import expit

    gap = scale.cut[None, :, None] - scale.shift[:, None, None] - scale.gain[:, None, None] * GRID
    n, _, grid = gap.shape
    return np.concatenate([np.zeros((n, 1, grid)), expit(gap), np.ones((n, 1, grid))], axis=1)


def chances(scale: Scale) -> Array:
    """P(rating = k) of each annotator at each point, (annotators, steps, grid)."""
    return np.asarray(np.maximum(np.diff(_below(scale), axis=1), 1e-12))


def values_of(cut: Array, step_value: Array, usual: float) -> Array:
    """The rating that the usual annotator is expected to give at each point."""
    return np.asarray(step_value @ chances(Scale(cut, np.zeros(1), np.full(1, usual)))[0])


def _steps(counts: Array, scale: Scale, usual: float, of_shift: float, of_gain: float) -> tuple[Scale, Array]:
    """A step of Newton's for every annotator, and one for the thresholds; variances of shifts and gains."""
    below = _below(scale)
    curve = below * (1.0 - below)
    # d log P(k) / d(shift + gain t), and what it loses per unit: the logistic's.
    slope = counts * (below[:, 1:] + below[:, :-1] - 1.0)
    bend = counts * (curve[:, 1:] + curve[:, :-1])
    g, h = slope.sum(axis=1), bend.sum(axis=1)  # (annotators, grid)
    to_shift, to_gain = g.sum(axis=1) - scale.shift / of_shift, g @ GRID - (scale.gain - usual) / of_gain
    a, b, c = h.sum(axis=1) + 1.0 / of_shift, h @ GRID, h @ GRID**2 + 1.0 / of_gain
    both = a * c - b**2
    shift = scale.shift + np.clip((c * to_shift - b * to_gain) / both, -1.0, 1.0)
    gain = scale.gain + np.clip((a * to_gain - b * to_shift) / both, -1.0, 1.0)
    moved = Scale(scale.cut, shift, gain)
    return Scale(_cuts(counts, moved), shift, gain), np.stack([c / both, a / both])


def _cuts(counts: Array, scale: Scale) -> Array:
    """Thresholds after a step of Newton's, kept in order."""
    below, chance = _below(scale)[:, 1:-1], chances(scale)
    curve = below * (1.0 - below)
    own, after = counts[:, :-1] / chance[:, :-1], counts[:, 1:] / chance[:, 1:]
    slope = (curve * (own - after)).sum(axis=(0, 2))
    turn = curve * (1.0 - 2.0 * below)
    main = -(turn * (own - after)).sum(axis=(0, 2))
    main += (curve**2 * (own / chance[:, :-1] + after / chance[:, 1:])).sum(axis=(0, 2))
    side = -(curve[:, 1:] * curve[:, :-1] * counts[:, 1:-1] / chance[:, 1:-1] ** 2).sum(axis=(0, 2))
    matrix = np.diag(main + 1e-6) + np.diag(side, 1) + np.diag(side, -1)
    move = np.clip(np.linalg.solve(matrix, slope), -1.0, 1.0)
    for _ in range(20):
        cut = scale.cut + move
        if (np.diff(cut) > CLEAR).all():
            return np.asarray(cut)
        move = move / 2.0
    return scale.cut
