"""Learner: networks and objective as one module, so that the annotators' gradients travel with the network's."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..base.objective import Objective, Output
from ..networks.ensemble import Ensemble
from .parallel import world
from .rows import Rows
from .vote_book import Votes


class Learner(nn.Module):
    """What is trained: the loss of a batch, (rows, ...) with a fold for each row and the votes on them.

    Of several networks it is the sum of their losses, so that weight decay means the same for each.
    """

    def __init__(self, network: Ensemble, objective: Objective):
        super().__init__()
        self.network, self.objective = network, objective

    def forward(self, x: Tensor, fold: Tensor, votes: Votes) -> Tensor:
        n_networks = len(self.network)
        if n_networks == 1:
            return self._of(0, x, votes)
        total = x.new_zeros(())
        for j in range(n_networks):
            may = fold != j
            if world() > 1 or bool(may.any()):  # processes that sum together must go the same way
                total = total + self._of(j, x[may], votes.only(may))
        return total

    def _of(self, j: int, x: Tensor, votes: Votes) -> Tensor:
        x, votes = self.objective.prepare(x, votes)
        said = self.network.run(j, x)
        with torch.autocast(x.device.type, enabled=False):  # logs and sums over votes keep their digits
            own = self.objective(Output(said.logits.float(), said.features.float()), votes)
            return own + self.network.penalty(j)

    def answer(self, rows: Rows, index: Tensor, unseen: Tensor | None = None) -> Output:
        """What the networks say of some rows, as the objective wants to hear it; see `Ensemble.answer`."""
        return self.network.answer(rows, index, unseen, features=self.objective.wants_features)
