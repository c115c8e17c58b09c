"""Ensemble: several networks, each without one part of the items."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..base.objective import Output
from ..training.rows import AT_ONCE, Rows
from .build import run
from .prepared import Prepared


class Ensemble(nn.Module):
    """Networks on features of one scale, of which number j never learns from rows of fold j; they answer together.

    A single network is an ensemble of one, and learns from everything.
    """

    centre: Tensor
    spread: Tensor

    def __init__(self, networks: list[nn.Module], centre: Tensor, spread: Tensor):
        super().__init__()
        self.networks = nn.ModuleList(networks)
        self.register_buffer("centre", centre)
        self.register_buffer("spread", spread)

    def __len__(self) -> int:
        return len(self.networks)

    def folds(self, n_rows: int, seed: int) -> Tensor:
        """A fold for each row, of about the same size; -1 for all where there is one network."""
        if len(self) == 1:
            return torch.full((n_rows,), -1)
        order = torch.randperm(n_rows, generator=torch.Generator().manual_seed(seed))
        fold = torch.empty(n_rows, dtype=torch.long)
        fold[order] = torch.arange(n_rows) % len(self)
        return fold

    def run(self, j: int, x: Tensor) -> Output:
        """What network j says of a batch."""
        return run(self.networks[j], (x - self.centre) / self.spread if x.is_floating_point() else x)

    def penalty(self, j: int) -> Tensor | float:
        """What network j adds to the loss of a batch."""
        network = self.networks[j]
        return network.penalty() if isinstance(network, Prepared) else 0.0

    @property
    def pace(self) -> float:
        """What the rate of learning is multiplied with."""
        return self.networks[0].pace if isinstance(self.networks[0], Prepared) else 1.0

    def begin(self, rows: Rows, index: Tensor) -> None:
        """Show networks that want it some rows before training, and say how many there are."""
        wanted = [network for network in self.networks if isinstance(network, Prepared)]
        if wanted:
            some = index[torch.randperm(len(index))[:AT_ONCE]]
            x = (next(iter(rows.batches([some]))).to(self.centre.device) - self.centre) / self.spread
            seen = len(index) if len(self) == 1 else len(index) * (len(self) - 1) // len(self)
            for network in wanted:
                network.begin(x, seen)

    @torch.no_grad()
    def answer(self, rows: Rows, index: Tensor, unseen: Tensor | None = None, *, features: bool = True) -> Output:
        """Some rows by all networks together: the mean of their log-probabilities, and of their features.

        unseen: the fold of each, where each is to be answered by the network alone that has not learned from it.
        features: otherwise the logits stand for them, in less memory.
        """
        was, device = self.training, self.centre.device
        self.eval()
        parts = torch.split(index, AT_ONCE)
        folds = [None] * len(parts) if unseen is None else torch.split(unseen, AT_ONCE)
        said = [
            self._together(x.to(device), fold, features) for x, fold in zip(rows.batches(parts), folds, strict=True)
        ]
        self.train(was)
        return Output(torch.cat([part.logits for part in said]), torch.cat([part.features for part in said]))

    def _together(self, x: Tensor, fold: Tensor | None, wanted: bool) -> Output:
        said = [self.run(j, x) for j in range(len(self))]
        logits = torch.stack([torch.log_softmax(each.logits.float(), dim=1) for each in said])
        features = torch.stack([each.features.float() for each in said]) if wanted else logits
        if fold is None or len(self) == 1:
            return Output(logits.mean(dim=0), features.mean(dim=0))
        each, row = fold.to(x.device), torch.arange(len(x), device=x.device)
        return Output(logits[each, row], features[each, row])
