"""MeanField: classes and confusion matrices taken for independent, under any prior on annotators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ....engine import normalise
from ....fit.forms import TableEM
from ....fit.params import Params
from ....votes.codes import Array
from . import polya
from .annotator_prior import AnnotatorPrior
from .conjugate import Coins, Component, Rows, Samples
from .dirichlet import diagonal_prior

PULL = 0.1  # of a class's votes, on average, that a learned prior's mean is drawn to its start by


@dataclass(frozen=True, kw_only=True)
class MeanField(AnnotatorPrior, TableEM):
    r"""Mean-field inference of classes and confusion matrices, with a prior on annotators that you choose.

    The posterior of all classes z and matrices A is approximated by :math:`\prod_i q_i(z_i) \prod_j q_j(A_j)`; in turn

    .. math::
        \log q_j(A) = \log p(A) + \sum_{k l} n_{jkl} \log A[k, l] + const, \qquad
        \log q_i(k) = \log \pi_k + \sum_j E_{q_j} \log A_j[k, l_{ij}] + const

    with n the expected counts. Under one coin n is pooled over classes, under two coins over errors, under "dirichlet"
    this is `IBCC` with a fixed prior; of a mixture each part answers by itself, and samples are summed over. The trace
    is the evidence lower bound. O(votes x classes) a step. Use it to compare with `BeliefPropagation`, which does not
    take for certain what it has half guessed: mean field is overconfident, and one spammer with very many votes can
    mislead it.

    prior, right, wrong: the prior on annotators, see `AnnotatorPrior`. class_prior: "uniform", as published. The other
    parameters are those of every EM.

    Reference: Liu, Peng & Ihler, NIPS 2012, section 3.2.

    >>> from crowdwise import MeanField, simulate
    >>> made = simulate.crowd(simulate.one_coin(20, 2, 0.8), n_items=100, per_item=5, seed=0)
    >>> bool((MeanField(right=4.0).fit(made.crowd).labels == made.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "mean-field"
    structures: ClassVar[tuple[str, ...]] = ("independent", "graph")
    class_prior: str | tuple[float, ...] = "uniform"
    accelerate: bool = True

    def estimate(self, statistics: Params, params: Params) -> Params:
        return {"counts": statistics["counts"]}

    def log_table(self, params: Params) -> Array:
        counts = params["counts"]
        share, components, _ = self._shares(counts)
        return np.einsum("pj,pjkl->jkl", share, [component.mean_log(counts) for component in components])

    def log_prior(self, params: Params) -> float:
        counts = params["counts"]
        return float(self._shares(counts)[2].sum() - (counts * self.log_table(params)).sum())

    def moments(self, counts: Array) -> tuple[Array, Array]:
        """Mean and variance of every annotator's confusion matrix given expected counts, (annotators, true, given)."""
        share, components, _ = self._shares(counts)
        each = [component.moments(counts) for component in components]
        mean = np.einsum("pj,pjkl->jkl", share, [mean for mean, _ in each])
        square = np.einsum("pj,pjkl->jkl", share, [mean**2 + variance for mean, variance in each])
        return mean, np.maximum(square - mean**2, 0.0)

    def pooled(self, counts: Array, start: Array) -> Self:
        """A step of empirical Bayes: Dirichlet rows about the crowd's mean confusion, as strong as votes make likely.

        start: the rows' votes before any is seen, (true, given): the mean is drawn towards them, by a tenth of the
        votes there are for a class on average, or a rare class would be taken for what the others are confused with.
        """
        before, strength = self.row_votes(counts.shape[2]), start.sum(axis=1)
        usual = PULL * counts.sum() / len(start) * start / strength[:, None]
        votes = polya.climb(
            lambda new: float(polya.evidence(counts, new).sum()) + polya.log_hyper(new.sum(axis=1)[:1], strength[:1]),
            before,
            polya.pooled(counts, before, usual, float(strength[0])),
        )
        return replace(self, prior=votes)

    def _shares(self, counts: Array) -> tuple[Array, list[Component], Array]:
        """How much of each annotator is of each part of the prior, (parts, annotators); the parts; log evidence."""
        parts = self._components(counts.shape[2])
        log = np.array([np.log(share) + component.evidence(counts) for share, component in parts])
        share, _ = normalise(log.T)
        high = log.max(axis=0)
        return share.T, [component for _, component in parts], high + np.log(np.exp(log - high).sum(axis=0))

    def _components(self, n_classes: int) -> list[tuple[float, Component]]:
        """The prior's parts with their shares."""
        if self.by_rows:
            return [(1.0, Rows(self.row_votes(n_classes)))]
        if not self.parts():
            return [(1.0, Samples(self.samples_of(n_classes)))]
        total = sum(part[0] for part in self.parts())
        return [
            (share / total, _component(kind, right, wrong, n_classes)) for share, kind, right, wrong in self.parts()
        ]


def _component(kind: str, right: float, wrong: float, n_classes: int) -> Component:
    if kind == "dirichlet":
        return Rows(diagonal_prior(n_classes, right, wrong))
    return Coins(right, wrong, by_class=kind == "two-coin")
