"""TwoStage: labels first, by any aggregation method, then the network."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...methods import make
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.soft_labels import SoftLabels


class TwoStage(SoftLabels):
    """Aggregate the votes, then train on the outcome: the baseline of everything else here.

    method: the name of an aggregation method. hard: train on its labels; otherwise on its posterior. class_prior: as
    for every objective; hard labels are not moved by it.

    Reference: Sheng, Provost & Ipeirotis, KDD 2008, section 4 (soft and hard labels).
    """

    name: ClassVar[str] = "two-stage"

    def __init__(self, method: str = "dawid-skene", hard: bool = False, class_prior: ClassPrior = None):
        super().__init__(class_prior)
        self.method, self.hard = method, hard

    def first_targets(self, crowd: Crowd) -> Array:
        result = make(self.method).fit(crowd)
        return np.eye(crowd.n_classes)[result.label_codes] if self.hard else result.posterior
