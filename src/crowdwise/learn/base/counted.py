"""Counted: confusion matrices counted against what is taken for true of every item."""

from __future__ import annotations

import torch
from torch import Tensor

from ...votes.crowd import Crowd
from ..training.vote_book import VoteBook, Votes
from .objective import Objective, PredictAll


def counts(target: Tensor, votes: Votes, n_annotators: int) -> Tensor:
    """Votes by annotator, true class and given label, (annotators, true, given), by targets."""
    n_classes = target.shape[1]
    cell = votes.annotator * n_classes + votes.label
    zero = torch.zeros(n_annotators * n_classes, n_classes, device=target.device, dtype=target.dtype)
    summed = zero.index_add(0, cell, target[votes.item] * votes.weight[:, None].to(target.dtype))
    return summed.reshape(n_annotators, n_classes, -1).transpose(1, 2)


def normalised(counted: Tensor, pooled: float) -> Tensor:
    """Confusion matrices from counts, each row with so many votes' worth of the crowd's mean."""
    crowds = counted.sum(dim=0) + 1.0 / counted.shape[1]
    filled = counted + pooled * crowds / crowds.sum(dim=1, keepdim=True)
    return filled / filled.sum(dim=2, keepdim=True)


class Counted(Objective):
    """An objective whose matrices are counted between epochs; here against the network's predictions.

    pooled: votes' worth of the crowd's mean confusion in each row of a matrix.
    """

    matrices: Tensor
    pooled: float = 5.0

    def allocate(self) -> None:
        even = torch.full((self.sizes.annotators, self.sizes.classes, self.sizes.classes), 1.0 / self.sizes.classes)
        self.register_buffer("matrices", even)

    def begin(self, crowd: Crowd) -> None:
        self.book = VoteBook(crowd)

    def confusion(self) -> Tensor:
        return self.matrices

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.count(predict_all())

    def count(self, target: Tensor) -> None:
        """Count the matrices anew."""
        self.matrices.copy_(normalised(counts(target, self.book.everything(), self.sizes.annotators), self.pooled))
