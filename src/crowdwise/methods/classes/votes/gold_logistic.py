"""GoldLogistic: a regression on known labels finds what the votes of each family of annotators are worth together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine, normalise
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution
from ....fit.params import Axes, Params
from ....votes.attributes import attribute_of_annotators
from ....votes.codes import Array
from ....votes.known import Known, with_known


@dataclass(frozen=True, kw_only=True)
class GoldLogistic(Aggregator):
    r"""Ridge regression on known labels of the mean votes of families: what several say together is learned at once.

    .. math::
        p(y_i = k) \propto \exp\Bigl(a_k + \sum_f b_f \bigl(\bar l_{if}(k) - 1/K\bigr)\Bigr), \qquad
        \text{penalty } \tfrac{r}{2} \Bigl(\sum_f b_f^2 + \sum_k a_k^2\Bigr)

    :math:`\bar l_{if}(k)` is the share of the votes of family f on item i that name class k. A family that is wrong on
    these items gets a weight below zero; families that fail together share one. Without gold it is the mean of the
    families' votes. Use it with ten to a few hundred known labels, where judges of few families may all be wrong.
    O(votes + items x families x classes).

    by: a column of the annotators that names the family of each; without one, everybody is a family. ridge: r.

    Reference: stacked generalisation, Wolpert 1992; ridge logistic regression, le Cessie & van Houwelingen 1992.

    >>> from crowdwise import Crowd, GoldLogistic
    >>> crowd = Crowd.from_matrix([[0, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0]])
    >>> GoldLogistic().fit(crowd, gold={0: 0, 1: 1, 2: 0, 3: 1}).labels.tolist()
    [0, 1, 0, 1, 0, 1]
    """

    name: ClassVar[str] = "gold-logistic"
    unit: ClassVar[str] = "log-odds"
    params: ClassVar[Mapping[str, Axes]] = {
        **Aggregator.params,
        "worth": Axes(("annotator",), "real"),
        "common": Axes(("true",), "real"),
    }
    by: str = ""
    ridge: float = 1.0

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        family = self._families(ops)
        gold = None if known is None else known.gold
        weight, common, converged = np.ones(int(family.max(initial=0)) + 1), np.zeros(ops.n_classes), True
        if gold is not None and gold.item.size:
            weight, common, converged = self._fitted(_mean_votes(ops, family, gold.item), gold.log_rows.argmax(axis=1))
        params = {"worth": weight[family], "common": common}
        return Solution(self.infer(ops, params, known), params, {}, converged=converged)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        scores = self.scores(ops, params) + params["common"]
        posterior = normalise(with_known(scores, known))[0]
        return posterior if known is None else known.obeyed(posterior)

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        family = self._families(ops)
        cell = ops.item.astype(np.int64) * (int(family.max(initial=0)) + 1) + family[ops.annotator]
        cells, place = np.unique(cell, return_inverse=True)
        weight = np.ones(ops.label.size) if ops.weight is None else ops.weight
        mass = np.bincount(place, weight, cells.size)[place]
        return ops.item_votes(params["worth"][ops.annotator] / np.maximum(mass, 1e-300))

    def class_scores(self, params: Params) -> Array:
        return params["common"]

    def _families(self, ops: NumpyEngine) -> Array:
        if not self.by:
            return np.arange(ops.n_annotators)
        code = attribute_of_annotators(ops.crowd, self.by).code
        return np.where(code < 0, code.max() + 1, code)

    def _fitted(self, votes: Array, truth: Array) -> tuple[Array, Array, bool]:
        """Weights of families and of classes: votes (items, families, classes), truth (items,)."""
        from scipy.optimize import minimize

        n, families, k = votes.shape
        target = np.eye(k)[truth]

        def loss(at: Array) -> tuple[float, Array]:
            b, a = at[:families], at[families:]
            posterior = normalise(votes.transpose(0, 2, 1) @ b + a)[0]
            off = posterior - target
            slope = np.concatenate([np.einsum("ifk,ik->f", votes, off), off.sum(axis=0)]) + self.ridge * at
            likely = np.log(np.maximum(posterior[np.arange(n), truth], 1e-300)).sum()
            return float(0.5 * self.ridge * (at @ at) - likely), slope

        found = minimize(loss, np.zeros(families + k), jac=True, method="L-BFGS-B")
        return found.x[:families], found.x[families:], bool(found.success)


def _mean_votes(ops: NumpyEngine, family: Array, items: Array) -> Array:
    """The share of each family's votes on some items that name each class, less a guess; (items, families, classes)."""
    place = np.full(ops.n_items, -1)
    place[items] = np.arange(items.size)
    some = place[ops.item] >= 0
    n = int(family.max(initial=0)) + 1
    cell = (place[ops.item[some]] * n + family[ops.annotator[some]]) * ops.n_classes + ops.label[some]
    weight = None if ops.weight is None else ops.weight[some]
    counts = np.bincount(cell, weight, items.size * n * ops.n_classes).reshape(items.size, n, ops.n_classes)
    total = counts.sum(axis=2, keepdims=True)
    return np.where(total > 0.0, counts / np.maximum(total, 1e-300) - 1.0 / ops.n_classes, 0.0)
