"""A chain of tags: what may follow what is known beforehand, how often it does is learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine import NumpyEngine
from ...fit.params import Axes, Params
from ...fit.structure import Chain, Inferred
from ...votes.codes import Array
from ..classes.bayes.dirichlet import divergence, mean_log

NEVER = 1e-6  # votes for what cannot be


@dataclass(frozen=True)
class TagChain(Chain):
    """As `Chain`, with what can follow what in `params["follows"]`; uncertain (variational Bayes) or as most likely.

    variational: whether beginnings and moves are Dirichlet distributions, as votes.
    """

    params: ClassVar[Mapping[str, Axes]] = {
        **Chain.params,
        "follows": Axes(("tags and the beginning", "tags"), "real"),
        "begin_votes": Axes(("true",), "positive"),
        "move_votes": Axes(("true", "next"), "positive"),
    }
    variational: bool = True

    def estimate(self, sums: Params, params: Params) -> Params:
        pseudo = self._pseudo(params)
        begins = np.where(params["follows"][-1] > 0.0, sums["begins"], 0.0) + pseudo[-1]
        moves = np.where(params["follows"][:-1] > 0.0, sums["moves"], 0.0) + pseudo[:-1]
        states = sums["states"] + self.pseudo
        return {
            "follows": params["follows"],
            "begin_votes": begins,
            "move_votes": moves,
            "start": begins / begins.sum(),
            "transition": moves / moves.sum(axis=1, keepdims=True),
            "prior": states / states.sum(),
        }

    def log_prior(self, params: Params) -> float:
        pseudo = self._pseudo(params)
        if self.variational:
            begins = divergence(params["begin_votes"], pseudo[-1])
            return -begins - divergence(params["move_votes"], pseudo[:-1])
        rows = np.vstack([params["transition"], params["start"]])
        return float((pseudo * np.log(rows)).sum())

    def log_rows(self, params: Params) -> tuple[Array, Array]:
        """Logs of the chances to begin with each tag, and to move from one to another; their expectations."""
        if self.variational:
            return mean_log(params["begin_votes"]), mean_log(params["move_votes"])
        return np.log(params["start"]), np.log(params["transition"])

    def posterior(self, ops: NumpyEngine, log_evidence: Array, params: Params) -> Inferred:
        posterior, begins, moves, evidence = ops.chain(*self.layout(ops), *self.log_rows(params), log_evidence)
        return Inferred(posterior, {"begins": begins, "moves": moves, "states": posterior.sum(axis=0)}, evidence)

    def _pseudo(self, params: Params) -> Array:
        return np.where(params["follows"] > 0.0, self.pseudo, NEVER)
