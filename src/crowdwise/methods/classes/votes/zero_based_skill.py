"""ZeroBasedSkill: skills that follow the agreement with the vote that they weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....fit.method import Callback
from ....fit.options import AnyNumber
from ....votes.codes import Array
from ....votes.known import Known
from .weighted_vote import WeightedVote


@dataclass(frozen=True, kw_only=True)
class ZeroBasedSkill(WeightedVote):
    r"""Wawa repeated: skills take gradient steps towards the agreement with the vote that they weight.

    From :math:`s_j = 1/K` (nobody is better than chance),

    .. math:: s_j \leftarrow s_j + \eta_t \left(\frac{1}{n_j} \sum_i 1[l_{ij} = \hat y_i(s)] - s_j\right)

    the gradient of the squared error between skill and agreement; :math:`\eta_t` starts at `rate` and is halved every
    `halve_after` steps. O(votes + items x classes) a step.

    max_iter, tol: steps at most, and the largest change of a skill that counts as none. ties: as for `MajorityVote`.

    Reference: Crowd-Kit (Ustalov, Pavlichenko & Tseitlin, JOSS 2024), section "Zero-Based Skill".

    >>> from crowdwise import Crowd, ZeroBasedSkill
    >>> votes = {i: {"ann": "cat", "bob": "cat", "cy": "dog"} for i in range(3)} | {9: {"ann": "cat", "cy": "dog"}}
    >>> ZeroBasedSkill().fit(Crowd.from_mapping(votes)).params["skill"].round(2).tolist()
    [1.0, 1.0, 0.0]
    """

    name: ClassVar[str] = "zero-based-skill"
    rate: float = 1.0
    halve_after: int = 20
    max_iter: int = 100
    tol: AnyNumber = 1e-5

    def skills(self, ops: NumpyEngine, known: Known | None, callback: Callback | None) -> tuple[Array, bool]:
        skill = np.full(ops.n_annotators, 1.0 / ops.n_classes)
        for step in range(self.max_iter):
            agreed = self.agreement(ops, self.infer(ops, {"skill": skill}, known))
            error = agreed - skill
            move = self.rate * 0.5 ** (step // self.halve_after) * error
            skill = skill + move
            if np.abs(move).max() < self.tol:
                return skill, True
            if callback is not None and callback(step + 1, -float((error * error).mean())):
                break
        return skill, False
