"""AnnotatorBT: Bradley and Terry's model behind a model of annotators, by EM."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...engine.comparison_sums import Answers, AnswerSums, People, pairs_of
from ...fit.method import Watch
from ...fit.params import Params
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import learned, newton, prior_of

SETTLED = 1e-4
STILL = 1e-6  # of the log-likelihood
SELDOM, OFTEN = 5, 40  # steps between two looks at the scores' prior, at first and later
STEPS = 1  # of Newton's, in each step


@dataclass(frozen=True, kw_only=True)
class AnnotatorBT(ComparisonMethod):
    r"""In turn, answers are heard through what is believed of annotators, and scores are found from them.

    An answer is a coin's, which says left with chance q, with chance u; else it is meant as it is given with chance e,
    and reversed otherwise:

    .. math:: P(left) = u q + (1 - u) (e \sigma(d) + (1 - e) \sigma(-d))

    A method says which of the three are learned: `begin` and `judge`. The priors follow by moments: the likelihood may
    fall at a step, so that there is no trace.

    max_iter: steps.
    """

    max_iter: int = 300

    @abstractmethod
    def begin(self, n: Array) -> tuple[People, Params]:
        """What is believed of annotators with so many answers before any is looked at, and of all of them."""

    @abstractmethod
    def judge(self, n: Array, sums: AnswerSums, people: People, prior: Params) -> tuple[People, Params]:
        """The same after a look at their answers."""

    @abstractmethod
    def told(self, people: People) -> Params:
        """What is kept of what was learned of annotators."""

    def turned(self, n: Array, score: Array, people: People) -> tuple[Array, People]:
        """The scores, or their opposite, if that is what most answers mean."""
        return score, people

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        n, answers = votes.annotator_weight(), Answers(votes)
        fitted = learned(pairs_of(votes), votes.n_items)
        (people, prior), ridge = self.begin(n), fitted.ridge
        trace: list[float] = []
        settled = False
        while len(trace) < self.max_iter and not settled:
            pairs, sums, likely = answers.sweep(fitted.score, people)
            people, prior = self.judge(n, sums, people, prior)
            before = fitted.score
            fitted = newton(pairs, votes.n_items, ridge, before, STEPS)
            if (len(trace) % SELDOM == 0 and len(trace) <= OFTEN) or len(trace) % OFTEN == 0:
                ridge = prior_of(fitted)
            trace.append(likely)
            still = len(trace) > SELDOM and abs(trace[-1] - trace[-2]) <= STILL * abs(trace[-1])
            settled = still or float(np.abs(fitted.score - before).max(initial=0.0)) < SETTLED
            if watch(len(trace), trace[-1]):
                break
        score, people = self.turned(n, fitted.score, people)
        return Found(score, fitted.sd, self.told(people), converged=settled)
