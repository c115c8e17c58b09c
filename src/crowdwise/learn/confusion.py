"""ConfusionObjective: a confusion matrix for each annotator, rows softmax, fitted by gradients."""

from __future__ import annotations

import math
from typing import Self

import torch
from torch import Tensor, nn

from ..crowd import Crowd
from ..errors import InputError
from .objective import Objective, Output
from .votes import Votes


class ConfusionObjective(Objective):
    """Votes drawn from the network's classes through confusion matrices: their mean cross-entropy, and a penalty.

    diagonal: the chance to be right that every matrix starts with, above that of guessing, or the classes would come
    out under wrong names; None: e / (e + classes - 1), a weak one.
    """

    def __init__(self, diagonal: float | None = None):
        super().__init__()
        if diagonal is not None and not 0.0 < diagonal < 1.0:
            raise InputError(f"diagonal={diagonal} must lie between 0 and 1")
        self.diagonal = diagonal

    def start(self, crowd: Crowd, width: int = 0) -> Self:
        super().start(crowd, width)
        right = math.e / (math.e + self.n_classes - 1) if self.diagonal is None else self.diagonal
        strength = math.log(right * (self.n_classes - 1) / (1.0 - right)) if self.n_classes > 1 else 0.0
        if strength < 0.0:
            raise InputError(f"diagonal={self.diagonal} is worse than guessing among {self.n_classes} classes")
        self.logits = nn.Parameter(strength * torch.eye(self.n_classes).repeat(self.n_annotators, 1, 1))
        return self

    def confusion(self) -> Tensor:
        return torch.softmax(self.logits, dim=2)

    def forward(self, output: Output, votes: Votes) -> Tensor:
        log_true = torch.log_softmax(output.logits, dim=1)[votes.row]  # (votes, true)
        log_given = torch.log_softmax(self.logits, dim=2)[votes.annotator, :, votes.label]
        return votes.mean(-torch.logsumexp(log_true + log_given, dim=1)) + self.penalty(output)

    def penalty(self, output: Output) -> Tensor:
        """What is added to the cross-entropy; a mean, whatever the batch and the crowd."""
        return output.logits.new_zeros(())
