"""IBCC: Dawid-Skene with Dirichlet priors, by variational Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..codes import Array
from ..forms import TableEM
from ..params import Params
from .dirichlet import divergence, log_beta, mean_log


@dataclass(frozen=True, kw_only=True)
class IBCC(TableEM):
    r"""Independent Bayesian classifier combination: Dawid-Skene with Dirichlet priors, by variational Bayes.

    :math:`\pi \sim Dir(c)` and each row :math:`A_j[k] \sim Dir(b)`, where b has one number on the diagonal and another
    off it. Mean field, with :math:`\psi` the digamma function and n the expected counts:

    .. math::
        \log q_i(k) = E \log \pi_k + \sum_j E \log A_j[k, l_{ij}] + const, \qquad
        E \log A_j[k, l] = \psi(b_{kl} + n_{jkl}) - \psi\left(\sum_l b_{kl} + n_{jkl}\right)

    The trace is the evidence lower bound. With learn, the two numbers of b climb it too (empirical Bayes), so that an
    annotator with three votes borrows from the crowd. O(votes x classes) a step. Use it where annotators have few
    votes each and their intervals matter.

    diagonal, rest: the prior's votes for the true class and for each other one; learn: they only start there.
    class_pseudo: the prior's votes for each class. max_iter, tol, restarts, accelerate, history, seed: as in every EM.

    Reference: Kim & Ghahramani, AISTATS 2012, section 2; variational updates as in Simpson et al. 2013, section 3.

    >>> from crowdwise import IBCC, simulate
    >>> made = simulate.crowd(simulate.dirichlet(20, 3, seed=1), n_items=300, per_item=4, seed=0)
    >>> result = IBCC().fit(made.crowd)
    >>> result.params["confusion"].shape, bool(result.params["pseudo"][0] > result.params["pseudo"][1])
    ((20, 3, 3), True)
    """

    name: ClassVar[str] = "ibcc"
    diagonal: float = 4.0
    rest: float = 1.0
    class_pseudo: float = 1.0
    learn: bool = True

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        return {"pseudo": np.array([self.diagonal, self.rest])}

    def log_table(self, params: Params) -> Array:
        return mean_log(params["confusion_votes"])

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts = statistics["counts"]
        pseudo = self._climb_pseudo(counts, params["pseudo"]) if self.learn else params["pseudo"]
        votes = counts + self._prior(pseudo, counts.shape[2])
        return {"pseudo": pseudo, "confusion_votes": votes, "confusion": votes / votes.sum(axis=2, keepdims=True)}

    def log_prior(self, params: Params) -> float:
        votes, pseudo = params["confusion_votes"], params["pseudo"]
        hyper = self._log_hyper(pseudo) if self.learn else 0.0
        return hyper - divergence(votes, self._prior(pseudo, votes.shape[2]))

    def estimate_classes(self, mass: Array, params: Params) -> Params:
        votes = mass + self.class_pseudo if self.class_prior == "learned" else 1e9 * self._class_shares(mass)
        return {"class_votes": votes, "prior": votes / votes.sum()}

    def log_class_prior(self, params: Params) -> Array:
        return mean_log(params["class_votes"])

    def log_prior_of_classes(self, params: Params) -> float:
        votes = params["class_votes"]
        return -divergence(votes, np.full_like(votes, self.class_pseudo)) if self.class_prior == "learned" else 0.0

    def _prior(self, pseudo: Array, n_classes: int) -> Array:
        return np.where(np.eye(n_classes, dtype=bool), pseudo[0], pseudo[1])  # (true, given)

    def _log_hyper(self, pseudo: Array) -> float:
        """Gamma(2, 1 / start) on both numbers: wide, away from zero, and highest where they start."""
        return float((np.log(pseudo) - pseudo * self._rate).sum())

    @property
    def _rate(self) -> Array:
        return 1.0 / np.array([self.diagonal, self.rest])

    def _climb_pseudo(self, counts: Array, pseudo: Array) -> Array:
        """One fixed-point step of Minka (2000) on the Polya likelihood, halved until it climbs."""
        from scipy.special import digamma

        n_classes, eye = counts.shape[2], np.eye(counts.shape[2], dtype=bool)

        def objective(pseudo: Array) -> float:
            prior = self._prior(pseudo, n_classes)
            return float(log_beta(counts + prior).sum() - len(counts) * log_beta(prior).sum()) + self._log_hyper(pseudo)

        prior = self._prior(pseudo, n_classes)
        gain = digamma(counts + prior) - digamma(prior)
        total = prior.sum(axis=1)
        cost = float((digamma(counts.sum(axis=2) + total) - digamma(total)).sum())
        gains = np.array([gain[:, eye].sum(), gain[:, ~eye].sum()])
        step = np.log((pseudo * gains + 1.0) / (cost * np.array([1.0, n_classes - 1.0]) + self._rate) / pseudo)
        before = objective(pseudo)
        for _ in range(8):
            if objective(pseudo * np.exp(step)) >= before:
                return np.asarray(pseudo * np.exp(step))
            step = step / 2.0
        return pseudo
