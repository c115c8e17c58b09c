"""CCEMVector: network and annotators' accuracies by class, learned together."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from ..base.confusion_objective import ConfusionObjective, diagonal_logits


class CCEMVector(ConfusionObjective):
    r"""`CCEM` with a confusion vector in place of a matrix: how often an annotator is right about each class.

    .. math:: A_m[k, l] = w_{mk} \; \text{if} \; l = k, \; \text{else} \; \frac{1 - w_{mk}}{K - 1}

    K numbers for each annotator in place of K (K - 1): for few votes each, where errors go to no class in particular.

    diagonal: what w starts with. class_prior: as for every objective.

    Reference: the confusion vector is in the tutorial of Ibrahim, Traganitis, Fu & Giannakis (2025), with EM; here it
    is learned by gradients, with the network.
    """

    name: ClassVar[str] = "ccem-vector"

    def allocate(self) -> None:
        # A sigmoid's logit gives w; the start is that of the matrices.
        k = self.sizes.classes
        right = torch.softmax(diagonal_logits(self.diagonal, k), dim=1).diagonal().clamp(1e-6, 1.0 - 1e-6)
        self.logits = nn.Parameter(torch.logit(right).repeat(self.sizes.annotators, 1))  # (annotators, true)

    def log_confusion(self) -> Tensor:
        k = self.sizes.classes
        right, wrong = torch.nn.functional.logsigmoid(self.logits), torch.nn.functional.logsigmoid(-self.logits)
        wrong = wrong - torch.log(torch.tensor(float(max(k - 1, 1))))
        same = torch.eye(k, dtype=torch.bool, device=right.device)
        return torch.where(same, right[:, :, None], wrong[:, :, None])
