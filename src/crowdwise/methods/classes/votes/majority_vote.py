"""MajorityVote: the class that most annotators name."""

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
class MajorityVote(WeightedVote):
    r"""The class that most annotators name; vote shares as posterior.

    .. math:: q_i(k) = \sum_j w_{ij} 1[l_{ij} = k] \, / \, \sum_j w_{ij}

    O(votes + items x classes). Use it as the baseline, and where every annotator is about as good as the next.

    ties: "first" (in the order of classes), "frequent" (over all items) or "random" (by seed and place).

    Reference: the folklore; Sheng, Provost & Ipeirotis, KDD 2008, section 3.

    >>> from crowdwise import Crowd, MajorityVote
    >>> crowd = Crowd.from_mapping({"i1": {"ann": "cat", "bob": "cat", "cy": "dog"}, "i2": {"ann": "dog"}})
    >>> result = MajorityVote().fit(crowd)
    >>> result.labels.tolist(), result.posterior.round(2).tolist()
    (['cat', 'dog'], [[0.67, 0.33], [0.0, 1.0]])
    """

    name: ClassVar[str] = "majority-vote"

    def skills(self, ops: NumpyEngine, known: Known | None, callback: Callback | None) -> tuple[Array, bool]:
        return np.ones(ops.n_annotators), True

    def scores(self, ops: NumpyEngine, params: dict[str, Array]) -> Array:
        return ops.item_votes()
