"""SpEM: Dawid-Skene that makes spammers of annotators whose votes do not speak against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.params import Params
from ....votes.codes import Array
from .dawid_skene import DawidSkene

ROUNDS = 3  # of mean row and rows in one M-step
ROOTS = 40  # Newton steps at most towards a row's multiplier


def spammer_score(confusion: Array) -> Array:
    """Raykar and Yu's score, 0 for a spammer to 1 for an expert: how different the rows of a matrix are.

    >>> spammer_score(np.array([np.eye(3), np.full((3, 3), 1 / 3)])).round(3).tolist()
    [1.0, 0.0]

    Reference: Raykar & Yu, Eliminating Spammers and Ranking Annotators for Crowdsourced Labeling Tasks, JMLR 13, 2012.
    """
    matrix = np.asarray(confusion, float)
    # The sum over pairs of rows of their squared distance is K times the sum of squares about the mean row.
    about = matrix - matrix.mean(axis=-2, keepdims=True)
    return np.asarray((about**2).sum(axis=(-2, -1)) / max(matrix.shape[-1] - 1, 1))


@dataclass(frozen=True, kw_only=True)
class SpEM(DawidSkene):
    r"""Dawid-Skene with a prior that pulls every annotator towards a spammer, whose rows are all alike.

    With the score :math:`S_j = \frac{1}{K (K - 1)} \sum_{c < c'} \lVert A_j[c] - A_j[c'] \rVert^2`, the prior is
    :math:`e^{-\lambda_j S_j / 2}`, its precision :math:`\lambda_j` Gamma distributed and integrated out, so that

    .. math::
        \log p(A_j) = -\Big(a + \frac12\Big) \log\Big(1 + \frac{S_j}{2 b}\Big), \qquad
        E \lambda_j = \frac{a + 1/2}{b + S_j / 2}

    as relevance is determined: who is nearly a spammer is pulled all the way, who is not is left alone. (The score
    counts as one number: with one for each entry of a matrix, everybody with few votes on many classes would be made a
    spammer.) The M-step bounds the pull by a quadratic at the last matrices and solves each row exactly; the objective
    never falls. The paper finds the precisions by Laplace's approximation. O(votes x classes + annotators x classes^2)
    a step. Use it where many guess; it makes spammers of annotators of few votes (`crowdwise.annotators.verdicts` does
    not).

    shape, rate: a and b of the precisions' Gamma distribution. smoothing, right, and all others: as in `DawidSkene`.

    Reference: Raykar & Yu, Eliminating Spammers and Ranking Annotators for Crowdsourced Labeling Tasks, JMLR 13, 2012,
    sections 4 and 5.

    >>> from crowdwise import SpEM, simulate
    >>> made = simulate.crowd(simulate.one_coin(6, 3, 0.8) + simulate.spammers(2, 3), n_items=300, per_item=5, seed=0)
    >>> (spammer_score(SpEM().fit(made.crowd).params["confusion"]) < 0.1).tolist()
    [False, False, False, False, False, False, True, True]
    """

    name: ClassVar[str] = "spem"
    exempt: ClassVar[Mapping[str, str]] = {
        "One vote an item, one vote an annotator, all votes equal: a sensible answer": (
            "where no two votes meet nothing speaks against spammers, and all are taken for such"
        )
    }
    shape: float = 1.0
    rate: float = 0.01

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts = statistics["counts"] + self._pseudo(statistics["counts"].shape[2])
        matrix = params.get("confusion", counts / counts.sum(axis=2, keepdims=True))
        for _ in range(ROUNDS):
            precision = (self.shape + 0.5) / (self.rate + spammer_score(matrix) / 2.0)
            pull = precision / max(matrix.shape[2] - 1, 1)
            matrix = _pulled(counts, matrix.mean(axis=1, keepdims=True), pull[:, None, None])
        return {"confusion": matrix}

    def log_prior(self, params: Params) -> float:
        relevance = np.log1p(spammer_score(params["confusion"]) / (2.0 * self.rate)).sum()
        return super().log_prior(params) - (self.shape + 0.5) * float(relevance)


def _pulled(counts: Array, mean: Array, pull: Array) -> Array:
    r"""Distributions a with the largest :math:`\sum_l n_l \log a_l - \frac{\kappa}{2} \lVert a - m \rVert^2`.

    :math:`n_l / a_l - \kappa (a_l - m_l) = \mu`: a root for each l, and :math:`\mu` by Newton's steps from below.
    """

    def entries(mu: Array) -> tuple[Array, Array]:
        lean = pull * mean - mu
        root = np.sqrt(lean**2 + 4.0 * pull * counts)
        # the same number twice: each form where nothing cancels in it
        return np.where(lean > 0.0, (lean + root) / (2.0 * pull), 2.0 * counts / (root - lean)), root

    mu = (counts - pull * (1.0 - mean)).max(axis=-1, keepdims=True)
    for _ in range(ROOTS):
        entry, root = entries(mu)
        excess = entry.sum(axis=-1, keepdims=True) - 1.0
        if excess.max() < 1e-12:
            break
        mu = mu + excess / (entry / root).sum(axis=-1, keepdims=True)
    entry = entries(mu)[0]
    return np.asarray(entry / entry.sum(axis=-1, keepdims=True))
