"""IBCC: Dawid-Skene with Dirichlet priors, by variational Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ....fit.forms import TableEM
from ....fit.params import Params
from ....votes.codes import Array
from . import polya
from .class_votes import ClassVotes
from .dirichlet import diagonal_prior, divergence, mean_log

Prior = Literal["learned", "population", "pooled", "fixed", "infer.net"]


@dataclass(frozen=True, kw_only=True)
class DirichletRows(TableEM):
    """Variational Bayes over confusion rows and class shares: what IBCC and its kin have in common.

    diagonal, rest: the prior's votes for the true class and for each other one. class_pseudo: those for each class, in
    place of class_smoothing.
    """

    diagonal: float = 4.0
    rest: float = 1.0
    class_pseudo: float = 1.0
    accelerate: bool = True

    def log_table(self, params: Params) -> Array:
        return mean_log(params["confusion_votes"])

    @property
    def independent(self) -> ClassVotes:
        return ClassVotes(self.class_prior, self.class_pseudo)


@dataclass(frozen=True, kw_only=True)
class IBCC(DirichletRows):
    r"""Independent Bayesian classifier combination: Dawid-Skene with Dirichlet priors, by variational Bayes.

    :math:`\pi \sim Dir(c)` and each row :math:`A_j[k] \sim Dir(b_k)`. Mean field, with :math:`\psi` the digamma
    function and n the expected counts:

    .. math::
        \log q_i(k) = E \log \pi_k + \sum_j E \log A_j[k, l_{ij}] + const, \qquad
        E \log A_j[k, l] = \psi(b_{kl} + n_{jkl}) - \psi\left(\sum_l b_{kl} + n_{jkl}\right)

    The trace is the evidence lower bound. O(votes x classes) a step. Use it where annotators have few votes each and
    their intervals matter.

    prior: what b is. "learned": two numbers, one on the diagonal and one off it, which climb the bound too (empirical
    Bayes), so that an annotator with three votes borrows from the crowd. "population": a whole matrix that climbs.
    "pooled": the crowd's mean confusion times a strength that climbs. "fixed": diagonal and rest as given (4 and 1 are
    EBCC's, 5 and 2 those of BayesGC). "infer.net": fixed, with a diagonal worth an accuracy of 0.7 among K classes,
    whatever `diagonal` says. diagonal, rest: the prior's votes for the true class and for each other one, or where they
    start. class_pseudo: the prior's votes for each class, in place of class_smoothing. max_iter, tol, restarts,
    accelerate, history, seed: as in every EM.

    Reference: Kim & Ghahramani, AISTATS 2012, section 2; variational updates as in Simpson et al. 2013, section 3;
    the learned prior by the fixed point of Minka 2000.

    >>> from crowdwise import IBCC, simulate
    >>> made = simulate.crowd(simulate.dirichlet(20, 3, seed=1), n_items=300, per_item=4, seed=0)
    >>> result = IBCC().fit(made.crowd)
    >>> result.params["confusion"].shape, bool(result.params["pseudo"][0, 0] > result.params["pseudo"][0, 1])
    ((20, 3, 3), True)
    """

    name: ClassVar[str] = "ibcc"
    prior: Prior = "learned"

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        certain = 0.7 / 0.3 * max(n_classes - 1, 1) * self.rest
        diagonal = certain if self.prior == "infer.net" else self.diagonal
        return {"pseudo": diagonal_prior(n_classes, diagonal, self.rest)}

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts, pseudo = statistics["counts"], params["pseudo"]
        if self._learns:
            pseudo = polya.climb(
                lambda new: float(polya.evidence(counts, new).sum()) + self._log_hyper(new),
                pseudo,
                self._proposed(counts, pseudo),
            )
        votes = counts + pseudo
        return {"pseudo": pseudo, "confusion_votes": votes}

    def derived(self, params: Params) -> Params:
        votes = params["confusion_votes"]
        return {"confusion": votes / votes.sum(axis=2, keepdims=True)}

    def log_prior(self, params: Params) -> float:
        hyper = self._log_hyper(params["pseudo"]) if self._learns else 0.0
        return hyper - divergence(params["confusion_votes"], params["pseudo"])

    @property
    def _learns(self) -> bool:
        return self.prior in ("learned", "population", "pooled")

    def _log_hyper(self, pseudo: Array) -> float:
        return polya.log_hyper(self._free(pseudo), self._free(self.initial(0, len(pseudo))["pseudo"]))

    def _free(self, pseudo: Array) -> Array:
        """The numbers of the prior that are learned: all, the strength of each row's mean, or the two."""
        if self.prior == "population":
            return pseudo
        if self.prior == "pooled" or len(pseudo) == 1:
            return pseudo.sum(axis=1)[:1]
        return pseudo[0, :2]

    def _proposed(self, counts: Array, pseudo: Array) -> Array:
        """One step of Minka's fixed point, with the hyper-prior's votes."""
        gain, cost = polya.gains(counts, pseudo)
        n_classes = len(pseudo)
        start = self.initial(0, n_classes)["pseudo"]
        if self.prior == "population":
            return (pseudo * gain + 1.0) / (cost[:, None] + 1.0 / start)
        if self.prior == "pooled":
            even = np.full_like(pseudo, 1.0 / n_classes)  # what nobody ever said is not impossible
            return polya.pooled(counts, pseudo, even, start[0].sum())
        eye = np.eye(n_classes, dtype=bool)
        both = np.array([(pseudo * gain)[eye].sum(), (pseudo * gain)[~eye].sum()]) + 1.0
        both /= cost.sum() * np.array([1.0, n_classes - 1.0]) + 1.0 / np.array([self.diagonal, self.rest])
        return diagonal_prior(n_classes, *both)
