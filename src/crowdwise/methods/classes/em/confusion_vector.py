"""ConfusionVector: one accuracy for each annotator and class, by EM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....fit.aggregator import FEW_FLOATS
from ....fit.em import EM
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known


@dataclass(frozen=True, kw_only=True)
class ConfusionVector(EM):
    r"""Dawid-Skene with one accuracy for each annotator and class, errors spread evenly.

    Annotator :math:`j` names the true class :math:`k` with probability :math:`a_{jk}` and each other class with
    :math:`(1 - a_{jk}) / (K - 1)`. The M-step is

    .. math:: a_{jk} = \frac{r + \sum_i q_i(k) \, 1[l_{ij} = k]}{r + w + \sum_i q_i(k) \, n_{ij}}

    O(votes x classes) a step, O(annotators x classes) kept. Use it between `OneCoin` and `DawidSkene`: annotators who
    know some classes better than others, too few votes for whole matrices. With two classes it is `DawidSkene`.

    right, wrong: the pseudo-counts r and w. The other parameters are those of every EM.

    Reference: Raykar et al., JMLR 11, 2010, section 2.1 (sensitivity and specificity), for more than two classes.

    >>> from crowdwise import ConfusionVector, simulate
    >>> made = simulate.crowd(simulate.class_experts(12, 3, known=0.95, other=0.4), n_items=300, per_item=6, seed=0)
    >>> ConfusionVector().fit(made.crowd).params["class_accuracy"].shape
    (12, 3)
    """

    name: ClassVar[str] = "confusion-vector"
    params: ClassVar[Mapping[str, Axes]] = {
        "class_accuracy": Axes(("annotator", "true"), "unit"),
        "right": Axes(("annotator", "true"), "positive"),
    }
    right: float = 0.5
    wrong: float = 0.01

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        """As a table of all labels in one fused pass, where it is small; counts of rows are what was met."""
        if self.structure != "independent" or ops.n_annotators * ops.n_classes**2 > FEW_FLOATS:
            return super().sweep(ops, params, known)
        hit, miss = self._log_chances(params)
        table = np.repeat(miss[:, :, None], ops.n_classes, axis=2)
        np.einsum("jkk->jk", table)[:] = hit
        counts, states, evidence = ops.sweep(table, self.independent.log_shares(params), known)
        right = np.einsum("jkk->jk", counts)
        return {"right": np.array(right), "met": counts.sum(axis=2), "states": states}, evidence

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        hit, miss = self._log_chances(params)
        return ops.item_sums(miss) + ops.item_votes((hit - miss)[ops.annotator, ops.label])

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        return {
            "right": ops.annotator_votes(posterior[ops.item, ops.label]),
            "met": ops.annotator_sums(posterior),
        }

    def estimate(self, statistics: Params, params: Params) -> Params:
        right = statistics["right"] + self.right
        wrong = np.maximum(statistics["met"] - statistics["right"], 0.0) + self.wrong
        return {"class_accuracy": right / (right + wrong)}

    def log_prior(self, params: Params) -> float:
        accuracy = params["class_accuracy"]
        return float((self.right * np.log(accuracy) + self.wrong * np.log(1.0 - accuracy)).sum())

    def log_sums(self, statistics: Params, params: Params) -> float:
        hit, miss = self._log_chances(params)
        right = statistics["right"]
        return float((right * hit + (statistics["met"] - right) * miss).sum())

    def _log_chances(self, params: Params) -> tuple[Array, Array]:
        accuracy = params["class_accuracy"]
        return np.log(accuracy), np.log((1.0 - accuracy) / max(accuracy.shape[1] - 1, 1))
