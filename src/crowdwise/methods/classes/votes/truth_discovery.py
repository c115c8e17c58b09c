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

SETTLED = 1e-4  # of the items: so few labels that change change no weight to speak of


@dataclass(frozen=True, kw_only=True)
class TruthDiscovery(WeightedVote):
    r"""The general form: truths y and weights w that make :math:`\sum_j w_j \sum_i 1[y_i \ne l_{ij}]` smallest.

    Subject to a constraint on w, which a method states by its `weigh`: the weights that are best for given losses. In
    turn, truths are the weighted vote and weights are `weigh` of the losses, until no label changes (of large crowds:
    one in ten thousand).
    """

    max_iter: int = 100

    @abstractmethod
    def weigh(self, loss: Array, votes: Array) -> Array:
        """How much a vote of each annotator counts, given how many of their votes disagree with the truths."""

    def skills(self, ops: NumpyEngine, known: Known | None, callback: Callback | None) -> tuple[Array, bool]:
        votes = ops.given.sum(axis=1)
        posterior = self.infer(ops, {"skill": np.ones(ops.n_annotators)}, known)
        skill = np.ones(ops.n_annotators)
        for step in range(self.max_iter):
            loss = votes * (1.0 - self.agreement(ops, posterior))
            skill, before = self.weigh(loss, votes), posterior.argmax(axis=1)
            posterior = self.infer(ops, {"skill": skill}, known)
            if (posterior.argmax(axis=1) != before).mean() <= SETTLED:
                return skill, True
            if callback is not None and callback(step + 1, -float((skill * loss).sum())):
                break
        return skill, False
