"""GroupShares: classes that are more common among items of some groups than of others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....engine import NumpyEngine, normalise
from ....fit.params import Params
from ....fit.structure import Independent, Inferred, class_shares
from ....votes.attributes import groups_of_items
from ....votes.codes import Array


@dataclass(frozen=True)
class GroupShares(Independent):
    """The shares of the classes in each group of items, by a column of the items; "prior" has those of all."""

    by: str
    prior: str | tuple[float, ...] = "learned"
    smoothing: float = 0.01

    def sums(self, ops: NumpyEngine, posterior: Array) -> Params:
        groups = groups_of_items(ops.crowd, self.by)
        mass = [np.bincount(groups.code, column, groups.names.size) for column in posterior.T]
        return {**super().sums(ops, posterior), "group_states": np.stack(mass, axis=1)}

    def estimate(self, sums: Params, params: Params) -> Params:
        rows = [class_shares(self.prior, row + self.smoothing) for row in sums["group_states"]]
        return {"prior": class_shares(self.prior, sums["states"] + self.smoothing), "group_shares": np.array(rows)}

    def posterior(self, ops: NumpyEngine, log_evidence: Array, params: Params) -> Inferred:
        groups = groups_of_items(ops.crowd, self.by)
        rows = np.log(params["group_shares"])[groups.among(params["groups"])]
        posterior, evidence = normalise(log_evidence + rows[groups.code])
        return Inferred(posterior, self.sums(ops, posterior), evidence)

    def log_shares(self, params: Params) -> Array:
        return np.log(params["prior"])

    def log_sums(self, sums: Params, params: Params) -> float:
        return float((sums["group_states"] * np.log(params["group_shares"])).sum())

    def log_prior(self, params: Params) -> float:
        return self.smoothing * float(np.log(params["group_shares"]).sum()) if self.prior == "learned" else 0.0
