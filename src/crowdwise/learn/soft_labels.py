"""SoftLabels: the network learns from distributions over classes, one an item, that may be renewed between epochs."""

from __future__ import annotations

from typing import Self

import numpy as np
import torch
from torch import Tensor

from ..codes import Array
from ..crowd import Crowd
from ..em import vote_shares
from ..engine import bind
from .objective import Objective, Output, by_row
from .votes import VoteBook, Votes


class SoftLabels(Objective):
    """Cross-entropy with a target for each item, (items, classes); a method says what the targets are."""

    target: Tensor
    matrices: Tensor

    def start(self, crowd: Crowd, width: int = 0) -> Self:
        super().start(crowd, width)
        self.book = VoteBook(crowd)
        self.register_buffer("target", _single(self.first_targets(crowd)))
        self.register_buffer("matrices", self.counted(self.target))
        return self

    def first_targets(self, crowd: Crowd) -> Array:
        """Targets before there are predictions: the votes."""
        return vote_shares(bind(crowd, "numpy"))

    def forward(self, output: Output, votes: Votes) -> Tensor:
        """A row's target is that of its item or, where rows were mixed, of its items by the weight of their votes."""
        n_rows = len(output.logits)
        total = by_row(votes.weight, votes, n_rows).clamp_min(1e-12)
        target = by_row(votes.weight[:, None] * self.target[votes.item], votes, n_rows) / total[:, None]
        return self.of_voted(-(target * torch.log_softmax(output.logits, dim=1)).sum(dim=1), votes)

    @staticmethod
    def of_voted(loss: Tensor, votes: Votes) -> Tensor:
        """The mean of a loss a row, over the rows that have votes."""
        voted = torch.zeros_like(loss)
        voted[votes.row] = 1.0
        return (voted * loss).sum() / voted.sum().clamp_min(1.0)

    def confusion(self) -> Tensor:
        return self.matrices

    def counted(self, target: Tensor, strength: float = 5.0) -> Tensor:
        """Confusion matrices counted against targets, each row with so many votes' worth of the crowd's mean."""
        votes = self.book.everything()
        cell = votes.annotator * self.n_classes + votes.label
        counts = torch.zeros(self.n_annotators * self.n_classes, self.n_classes, device=target.device)
        counts = counts.index_add(0, cell, target[votes.item] * votes.weight[:, None])
        counts = counts.reshape(self.n_annotators, self.n_classes, -1).transpose(1, 2)
        crowds = counts.sum(dim=0) + 1.0 / self.n_classes
        counts = counts + strength * crowds / crowds.sum(dim=1, keepdim=True)
        return counts / counts.sum(dim=2, keepdim=True)


def _single(values: Array) -> Tensor:
    return torch.as_tensor(np.asarray(values), dtype=torch.float32)
