"""BWA: votes averaged with a precision for each annotator and class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.em import vote_shares
from ....fit.method import Callback, Solution
from ....fit.options import AnyNumber
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known


@dataclass(frozen=True, kw_only=True)
class BWA(Aggregator):
    r"""Bayesian weighted average: each class against the rest, votes as Gaussian measurements of 0 or 1.

    Item :math:`i` has a degree :math:`z_{ik} \sim N(\mu_k, 1 / \lambda)` of class :math:`k`, a vote is
    :math:`1[l_{ij} = k] \sim N(z_{ik}, 1 / v_{jk})`, and precisions have a Gamma prior worth a votes with a mean of
    :math:`4 (1 - 1/K)`. Degrees and precisions in turn, each the best for the other:

    .. math::
        z_{ik} = \frac{\lambda \mu_k + \sum_j v_{jk} 1[l_{ij} = k]}{\lambda + \sum_j v_{jk}}, \qquad
        v_{jk} = \frac{a + n_j}{b + \sum_i (1[l_{ij} = k] - z_{ik})^2}

    The posterior is z, made to sum to one; the trace is the log density of all. O(votes + (items + annotators) x
    classes) a step. Use it where items have many votes; it is a careful weighted vote, not a model of confusions.

    pseudo_votes: a. item_precision: lambda. max_iter, tol: as in EM.

    Reference: Li, Rubinstein & Cohn, WWW 2019, section 4 (degrees and precisions by their modes).

    >>> from crowdwise import BWA, simulate
    >>> people = simulate.one_coin(8, 3, 0.8) + simulate.spammers(4, 3)
    >>> made = simulate.crowd(people, n_items=200, per_item=8, seed=0)
    >>> precision = BWA().fit(made.crowd).params["precision"].mean(axis=1)
    >>> bool(precision[:8].min() > precision[8:].max())
    True
    """

    name: ClassVar[str] = "bwa"
    params: ClassVar[Mapping[str, Axes]] = {
        "precision": Axes(("annotator", "given"), "positive"),
        "degree": Axes(("given",), "real"),
    }
    pseudo_votes: float = 15.0
    item_precision: float = 1.0
    max_iter: int = 500
    tol: AnyNumber = 1e-7

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        degree = self._obeying(vote_shares(ops), known)
        trace: list[float] = []
        params: Params = {}
        converged = False
        while len(trace) < self.max_iter and not converged:
            params, objective = self._weigh(ops, degree)
            degree = self._obeying(self._degrees(ops, params), known)
            converged = bool(trace) and objective - trace[-1] <= self.tol * abs(objective)
            trace.append(objective)
            if callback is not None and callback(len(trace), objective):
                break
        return Solution(self.infer(ops, params, known), params, {}, tuple(trace), converged)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        degree = self._obeying(self._degrees(ops, params), known)
        return degree / degree.sum(axis=1, keepdims=True)

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_votes(params["precision"][ops.annotator, ops.label])

    def _weigh(self, ops: NumpyEngine, degree: Array) -> tuple[Params, float]:
        """The best precisions and class means for these degrees, and the log density there."""
        square = ops.annotator_votes((1.0 - 2.0 * degree)[ops.item, ops.label]) + ops.annotator_sums(degree**2)
        votes = self.pseudo_votes + ops.given.sum(axis=1, keepdims=True)
        residual = self.pseudo_votes / (4.0 * (1.0 - 1.0 / max(ops.n_classes, 2))) + np.maximum(square, 0.0)
        precision, mean = votes / residual, degree.mean(axis=0)
        spread = self.item_precision * float(((degree - mean) ** 2).sum())
        log_density = 0.5 * float((votes * np.log(precision) - votes).sum()) - spread / 2.0
        return {"precision": precision, "degree": mean}, log_density

    def _degrees(self, ops: NumpyEngine, params: Params) -> Array:
        given = self.item_precision * params["degree"] + self.scores(ops, params)
        return given / (self.item_precision + ops.item_sums(params["precision"]))

    def _obeying(self, degree: Array, known: Known | None) -> Array:
        """Degrees as they are, but where something is known of an item's class."""
        if known is None:
            return degree
        return known.some(np.ptp(known.log_rows, axis=1) > 0.0).obeyed(degree)
