"""WeightedVote: the votes of an item counted with a skill for each annotator."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ....engine import NumpyEngine
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution
from ....fit.params import Params
from ....votes.codes import Array
from ....votes.crowd import Crowd
from ....votes.keyed import keyed_exponential
from ....votes.known import Known
from ....votes.ties import shared, tied


@dataclass(frozen=True, kw_only=True)
class WeightedVote(Aggregator):
    """Shares of weighted votes as posterior; a method says how skilled each annotator is.

    ties: which class wins a tie: the "first" in the order of classes, the most "frequent" over all items, or one at
    "random" (by seed and the item's place). An item whose votes weigh nothing gets a uniform posterior.
    """

    ties: Literal["first", "frequent", "random"] = "first"

    @abstractmethod
    def skills(self, ops: NumpyEngine, known: Known | None, callback: Callback | None) -> tuple[Array, bool]:
        """How much a vote of each annotator counts, (annotators,), and whether that has settled."""

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        skill, settled = self.skills(ops, known, callback)
        params = {"skill": skill}
        return Solution(self.infer(ops, params, known), params, {}, converged=settled)

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_votes(params["skill"][ops.annotator])

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        shares = self.scores(ops, params)
        shares[shares.sum(axis=1) <= 0.0] = 1.0
        shares /= shares.sum(axis=1, keepdims=True)
        return shares if known is None else known.obeyed(shares)

    def agreement(self, ops: NumpyEngine, posterior: Array) -> Array:
        """How often each annotator says what the posterior says; a tie counts in parts."""
        agreed = ops.annotator_votes(shared(posterior)[ops.item, ops.label]).sum(axis=1)
        given = ops.given.sum(axis=1)
        return np.divide(agreed, given, out=np.full(given.shape, 1.0 / ops.n_classes), where=given > 0.0)

    def decide(self, posterior: Array, votes: Crowd) -> Array:
        if self.ties == "first":
            return super().decide(posterior, votes)
        chance = keyed_exponential(self.seed, votes.item_hash, votes.n_classes)
        rank = posterior.sum(axis=0) if self.ties == "frequent" else chance
        return np.where(tied(posterior), rank, -1.0).argmax(axis=1)
