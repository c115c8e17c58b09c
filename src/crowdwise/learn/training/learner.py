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

    def __init__(self, network: Ensemble, objective: Objective, harden: float = 0.0):
        super().__init__()
        self.network, self.objective, self.harden = network, objective, harden

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
        if self.harden and self.training and len(x) and x.is_floating_point():
            x = self._worst(j, x, votes)
        said = self.network.run(j, x)
        with torch.autocast(x.device.type, enabled=False):  # logs and sums over votes keep their digits
            own = self.objective(Output(said.logits.float(), said.features.float()), votes)
            return own + self.network.penalty(j)

    def _worst(self, j: int, x: Tensor, votes: Votes) -> Tensor:
        """The rows, each feature changed by `harden` of its standard deviations in the direction that hurts most."""
        self.objective.eval()  # what steps with a batch does not step for this one
        moved = x.detach().clone().requires_grad_()
        said = self.network.run(j, moved)
        loss = self.objective(Output(said.logits.float(), said.features.float()), votes)
        (slope,) = torch.autograd.grad(loss, moved)
        self.objective.train()
        return (x + self.harden * self.network.spread * torch.sign(slope)).detach()

    def answer(self, rows: Rows, index: Tensor, unseen: Tensor | None = None) -> Output:
        """What the networks say of some rows, as the objective wants to hear it; see `Ensemble.answer`."""
        return self.network.answer(rows, index, unseen, features=self.objective.wants_features)
