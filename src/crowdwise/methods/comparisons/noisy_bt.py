"""NoisyBT: Bradley and Terry's model with answers that are a coin of the annotator's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.method import Watch
from ...fit.params import Axes
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import learned, newton, pairs_of, prior_of, sigmoid

SETTLED = 1e-4
STILL = 1e-6  # of the log-likelihood
SELDOM = 5  # steps between two looks at the scores' prior
STEPS = 1  # of Newton's, in each step


@dataclass(frozen=True, kw_only=True)
class NoisyBT(ComparisonMethod):
    r"""With chance :math:`u_j` an answer is a coin that says left with chance :math:`q_j`; else Bradley and Terry's.

    By EM: z is the chance that an answer was not the coin's, scores are found from comparisons that count z, u has a
    Beta prior whose mean is learned, q has Beta(2, 2). No trace, as in `CrowdBT`. Spam and a taste for one side in one
    model. O(comparisons + items^3), a step.

    max_iter: steps.

    Reference: the model of NoisyBradleyTerry in crowd-kit (Ustalov, Pavlichenko & Tseitlin 2024), fitted by EM.

    >>> from crowdwise import NoisyBT, simulate
    >>> made = simulate.comparisons(n_items=12, n_annotators=10, per_annotator=60, left=2, seed=0)
    >>> bool((NoisyBT().fit(made.comparisons).params["coin"][8:] > 0.5).all())
    True
    """

    name: ClassVar[str] = "noisy-bt"
    params: ClassVar[Mapping[str, Axes]] = {
        "coin": Axes(("annotator",), "unit"),
        "left_share": Axes(("annotator",), "unit"),
    }
    max_iter: int = 300

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        who, weight = votes.annotator, (np.ones(votes.n_votes) if votes.weight is None else votes.weight)
        n, tie = np.bincount(who, weight, votes.n_annotators), votes.label == 2
        fitted = learned(pairs_of(votes), votes.n_items)
        coin, side, of_coin, ridge = np.full(n.size, 0.1), np.full(n.size, 0.5), (1.0, 9.0), fitted.ridge
        trace: list[float] = []
        settled = False
        while len(trace) < self.max_iter and not settled:
            left = sigmoid(fitted.score[votes.item] - fitted.score[votes.other])
            seen = np.where(tie, 0.5, np.where(votes.label == 0, left, 1.0 - left))
            tossed = np.where(tie, 0.5, np.where(votes.label == 0, side[who], 1.0 - side[who]))
            meant = (1.0 - coin[who]) * seen
            total = meant + coin[who] * tossed
            z = meant / total
            spam = np.bincount(who, weight * (1.0 - z), n.size)
            coin = (of_coin[0] + spam) / (sum(of_coin) + n)
            side = (2.0 + np.bincount(who, weight * (1.0 - z) * votes.won, n.size)) / (4.0 + spam)
            mean = float(np.clip((n * coin).sum() / max(float(n.sum()), 1e-300), 0.01, 0.9))
            of_coin = (10.0 * mean, 10.0 * (1.0 - mean))
            before = fitted.score
            fitted = newton(pairs_of(votes, weight=weight * z), votes.n_items, ridge, before, STEPS)
            if len(trace) % SELDOM == 0:
                ridge = prior_of(fitted)
            trace.append(float((weight * np.log(total)).sum()))
            still = len(trace) > SELDOM and abs(trace[-1] - trace[-2]) <= STILL * abs(trace[-1])
            settled = still or float(np.abs(fitted.score - before).max(initial=0.0)) < SETTLED
            if watch(len(trace), trace[-1]):
                break
        params = {"coin": coin, "left_share": side}
        return Found(fitted.score, fitted.sd, params, converged=settled)
