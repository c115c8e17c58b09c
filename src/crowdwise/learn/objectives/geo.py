"""GeoF and GeoW: confusion matrices and classes spread as far as the votes allow."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import torch
from torch import Tensor

from ...fit.options import BelowOne, NonNegative
from ..base.class_prior import ClassPrior
from ..base.confusion_objective import ConfusionObjective
from ..base.objective import Output
from ..training.parallel import gathered

FLOOR = 1e-3  # of the determinant's diagonal, times one over the classes


def log_volume(rows: Tensor) -> Tensor:
    """Log-determinant of the mean of the outer products of rows, (rows, classes); the same for any number of rows."""
    n_classes = rows.shape[1]
    volume = rows.T @ rows / len(rows) + FLOOR / n_classes * torch.eye(n_classes, device=rows.device)
    return torch.linalg.slogdet(volume).logabsdet


class Geo(ConfusionObjective):
    """`CCEM` less strength times the log-volume of one of its factors."""

    def __init__(self, strength: NonNegative = 0.01, diagonal: BelowOne | None = 0.8, class_prior: ClassPrior = None):
        super().__init__(diagonal, class_prior)
        self.strength = strength

    @abstractmethod
    def factor(self, output: Output) -> Tensor:
        """(rows, classes): the mean of its outer products is the matrix whose volume counts."""

    def penalty(self, output: Output) -> Tensor:
        return -self.strength * log_volume(self.factor(output))


class GeoF(Geo):
    r"""GeoCrowdNet(F): classes spread over the simplex.

    .. math:: \text{CCEM} - \lambda \log\det\Big(\frac{1}{B} \sum_n f(x_n) f(x_n)^\top + \epsilon I\Big)

    over a batch of B items: some items must be surely of each class. For crowds without class experts. The mean makes
    lambda mean the same at any batch size, which must exceed the number of classes.

    strength: lambda; large ones collapse small sets. diagonal: what the matrices start with; from a weak one the volume
    may spread classes under wrong names. class_prior: as for every objective.

    Reference: Ibrahim, Nguyen & Fu, ICLR 2023, section 4.
    """

    name: ClassVar[str] = "geo-f"

    def factor(self, output: Output) -> Tensor:
        return gathered(torch.softmax(output.logits, dim=1))


class GeoW(Geo):
    r"""GeoCrowdNet(W): annotators' answers spread over the simplex.

    .. math:: \text{CCEM} - \lambda \log\det\Big(\frac{1}{MK} \sum_{m, l} w_{ml} w_{ml}^\top + \epsilon I\Big)

    with :math:`w_{ml} = A_m[:, l]`: some annotators must be experts of each class. For data without sure items.

    strength: lambda. diagonal: what the matrices start with. class_prior: as for every objective.

    Reference: Ibrahim, Nguyen & Fu, ICLR 2023, section 4.
    """

    name: ClassVar[str] = "geo-w"

    def factor(self, output: Output) -> Tensor:
        return self.confusion()[self.voters].transpose(1, 2).reshape(-1, self.sizes.classes)
