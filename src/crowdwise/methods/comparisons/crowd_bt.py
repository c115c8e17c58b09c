"""CrowdBT: Bradley and Terry's model with annotators who sometimes say the opposite of what they see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.method import Watch
from ...fit.params import Axes
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import learned, newton, pairs_of, prior_of, sigmoid

SETTLED = 1e-4
STILL = 1e-6  # of the log-likelihood
SELDOM = 5  # steps between two looks at the scores' prior
STEPS = 1  # of Newton's, in each step


@dataclass(frozen=True, kw_only=True)
class CrowdBT(ComparisonMethod):
    r"""P(left wins) :math:`= e_j \sigma(d) + (1 - e_j) \sigma(-d)`, d the difference of scores, by EM.

    With z the chance that an answer was meant as it was given, :math:`e_j = (A + \sum z) / (A + B + n_j)`, and scores
    are Bradley and Terry's from wins z and 1 - z. The prior Beta(A, B) follows by moments, and so does that of the
    scores: the likelihood may fall at a step, and there is no trace. If most answers turn out to be reversed, all is
    turned round. A tie is half a win, and says nothing of e. O(comparisons + items^3), a step.

    max_iter: steps.

    Reference: Chen, Bennett, Collins-Thompson & Horvitz, WSDM 2013.

    >>> from crowdwise import CrowdBT, simulate
    >>> made = simulate.comparisons(n_items=12, n_annotators=10, per_annotator=60, flippers=2, seed=0)
    >>> bool((CrowdBT().fit(made.comparisons).params["honesty"][8:] < 0.5).all())
    True
    """

    name: ClassVar[str] = "crowd-bt"
    params: ClassVar[Mapping[str, Axes]] = {"honesty": Axes(("annotator",), "unit")}
    max_iter: int = 300

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        who, weight = votes.annotator, (np.ones(votes.n_votes) if votes.weight is None else votes.weight)
        n, tie = np.bincount(who, weight, votes.n_annotators), votes.label == 2
        fitted = learned(pairs_of(votes), votes.n_items)
        honesty, right, wrong, ridge = np.full(n.size, 0.85), 4.0, 1.0, fitted.ridge
        trace: list[float] = []
        settled = False
        while len(trace) < self.max_iter and not settled:
            meant = self._chance(votes, fitted.score)
            total = honesty[who] * meant + (1.0 - honesty[who]) * (1.0 - meant)
            z = np.where(tie, honesty[who], honesty[who] * meant / total)
            honesty = (right + np.bincount(who, weight * z, n.size)) / (right + wrong + n)
            right, wrong = _beta(honesty, n)
            won = np.where(tie, 0.5, z * votes.won + (1.0 - z) * (1.0 - votes.won))
            before = fitted.score
            fitted = newton(pairs_of(votes, won), votes.n_items, ridge, before, STEPS)
            if len(trace) % SELDOM == 0:
                ridge = prior_of(fitted)
            trace.append(float((weight * np.log(total)).sum()))
            still = len(trace) > SELDOM and abs(trace[-1] - trace[-2]) <= STILL * abs(trace[-1])
            settled = still or float(np.abs(fitted.score - before).max(initial=0.0)) < SETTLED
            if watch(len(trace), trace[-1]):
                break
        score = fitted.score
        if float((n * honesty).sum()) < 0.5 * float(n.sum()):
            score, honesty = -score, 1.0 - honesty
        return Found(score, fitted.sd, {"honesty": honesty}, converged=settled)

    def _chance(self, votes: Comparisons, score: Array) -> Array:
        """How likely an honest annotator is to give each answer."""
        left = sigmoid(score[votes.item] - score[votes.other])
        return np.where(votes.label == 2, 0.5, np.where(votes.label == 0, left, 1.0 - left))


def _beta(honesty: Array, n: Array) -> tuple[float, float]:
    """A Beta prior of the mean and spread of those with more than four answers."""
    mean = float(np.clip((n * honesty).sum() / max(float(n.sum()), 1e-300), 0.55, 0.98))
    many = n > 4.0
    variance = max(float(((honesty - mean) ** 2)[many].mean()) if many.any() else 0.0, 1e-4)
    strength = float(np.clip(mean * (1.0 - mean) / variance - 1.0, 2.0, 200.0))
    return strength * mean, strength * (1.0 - mean)
