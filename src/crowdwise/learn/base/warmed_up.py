"""WarmedUp: objectives whose first epochs teach the network a first guess."""

from __future__ import annotations

import torch
from torch import Tensor

from ..training.vote_book import Votes
from .objective import Objective, Output, PredictAll


class WarmedUp(Objective):
    """An objective that is something plainer for `warm_up` epochs; how many are done is kept with the model."""

    warm_up: int
    epochs: Tensor

    def allocate(self) -> None:
        self.register_buffer("epochs", torch.zeros((), dtype=torch.long))

    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1

    @property
    def warming(self) -> bool:
        """Whether these are the first epochs."""
        return bool(self.epochs < self.warm_up)

    def towards(self, log_guess: Tensor, output: Output, votes: Votes) -> Tensor:
        """Cross-entropy of the network with a guess at each row's class, in logs; nothing else moves."""
        guess = torch.softmax(log_guess.detach(), dim=1)
        nothing = 0.0 * sum(parameter.sum() for parameter in self.parameters())
        return votes.mean_of_rows(-(guess * torch.log_softmax(output.logits, dim=1)).sum(dim=1)) + nothing
