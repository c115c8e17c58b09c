"""TruthDiscovery: truths and weights that make the weighted loss of the votes smallest, in turn."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ....engine import NumpyEngine
from ....fit.method import Callback
from ....votes.codes import Array
from ....votes.known import Known
from .weighted_vote import WeightedVote

SETTLED = 1e-5  # of the votes: so few that change from right to wrong change no weight to speak of
SHARP = 1e4


@dataclass(frozen=True, kw_only=True)
class TruthDiscovery(WeightedVote):
    r"""The general form: truths y and weights w that make :math:`\sum_j w_j \sum_i 1[y_i \ne l_{ij}]` smallest.

    Subject to a constraint on w, which a method states by its `weigh`: the weights that are best for given losses. In
    turn, truths are the weighted vote and weights are `weigh` of the losses, until next to no vote
    changes from right to wrong (one in 100,000).
    """

    max_iter: int = 100

    @abstractmethod
    def weigh(self, loss: Array, votes: Array) -> Array:
        """How much a vote of each annotator counts, given how many of their votes disagree with the truths."""

    def skills(self, ops: NumpyEngine, known: Known | None, callback: Callback | None) -> tuple[Array, bool]:
        votes, before = ops.given.sum(axis=1), None
        none, even = np.zeros(ops.given.shape), np.zeros(ops.n_classes)
        skill = np.ones(ops.n_annotators)
        for step in range(self.max_iter):
            # So sharp a softmax is the weighted vote, a tie in parts; one fused pass that keeps no posterior.
            sharp = SHARP * skill / max(float(skill.max()), 1e-300)
            agree = ops.sweep_hits(np.repeat(sharp[:, None], ops.n_classes, axis=1), none, even, known)[0].sum(axis=1)
            loss = np.maximum(votes - agree, 0.0)
            skill = self.weigh(loss, votes)
            if before is not None and np.abs(agree - before).sum() <= SETTLED * votes.sum():
                return skill, True
            before = agree
            if callback is not None and callback(step + 1, -float((skill * loss).sum())):
                break
        return skill, False
