"""MeanField: classes and confusion matrices taken for independent, under any prior on annotators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..codes import Array
from ..forms import TableEM
from ..params import Params
from . import polya
from .annotator_prior import AnnotatorPrior, over_points
from .dirichlet import divergence, mean_log

NODE_VOTES = 500  # as many votes as a mixture's nodes are fine enough for
SAMPLES = 2_000


@dataclass(frozen=True, kw_only=True)
class MeanField(AnnotatorPrior, TableEM):
    r"""Mean-field inference of classes and confusion matrices, with a prior on annotators that you choose.

    The posterior of all classes z and matrices A is approximated by :math:`\prod_i q_i(z_i) \prod_j q_j(A_j)`; in turn

    .. math::
        \log q_j(A) = \log p(A) + \sum_{k l} n_{jkl} \log A[k, l] + const, \qquad
        \log q_i(k) = \log \pi_k + \sum_j E_{q_j} \log A_j[k, l_{ij}] + const

    with n the expected counts. Under one coin n is pooled over classes, under two coins over errors, under "dirichlet"
    this is `IBCC` with a fixed prior; mixtures and samples are summed over points. The trace is the evidence lower
    bound. O(votes x classes) a step. Use it to compare with `BeliefPropagation`, which does not take for certain what
    it has half guessed: mean field is overconfident, and one spammer with very many votes can mislead it.

    prior, right, wrong: the prior on annotators, see `AnnotatorPrior`. class_prior: "uniform", as published. The other
    parameters are those of every EM.

    Reference: Liu, Peng & Ihler, NIPS 2012, section 3.2.

    >>> from crowdwise import MeanField, simulate
    >>> made = simulate.crowd(simulate.one_coin(20, 2, 0.8), n_items=100, per_item=5, seed=0)
    >>> bool((MeanField(right=4.0).fit(made.crowd).labels == made.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "mean-field"
    class_prior: str | tuple[float, ...] = "uniform"
    accelerate: bool = True

    def estimate(self, statistics: Params, params: Params) -> Params:
        return {"counts": statistics["counts"]}

    def log_table(self, params: Params) -> Array:
        counts = params["counts"]
        n_classes = counts.shape[2]
        if self._conjugate:
            mean = mean_log(self._cells(counts) + self._pseudo(n_classes))  # (annotators, rows, cells)
            if self.by_rows:
                return mean
            mean = np.broadcast_to(mean, (len(counts), n_classes, 2))
            wrong = mean[:, :, 1:] - np.log(max(n_classes - 1, 1))
            return np.where(np.eye(n_classes, dtype=bool), mean[:, :, :1], wrong)
        member, log_chance, _ = self._over_points(counts)
        return np.tensordot(member, log_chance, axes=1)

    def log_prior(self, params: Params) -> float:
        counts = params["counts"]
        if self._conjugate:
            pseudo = self._pseudo(counts.shape[2])
            return -divergence(self._cells(counts) + pseudo, pseudo)
        member, _, log_weight = self._over_points(counts)
        return float((member * (log_weight - np.log(np.maximum(member, 1e-300)))).sum())

    def moments(self, counts: Array) -> tuple[Array, Array]:
        """Mean and variance of every annotator's confusion matrix given expected counts, (annotators, true, given)."""
        n_classes = counts.shape[2]
        if not self._conjugate:
            member, log_chance, _ = self._over_points(counts)
            chance = np.exp(log_chance)
            mean = np.tensordot(member, chance, axes=1)
            return mean, np.maximum(np.tensordot(member, chance**2, axes=1) - mean**2, 0.0)
        votes = self._cells(counts) + self._pseudo(n_classes)
        total = votes.sum(axis=2, keepdims=True)
        mean = votes / total
        variance = mean * (1.0 - mean) / (total + 1.0)
        if self.by_rows:
            return mean, variance
        wrong = max(n_classes - 1, 1)  # an error is each of the other classes alike
        eye = np.eye(n_classes, dtype=bool)
        return (
            np.where(eye, mean[:, :, :1], mean[:, :, 1:] / wrong),
            np.where(eye, variance[:, :, :1], variance[:, :, 1:] / wrong**2),
        )

    def pooled(self, counts: Array, strength: float) -> Self:
        """A step of empirical Bayes: Dirichlet rows about the crowd's mean confusion, as strong as votes make likely.

        strength: votes in a row that are likely before any is seen.
        """
        before = self._pseudo(counts.shape[2])
        votes = polya.climb(
            lambda new: (
                float(polya.evidence(counts, new).sum()) + polya.log_hyper(new.sum(axis=1)[:1], np.array(strength))
            ),
            before,
            polya.pooled(counts, before, strength),
        )
        return replace(self, prior=votes)

    @property
    def _conjugate(self) -> bool:
        return isinstance(self.prior, str) or self.by_rows

    def _cells(self, counts: Array) -> Array:
        """Counts of what the prior tells apart: (annotators, 1 or true, right and wrong), or all of them."""
        if self.by_rows:
            return counts
        right, met = np.einsum("jkk->jk", counts), counts.sum(axis=2)
        both = np.stack([right, np.maximum(met - right, 0.0)], axis=2)
        return both if self.prior == "two-coin" else both.sum(axis=1, keepdims=True)

    def _pseudo(self, n_classes: int) -> Array:
        return self.row_votes(n_classes) if self.by_rows else np.array([[self.right, self.wrong]])

    def _over_points(self, counts: Array) -> tuple[Array, Array, Array]:
        """How much of each annotator is at each point of the prior; log chances there; log weights."""
        log_weight, chance = self.nodes(counts.shape[2], NODE_VOTES, SAMPLES)
        log_chance = np.log(chance)
        return over_points(counts, log_weight, log_chance), log_chance, log_weight
