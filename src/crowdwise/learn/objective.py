"""Objective: the loss that owns the annotators' parameters. A plain module, for anybody's training loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple, Self

import torch
from torch import Tensor, nn

from ..crowd import Crowd
from .votes import Votes

PredictAll = Callable[[], Tensor]


class Output(NamedTuple):
    """What a network says of a batch: logits of the classes, (rows, classes), and the features under them."""

    logits: Tensor
    features: Tensor


class Objective(nn.Module, ABC):
    """What is minimised when a network learns from votes.

    >>> from crowdwise.learn import CCEM, VoteBook
    >>> crowd = Crowd.from_matrix([[0, 1], [1, 1], [0, -1]])
    >>> objective = CCEM().start(crowd)
    >>> logits = torch.zeros(3, 2)
    >>> objective(Output(logits, logits), VoteBook(crowd).of(torch.arange(3))).item() > 0
    True
    """

    name: ClassVar[str]
    folds: ClassVar[int] = 1
    """How many networks learn, each without one part of the items, so that items are predicted by one that has not
    seen them; 1: a single network that sees all."""

    def start(self, crowd: Crowd, width: int = 0) -> Self:
        """Allocate the annotators' parameters for a crowd, and a network whose features have that width."""
        self.n_items, self.n_annotators, self.n_classes = crowd.n_items, crowd.n_annotators, crowd.n_classes
        return self

    def prepare(self, x: Tensor, votes: Votes) -> tuple[Tensor, Votes]:
        """A batch before the network sees it."""
        return x, votes

    @abstractmethod
    def forward(self, output: Output, votes: Votes) -> Tensor:
        """The loss of a batch."""

    def predict(self, output: Output) -> Tensor:
        """Probabilities of the classes by the features alone, (rows, classes)."""
        return torch.softmax(output.logits, dim=1)

    @abstractmethod
    def confusion(self) -> Tensor:
        """(annotators, true, given)."""

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        """Probabilities of the classes by features and votes together, (rows, classes)."""
        log = torch.log(self.predict(output).clamp_min(1e-12))
        return torch.softmax(log + self.log_votes(votes, len(log)), dim=1)

    def log_votes(self, votes: Votes, n_rows: int) -> Tensor:
        """Log chance of each row's votes given each class, (rows, classes)."""
        log_chance = torch.log(self.confusion().clamp_min(1e-12))[votes.annotator, :, votes.label]  # (votes, true)
        return by_row(log_chance * votes.weight[:, None], votes, n_rows)

    def refresh(self, predict_all: PredictAll) -> None:
        """Between epochs: renew what depends on the predictions of all items, (items, classes)."""


def by_row(values: Tensor, votes: Votes, n_rows: int) -> Tensor:
    """Values a vote, (votes, ...), summed by row of the batch."""
    return torch.zeros(n_rows, *values.shape[1:], dtype=values.dtype, device=values.device).index_add(
        0, votes.row, values
    )
