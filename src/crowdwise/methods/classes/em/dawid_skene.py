"""Dawid-Skene: a confusion matrix for each annotator, by EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.forms import TableEM
from ....fit.options import NonNegative
from ....fit.params import Params
from ....votes.codes import Array


@dataclass(frozen=True, kw_only=True)
class DawidSkene(TableEM):
    r"""A confusion matrix for each annotator, and the true classes behind it, by EM.

    Item :math:`i` has true class :math:`z_i \sim \pi`; annotator :math:`j` says :math:`l` of class :math:`k` with
    probability :math:`A_j[k, l]`, independently given the class. The E-step and the M-step are

    .. math::
        q_i(k) \propto \pi_k \prod_j A_j[k, l_{ij}], \qquad
        A_j[k, l] \propto s + r \, 1[k = l] + \sum_i q_i(k) \, 1[l_{ij} = l], \qquad \pi_k \propto \sum_i q_i(k)

    O(votes x classes) a step. Use it where annotators have tens of votes each: it finds class-biased, lazy and hostile
    annotators alike. With few votes an annotator it over-fits: stop early (max_iter=3) or take `OneCoin`.

    smoothing: the pseudo-count s of each cell of a confusion matrix; right: r, more of it on the diagonal, so that what
    an annotator was never seen to do is taken to be right. The other parameters are those of every EM:
    class_prior, class_smoothing, max_iter, tol, restarts, accelerate, history, seed.

    Reference: Dawid & Skene, J. R. Stat. Soc. C 28(1), 1979, section 3 (equations 2.3 to 2.5).

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(10, 3, accuracy=0.8), n_items=200, per_item=5, seed=0)
    >>> result = DawidSkene().fit(made.crowd)
    >>> bool((result.labels == made.truth).mean() > 0.9), result.params["confusion"].shape
    (True, (10, 3, 3))
    """

    name: ClassVar[str] = "dawid-skene"
    smoothing: float = 0.01
    right: NonNegative = 0.2

    def log_table(self, params: Params) -> Array:
        return np.log(params["confusion"])

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts = statistics["counts"] + self._pseudo(statistics["counts"].shape[2])
        return {"confusion": counts / counts.sum(axis=2, keepdims=True)}

    def log_prior(self, params: Params) -> float:
        confusion = params["confusion"]
        return float((self._pseudo(confusion.shape[2]) * np.log(confusion)).sum())

    def _pseudo(self, n_classes: int) -> Array:
        return self.smoothing + self.right * np.eye(n_classes)  # (true, given)
