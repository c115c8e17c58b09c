"""OneCoin: one accuracy for each annotator, by EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.forms import HitEM
from ....fit.params import Params
from ....votes.codes import Array


@dataclass(frozen=True, kw_only=True)
class OneCoin(HitEM):
    r"""Dawid-Skene with one accuracy for each annotator and errors spread evenly.

    Item :math:`i` has true class :math:`z_i \sim \pi`; annotator :math:`j` names it with probability
    :math:`\theta_j` and each other class with :math:`(1 - \theta_j) / (K - 1)`. The M-step is

    .. math:: \theta_j = \frac{a + \sum_i q_i(l_{ij})}{a + b + n_j}

    O(votes + items x classes) a step, and no more memory than that. Use it when annotators have few votes each, or
    classes are many. Annotators who favour a class break it, and then `DawidSkene` is right.

    right, wrong: the pseudo-counts a and b; right outweighs, so that a crowd of single votes is believed. The other
    parameters are those of every EM.

    Reference: Zhang, Chen, Zhou & Jordan, JMLR 17, 2016, section 4.1 (the one-coin model).

    >>> from crowdwise import OneCoin, simulate
    >>> made = simulate.crowd(simulate.one_coin(10, 3, accuracy=0.8), n_items=200, per_item=5, seed=0)
    >>> OneCoin().fit(made.crowd).params["accuracy"].mean().round(1)
    np.float64(0.8)
    """

    name: ClassVar[str] = "one-coin"
    right: float = 1.0
    wrong: float = 0.1

    def log_hits(self, params: Params) -> tuple[Array, Array]:
        accuracy, n_classes = params["accuracy"][:, None], len(params["prior"])
        every = np.ones(n_classes)
        return np.log(accuracy) * every, np.log((1.0 - accuracy) / max(n_classes - 1, 1)) * every

    def estimate(self, statistics: Params, params: Params) -> Params:
        right = statistics["agree"].sum(axis=1) + self.right
        wrong = np.maximum(statistics["given"] - statistics["agree"], 0.0).sum(axis=1) + self.wrong
        return {"accuracy": right / (right + wrong)}

    def log_prior(self, params: Params) -> float:
        accuracy = params["accuracy"]
        return float((self.right * np.log(accuracy) + self.wrong * np.log(1.0 - accuracy)).sum())
