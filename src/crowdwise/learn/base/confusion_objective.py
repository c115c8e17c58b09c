"""ConfusionObjective: a confusion matrix for each annotator, rows softmax, fitted by gradients."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from ...errors import InputError
from ...fit.options import BelowOne
from ..training.vote_book import Votes
from .class_prior import ClassPrior
from .objective import Objective, Output


def diagonal_logits(diagonal: float | None, n_classes: int) -> Tensor:
    """Logits of a matrix with that diagonal and the rest spread evenly; None: e / (e + classes - 1), a weak one.

    >>> torch.softmax(diagonal_logits(0.8, 3), dim=1).diagonal().mean().item()
    0.800000011920929
    """
    right = math.e / (math.e + n_classes - 1) if diagonal is None else diagonal
    if n_classes > 1 and right < 1.0 / n_classes:
        raise InputError(f"diagonal={diagonal} is worse than guessing among {n_classes} classes")
    strength = math.log(right * (n_classes - 1) / (1.0 - right)) if n_classes > 1 else 0.0
    return strength * torch.eye(n_classes)


class ConfusionObjective(Objective):
    """Votes drawn from the network's classes through confusion matrices: their mean cross-entropy, and a penalty.

    diagonal: the chance to be right that every matrix starts with, above that of guessing, or the classes would come
    out under wrong names; None: e / (e + classes - 1), a weak one. class_prior: as for every objective.
    """

    def __init__(self, diagonal: BelowOne | None = None, class_prior: ClassPrior = None):
        super().__init__(class_prior)
        self.diagonal = diagonal

    def allocate(self) -> None:
        first = diagonal_logits(self.diagonal, self.sizes.classes)
        self.logits = nn.Parameter(first.repeat(self.sizes.annotators, 1, 1))

    def log_confusion(self) -> Tensor:
        """Logs of the matrices, (annotators, true, given)."""
        return torch.log_softmax(self.logits, dim=2)

    def confusion(self) -> Tensor:
        return torch.exp(self.log_confusion())

    def loss(self, output: Output, votes: Votes) -> Tensor:
        return self.fit_to(output, votes) + self.penalty(output)

    def fit_to(self, output: Output, votes: Votes) -> Tensor:
        """How badly the votes are explained."""
        return votes.mean(self.cross_entropy(output, votes))

    def cross_entropy(self, output: Output, votes: Votes) -> Tensor:
        """Of each vote, (votes,)."""
        log_true = torch.log_softmax(output.logits, dim=1)[votes.row]  # (votes, true)
        log_given = self.log_confusion()[votes.annotator, :, votes.label]
        return -torch.logsumexp(log_true + log_given, dim=1)

    def penalty(self, output: Output) -> Tensor:
        """What is added to the cross-entropy; a mean, whatever the batch and the crowd."""
        return output.logits.new_zeros(())
