"""SoftLabels: the network learns from distributions over classes, one an item, that may be renewed between epochs."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ...votes.codes import Array
from ...votes.crowd import Crowd
from ..training.vote_book import Votes, by_row
from .class_prior import weights
from .counted import Counted
from .first_guess import first_shares
from .objective import Output, PredictAll


class SoftLabels(Counted):
    """Cross-entropy with a target for each item, (items, classes); a method says what the targets are.

    What is stated about the classes is said of the targets: they are weighted by class until their mean is that.
    """

    target: Tensor
    hard: bool = False
    """Whether the first targets are labels, which no statement moves."""

    def allocate(self) -> None:
        super().allocate()
        self.register_buffer("target", torch.full((self.sizes.items, self.sizes.classes), 1.0 / self.sizes.classes))

    def begin(self, crowd: Crowd) -> None:
        super().begin(crowd)
        first = torch.as_tensor(np.asarray(self.first_targets(crowd)), dtype=torch.float32)
        self.target.copy_(first if self.hard else self.balanced(torch.log(first.clamp_min(1e-12))))
        self.count(self.target)

    def first_targets(self, crowd: Crowd) -> Array:
        """Targets before there are predictions: the votes."""
        return first_shares(crowd)

    def refresh(self, predict_all: PredictAll) -> None:
        """The targets stay."""

    def loss(self, output: Output, votes: Votes) -> Tensor:
        """A row's target is that of its item or, where rows were mixed, of its items by the weight of their votes."""
        n_rows = len(output.logits)
        total = by_row(votes.weight, votes, n_rows).clamp_min(1e-12)
        target = by_row(votes.weight[:, None] * self.target[votes.item], votes, n_rows) / total[:, None]
        return votes.mean_of_rows(-(target * torch.log_softmax(output.logits, dim=1)).sum(dim=1))

    def balance(self, output: Output) -> Tensor:
        return output.logits.new_zeros(())

    def balanced(self, joint: Tensor) -> Tensor:
        """Distributions from logs, weighted by class where something is stated of the items that were voted on."""
        return torch.softmax(joint + self.class_weight(joint[self.voted]), dim=1)

    def class_weight(self, joint: Tensor) -> Tensor:
        """Log weights of the classes under which the mean is what is stated; nothing stated, none."""
        return torch.zeros_like(joint[0]) if self.stated is None else weights(joint, self.stated)
