"""Class shares that are uncertain: a Dirichlet posterior, by variational Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....fit.params import Params
from ....fit.structure import Independent, class_shares
from ....votes.codes import Array
from .dirichlet import divergence, mean_log

CERTAIN = 1e9  # votes behind shares that are given, and not learned


@dataclass(frozen=True)
class ClassVotes(Independent):
    """Shares of the classes as votes: those of the prior, and those counted. pseudo: the prior's, for each class."""

    prior: str | tuple[float, ...]
    pseudo: float

    def estimate(self, sums: Params, params: Params) -> Params:
        mass = sums["states"]
        votes = mass + self.pseudo if self.prior == "learned" else CERTAIN * class_shares(self.prior, mass)
        return {"class_votes": votes, "prior": votes / votes.sum()}

    def log_shares(self, params: Params) -> Array:
        return mean_log(params["class_votes"])

    def log_prior(self, params: Params) -> float:
        votes = params["class_votes"]
        return -divergence(votes, np.full_like(votes, self.pseudo)) if self.prior == "learned" else 0.0
