"""Wawa: votes counted by how often an annotator agrees with the majority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....fit.method import Callback
from ....votes.codes import Array
from ....votes.known import Known
from .weighted_vote import WeightedVote


@dataclass(frozen=True, kw_only=True)
class Wawa(WeightedVote):
    r"""Worker agreement with aggregate: a majority vote, then a vote weighted by agreement with it.

    .. math:: s_j = \frac{1}{n_j} \sum_i 1[l_{ij} = \hat y_i], \qquad q_i(k) \propto \sum_j s_j 1[l_{ij} = k]

    with :math:`\hat y` the majority vote (ties shared, gold obeyed). O(votes + items x classes). Use it where votes
    are too few for a model and a majority vote is too trusting.

    ties: as for `MajorityVote`.

    Reference: Appen, Calculating Worker Agreement with Aggregate (Wawa), 2021.

    >>> from crowdwise import Crowd, Wawa
    >>> votes = {i: {"ann": "cat", "bob": "cat", "cy": "dog"} for i in range(3)} | {9: {"ann": "cat", "cy": "dog"}}
    >>> result = Wawa().fit(Crowd.from_mapping(votes))
    >>> result.labels.tolist(), result.params["skill"].round(2).tolist()
    (['cat', 'cat', 'cat', 'cat'], [0.88, 1.0, 0.12])
    """

    name: ClassVar[str] = "wawa"

    def skills(self, ops: NumpyEngine, known: Known | None, callback: Callback | None) -> tuple[Array, bool]:
        majority = self.infer(ops, {"skill": np.ones(ops.n_annotators)}, known)
        return self.agreement(ops, majority), True
