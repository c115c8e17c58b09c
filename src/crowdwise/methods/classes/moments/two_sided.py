"""TwoSided: methods for two classes, a weight for each annotator; more classes as several two-class problems."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ....engine import NumpyEngine
from ....errors import InputError, TooLarge
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.crowd import Crowd
from ....votes.keyed import keyed_uniform
from ....votes.known import Known
from ....votes.ties import TOLERANCE

MOST_PROBLEMS = 1000
SMALL = 200  # annotators up to whom an eigenvector is found densely
NOISE = 1e-9  # of the largest weight: what rounding makes of nothing


class Weights(NamedTuple):
    """What a vote of each annotator counts, (annotators,), NaN where unknown; negative turns it around.

    lean: what counts for "yes" because the annotator voted at all; bias: before any vote.
    """

    weight: Array
    lean: Array | float = 0.0
    bias: float = 0.0
    settled: bool = True


@dataclass(frozen=True, kw_only=True)
class TwoSided(Aggregator):
    r"""Votes of "yes" and "no", :math:`f_{ij} = \pm 1`, weighted: the sign of :math:`b + \sum_j w_j f_{ij}`.

    A method says `weigh`. problems: with more than two classes, "one-vs-rest" asks for each class whether it is that
    one; "thresholds", for ordered classes as in the published tables, asks for each whether it is above, and takes the
    first that is not. The posterior is the weighted share of votes, one of negative weight counting for the other side:
    it ranks items, and is no probability. An annotator about whom nothing is known weighs as much as the others on
    average. Gold is obeyed, and tells nothing about annotators.
    """

    params: ClassVar[Mapping[str, Axes]] = {
        "side_weight": Axes(("problem", "annotator"), "real"),
        "side_lean": Axes(("problem", "annotator"), "real"),
        "side_bias": Axes(("problem",), "real"),
    }
    problems: Literal["one-vs-rest", "thresholds"] = "one-vs-rest"

    @abstractmethod
    def weigh(self, ops: NumpyEngine, sign: Array) -> Weights:
        """Weights of the annotators for one problem; sign: (votes,), 1 for yes and -1 for no."""

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        if self._n_problems(ops) > MOST_PROBLEMS:
            raise TooLarge(
                f"{self.name} would need {self._n_problems(ops):,} fits, one for each class: merge classes, to "
                f"{MOST_PROBLEMS:,} at most"
            )
        found = [self.weigh(ops, self._sign(ops, problem)) for problem in range(self._n_problems(ops))]
        met, shape = _met_somebody(ops), (len(found), ops.n_annotators)
        params = {
            "side_weight": np.array([_known(each.weight, met) for each in found]).reshape(shape),
            "side_lean": np.array([np.nan_to_num(each.lean + 0.0 * each.weight) for each in found]).reshape(shape),
            "side_bias": np.array([each.bias for each in found]),
        }
        settled = all(each.settled for each in found)
        return Solution(self.infer(ops, params, known), params, {}, converged=settled)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        n_classes = ops.n_classes
        yes = np.full((ops.n_items, max(len(params["side_bias"]), 1)), 0.5)
        for problem, bias in enumerate(params["side_bias"]):
            weight, lean = (params[name][problem][ops.annotator] for name in ("side_weight", "side_lean"))
            for_yes = bias + ops.item_votes(weight * self._sign(ops, problem) + lean).sum(axis=1)
            total = ops.item_votes(np.abs(weight) + np.abs(lean)).sum(axis=1)
            voted = total > 0.0  # without votes an item stays open, whatever is usual
            yes[voted, problem] += 0.5 * for_yes[voted] / (total[voted] + abs(bias))
        if n_classes <= 2:
            posterior = np.concatenate([1.0 - yes, yes], axis=1) if n_classes == 2 else np.ones((ops.n_items, 1))
        elif self.problems == "thresholds":
            above = np.minimum.accumulate(np.pad(yes, ((0, 0), (1, 0)), constant_values=1.0), axis=1)
            posterior = above - np.pad(above[:, 1:], ((0, 0), (0, 1)))
        else:
            posterior = yes + 1e-9
            posterior /= posterior.sum(axis=1, keepdims=True)
        return posterior if known is None else known.obeyed(posterior)

    def scores(self, ops: NumpyEngine, params: Params) -> Array | None:
        """Of two classes; of more, the votes of several problems do not add up."""
        if ops.n_classes != 2:
            return None
        weight, lean = (params[name][0][ops.annotator] for name in ("side_weight", "side_lean"))
        for_yes = ops.item_votes(weight * self._sign(ops, 0) + lean).sum(axis=1, keepdims=True)
        return np.concatenate([-for_yes / 2.0, for_yes / 2.0], axis=1)

    def class_scores(self, params: Params) -> Array:
        return params["side_bias"][0] * np.array([-0.5, 0.5])

    def decide(self, posterior: Array, votes: Crowd) -> Array:
        if self.problems == "one-vs-rest" or posterior.shape[1] == 2:
            return super().decide(posterior, votes)
        return np.asarray((np.cumsum(posterior, axis=1) >= 0.5 - TOLERANCE).argmax(axis=1))

    def _n_problems(self, ops: NumpyEngine) -> int:
        return ops.n_classes if self.problems == "one-vs-rest" and ops.n_classes > 2 else ops.n_classes - 1

    def _sign(self, ops: NumpyEngine, problem: int) -> Array:
        yes = ops.label == problem if self._n_problems(ops) == ops.n_classes else ops.label > problem
        return np.where(yes, 1.0, -1.0)


def _met_somebody(ops: NumpyEngine) -> Array:
    """Which annotators share an item with another one."""
    last, first = np.zeros(ops.n_items, np.int64), np.full(ops.n_items, ops.n_annotators)
    np.maximum.at(last, ops.item, ops.annotator)
    np.minimum.at(first, ops.item, ops.annotator)
    return np.bincount(ops.annotator, (first < last)[ops.item], ops.n_annotators) > 0.0


def _known(weight: Array, met: Array) -> Array:
    """Weights with the unknown ones as the mean of the others, or all equal where nothing is known."""
    size = np.abs(np.where(np.isfinite(weight) & met, weight, 0.0))
    some = size > max(NOISE * size.max(initial=0.0), 1e-12)
    if not some.any():
        return np.ones(weight.size)
    return np.where(some, weight, max(float(weight[some].mean()), 0.0))


def answers(ops: NumpyEngine, value: Array) -> Any:
    """Values a vote as a sparse matrix (items, annotators), by weight."""
    from scipy.sparse import csr_array

    weight = value if ops.weight is None else value * ops.weight
    where = (ops.item.astype(np.int64), ops.annotator.astype(np.int64))
    return csr_array((weight, where), shape=(ops.n_items, ops.n_annotators))


def leading(matrix: Any) -> Array:
    """The eigenvector of the largest eigenvalue of a symmetric matrix or operator; zeros where that is all zero."""
    from scipy.sparse.linalg import eigsh

    n = matrix.shape[0]
    if n <= SMALL:
        dense = np.asarray(matrix @ np.eye(n))
        return np.asarray(np.linalg.eigh(dense)[1][:, -1]) if dense.any() else np.zeros(n)
    start = 0.5 + keyed_uniform(0, np.arange(n))  # not even: that may be in the null space
    if not np.asarray(matrix @ start).any():
        return np.zeros(n)
    return np.asarray(eigsh(matrix, k=1, which="LA", v0=start)[1][:, 0])
