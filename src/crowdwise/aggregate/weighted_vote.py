"""WeightedVote: the votes of an item counted with a skill for each annotator."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import Aggregator, Callback, Solution
from ..codes import Array
from ..engine import NumpyEngine
from ..errors import InputError
from ..keyed import keyed_uniform
from ..params import Params
from ..ties import shared, tied

TIES = ("first", "frequent", "random")


@dataclass(frozen=True, kw_only=True)
class WeightedVote(Aggregator):
    """Shares of weighted votes as posterior; a method says how skilled each annotator is.

    ties: which class wins a tie: the "first" in the order of classes, the most "frequent" over all items, or one at
    "random" (by seed and the item's place). An item whose votes weigh nothing gets a uniform posterior.
    """

    ties: str = "first"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ties not in TIES:
            raise InputError(f"ties={self.ties!r}: choose {', '.join(TIES)}")

    @abstractmethod
    def skills(self, ops: NumpyEngine, log_item: Array | None, callback: Callback | None) -> tuple[Array, bool]:
        """How much a vote of each annotator counts, (annotators,), and whether that has settled."""

    def solve(self, ops: NumpyEngine, log_item: Array | None, start: Any, callback: Callback | None) -> Solution:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        skill, settled = self.skills(ops, log_item, callback)
        params = {"skill": skill}
        return Solution(self.infer(ops, params, log_item), params, {}, converged=settled)

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_votes(params["skill"][ops.annotator])

    def infer(self, ops: NumpyEngine, params: Params, log_item: Array | None = None) -> Array:
        shares = self.scores(ops, params)
        shares[shares.sum(axis=1) <= 0.0] = 1.0
        shares /= shares.sum(axis=1, keepdims=True)
        if log_item is not None:
            shares = (shares + 1e-9) * np.exp(log_item)  # so that gold nobody voted for is obeyed too
            shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def agreement(self, ops: NumpyEngine, posterior: Array) -> Array:
        """How often each annotator says what the posterior says; a tie counts in parts."""
        agreed = ops.annotator_votes(shared(posterior)[ops.item, ops.label]).sum(axis=1)
        given = ops.given.sum(axis=1)
        return np.divide(agreed, given, out=np.full(given.shape, 1.0 / ops.n_classes), where=given > 0.0)

    def decide(self, posterior: Array) -> Array:
        if self.ties == "first":
            return super().decide(posterior)
        cells = np.arange(posterior.size).reshape(posterior.shape)
        rank = posterior.sum(axis=0) if self.ties == "frequent" else keyed_uniform(self.seed, cells)
        return np.where(tied(posterior), rank, -1.0).argmax(axis=1)
