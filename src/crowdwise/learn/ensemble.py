"""Ensemble: several networks, each without one part of the items."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .networks import run_all
from .objective import Output


class Ensemble(nn.Module):
    """Networks, of which number j never learns from rows of fold j; they answer new rows together.

    A single network is an ensemble of one, and learns from everything.
    """

    def __init__(self, networks: list[nn.Module]):
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def folds(self, n_rows: int, seed: int) -> Tensor:
        """A fold for each row, of about the same size; -1 for all where there is one network."""
        if len(self.networks) == 1:
            return torch.full((n_rows,), -1)
        order = torch.randperm(n_rows, generator=torch.Generator().manual_seed(seed))
        fold = torch.empty(n_rows, dtype=torch.long)
        fold[order] = torch.arange(n_rows) % len(self.networks)
        return fold

    def learners(self, fold: Tensor) -> list[tuple[nn.Module, Tensor]]:
        """Each network, and which of the rows it may learn from."""
        return [(network, fold != j) for j, network in enumerate(self.networks)]

    def answer(self, x: Tensor) -> Output:
        """Together: the mean of their log-probabilities, and of their features."""
        said = [run_all(network, x) for network in self.networks]
        logits = torch.stack([torch.log_softmax(each.logits, dim=1) for each in said]).mean(dim=0)
        return Output(logits, torch.stack([each.features for each in said]).mean(dim=0))

    def unseen(self, x: Tensor, fold: Tensor) -> Output:
        """Each row by the network that has not learned from it."""
        if len(self.networks) == 1:
            return run_all(self.networks[0], x)
        said = [run_all(network, x) for network in self.networks]
        each = torch.arange(len(x), device=x.device)
        place = fold.to(x.device)
        return Output(
            torch.stack([one.logits for one in said])[place, each],
            torch.stack([one.features for one in said])[place, each],
        )
