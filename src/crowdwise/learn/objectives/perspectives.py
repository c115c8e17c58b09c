"""Perspectives: the network learns what share of people would say what, and no single truth."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...study.panels import soft_labels
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.soft_labels import SoftLabels


class Perspectives(SoftLabels):
    """Trains on the shares of people who would give each class (`crowdwise.perspectives.soft_labels`).

    For questions that people may answer differently and be right: its predictions are shares, not chances of a truth.
    strength: how many votes of the crowd's shares an item's votes are drawn by; found by held-out votes unless told.
    For groups of people, train one on the votes of each: `crowd.subset(annotators=...)`. class_prior: as for every
    objective.

    Reference: Peterson, Battleday, Griffiths & Russakovsky, ICCV 2019; Uma et al., JAIR 72, 2021.
    """

    name: ClassVar[str] = "perspectives"

    def __init__(self, strength: float | None = None, class_prior: ClassPrior = None):
        super().__init__(class_prior)
        self.strength = strength

    def first_targets(self, crowd: Crowd) -> Array:
        return np.asarray(soft_labels(crowd, strength=self.strength))
