"""AnnotatorBT: Bradley and Terry's model behind a model of annotators, by EM."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...fit.method import Watch
from ...fit.params import Params
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import learned, newton, pairs_of, prior_of, sigmoid

SETTLED = 1e-4
STILL = 1e-6  # of the log-likelihood
SELDOM = 5  # steps between two looks at the scores' prior
STEPS = 1  # of Newton's, in each step


class Heard(NamedTuple):
    """What answers are worth at some scores: how much the left item won by each, and how much each counts.

    likelihood: of each answer. params: what is then believed of the annotators.
    """

    won: Array
    counts: Array
    likelihood: Array
    params: Params


@dataclass(frozen=True, kw_only=True)
class AnnotatorBT(ComparisonMethod):
    """In turn, answers are heard through what is believed of annotators, and scores are found from them.

    A method says `begin` and `hear`. The priors follow by moments: the likelihood may fall at a step, so that there is
    no trace.

    max_iter: steps.
    """

    max_iter: int = 300

    @abstractmethod
    def begin(self, n: Array) -> Params:
        """What is believed of annotators with so many answers before any is looked at."""

    @abstractmethod
    def hear(self, votes: Comparisons, weight: Array, n: Array, seen: Array, params: Params) -> Heard:
        """Answers heard; seen: how likely somebody who only looks at the scores is to give each."""

    def turned(self, n: Array, score: Array, params: Params) -> tuple[Array, Params]:
        """The scores, or their opposite, if that is what most answers mean."""
        return score, params

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        weight = np.ones(votes.n_votes) if votes.weight is None else votes.weight
        n = np.bincount(votes.annotator, weight, votes.n_annotators)
        fitted = learned(pairs_of(votes), votes.n_items)
        params, ridge = self.begin(n), fitted.ridge
        trace: list[float] = []
        settled = False
        while len(trace) < self.max_iter and not settled:
            left = sigmoid(fitted.score[votes.item] - fitted.score[votes.other])
            seen = np.where(votes.label == 2, 0.5, np.where(votes.label == 0, left, 1.0 - left))
            heard = self.hear(votes, weight, n, seen, params)
            params, before = heard.params, fitted.score
            fitted = newton(pairs_of(votes, heard.won, weight * heard.counts), votes.n_items, ridge, before, STEPS)
            if len(trace) % SELDOM == 0:
                ridge = prior_of(fitted)
            trace.append(float((weight * np.log(heard.likelihood)).sum()))
            still = len(trace) > SELDOM and abs(trace[-1] - trace[-2]) <= STILL * abs(trace[-1])
            settled = still or float(np.abs(fitted.score - before).max(initial=0.0)) < SETTLED
            if watch(len(trace), trace[-1]):
                break
        score, params = self.turned(n, fitted.score, params)
        told = {name: value for name, value in params.items() if name in type(self).params}
        return Found(score, fitted.sd, told, converged=settled)
