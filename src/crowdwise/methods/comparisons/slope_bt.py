"""SlopeBT: Bradley and Terry's model with a slope for each annotator, which may be negative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine.comparison_sums import pairs_of, sigmoid
from ...fit.method import Watch
from ...fit.params import Axes
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import Laplacian, about_mean, learned

SETTLED = 1e-4
STILL = 1e-7  # of the log-likelihood
LONGEST = 0.5  # step of a slope
LEAST = 0.2  # of the median slope, to be called 1


@dataclass(frozen=True, kw_only=True)
class SlopeBT(ComparisonMethod):
    r"""P(left wins) :math:`= \sigma(k_j d)`, d the difference of scores, k an annotator's slope: 1 is usual, 0 spam.

    Slopes have the prior N(1, v) and scores N(0, 1 / ridge), both learned, by Newton's steps for the ones and the
    others in turn, variances by the Laplace approximation; no trace, as in `CrowdBT`. O(comparisons + items^3), a step.

    max_iter: steps.

    Reference: the slopes of FactorBT (Bugakova, Fedorova, Gusev & Drutsa, 2019), without its features.

    >>> from crowdwise import SlopeBT, simulate
    >>> made = simulate.comparisons(n_items=12, n_annotators=10, per_annotator=60, flippers=2, seed=0)
    >>> bool((SlopeBT().fit(made.comparisons).params["slope"][8:] < 0.0).all())
    True
    """

    name: ClassVar[str] = "slope-bt"
    params: ClassVar[Mapping[str, Axes]] = {"slope": Axes(("annotator",), "real")}
    max_iter: int = 300

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        who, weight = votes.annotator, (np.ones(votes.n_votes) if votes.weight is None else votes.weight)
        n = np.bincount(who, weight, votes.n_annotators)
        heard = n > 0.0
        fitted = learned(pairs_of(votes), votes.n_items)
        score, variance, ridge = fitted.score, fitted.variance, fitted.ridge
        slope, of_slope = np.ones(n.size), 0.3
        trace: list[float] = []
        settled = False
        while len(trace) < self.max_iter and not settled:
            d = score[votes.item] - score[votes.other]
            for _ in range(3):
                chance = sigmoid(slope[who] * d)
                curve = np.bincount(who, weight * chance * (1.0 - chance) * d**2, n.size) + 1.0 / of_slope
                pull = np.bincount(who, weight * (votes.won - chance) * d, n.size) - (slope - 1.0) / of_slope
                slope = slope + np.clip(pull / curve, -LONGEST, LONGEST)
            usual = float(np.median(slope[heard]))
            if usual > LEAST:  # the usual slope is called 1, and the scores' scale follows
                slope, curve, score, ridge = slope / usual, curve * usual**2, score * usual, ridge / usual**2
            of_slope = max(float(((slope - 1.0) ** 2 + 1.0 / curve)[heard].mean()), 1e-3)
            before = score
            for _ in range(2):
                score, laplacian = self._newton(votes, weight, slope, score, ridge)
            variance = laplacian.variances()
            ridge = 1.0 / max(float((score**2 + variance).mean()), 1e-3)
            chance = np.clip(sigmoid(slope[who] * (score[votes.item] - score[votes.other])), 1e-12, 1.0 - 1e-12)
            said = votes.won * np.log(chance) + (1.0 - votes.won) * np.log1p(-chance)
            trace.append(float((weight * said).sum()))
            still = len(trace) > 1 and abs(trace[-1] - trace[-2]) <= STILL * abs(trace[-1])
            settled = still or float(np.abs(score - before).max(initial=0.0)) < SETTLED
            if watch(len(trace), trace[-1]):
                break
        if float((n * slope).sum()) < 0.0:
            score, slope = -score, -slope
        return Found(score, about_mean(variance, ridge), {"slope": slope}, converged=settled)

    def _newton(
        self, votes: Comparisons, weight: Array, slope: Array, score: Array, ridge: float
    ) -> tuple[Array, Laplacian]:
        own, n = slope[votes.annotator], votes.n_items
        chance = sigmoid(own * (score[votes.item] - score[votes.other]))
        pull = weight * own * (votes.won - chance)
        right = np.bincount(votes.item, pull, n) - np.bincount(votes.other, pull, n) - ridge * score
        pairs = pairs_of(votes, np.ones(votes.n_votes), weight * own**2 * chance * (1.0 - chance))
        laplacian = Laplacian(pairs, pairs.wins + pairs.losses, ridge, n)
        return score + np.clip(laplacian.solve(right), -2.0, 2.0), laplacian
