"""AggNet: EM in which the network is the class prior of every item."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ...fit.options import Natural, NonNegative
from ..base.class_prior import ClassPrior
from ..base.objective import Output, PredictAll
from ..base.soft_labels import SoftLabels
from ..training.vote_book import Votes


class AggNet(SoftLabels):
    r"""Generalised EM: posteriors from network and votes, counted into confusion matrices and trained on, in turn.

    .. math::
        q_n(k) \propto f_k(x_n) \prod_m A_m[k, l_{nm}], \qquad
        A_m[k, l] \propto s \bar A[k, l] + \sum_n q_n(k) 1[l_{nm} = l]

    from vote shares; after `every` epochs a new E-step. The counts have s votes' worth of the crowd's mean confusion in
    each row. With one vote per item q stays at the vote and A at the identity: it is then training on noisy labels.

    pooled: s. warm_up: epochs on vote shares before the first E-step. every: epochs between two E-steps.
    class_prior: as for every objective.

    Reference: Albarqouni et al., IEEE TMI 35(5), 2016; Raykar et al., JMLR 11, 2010, section 4.
    """

    name: ClassVar[str] = "aggnet"
    rounds: int = 1
    """How often posteriors and matrices are renewed, in turn, with the predictions of an epoch."""
    epochs: Tensor
    log_weight: Tensor

    def __init__(self, pooled: NonNegative = 5.0, warm_up: Natural = 2, every: int = 1, class_prior: ClassPrior = None):
        super().__init__(class_prior)
        self.pooled, self.warm_up, self.every = pooled, warm_up, every

    def allocate(self) -> None:
        super().allocate()
        self.register_buffer("epochs", torch.zeros((), dtype=torch.long))
        self.register_buffer("log_weight", torch.zeros(self.sizes.classes))

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1
        if self.epochs < self.warm_up or self.epochs % self.every:
            return
        self.e_step(torch.log(predict_all().clamp_min(1e-12)), self.book.everything())

    def e_step(self, log: Tensor, votes: Votes) -> None:
        """Targets and annotators from all votes and what the network says of all items, in logs."""
        for _ in range(self.rounds):
            self.count(self.target)
            self.settle(log, votes)
            self.target.copy_(self.posterior(Output(log, log), votes))

    def settle(self, log: Tensor, votes: Votes) -> None:
        """What the E-step needs to know of all items at once: the class weights."""
        joint = log + self.log_votes(Output(log, log), votes)
        self.log_weight.copy_(self.class_weight(joint[self.voted]))

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        joint = torch.log_softmax(output.logits, dim=1) + self.log_votes(output, votes)
        return torch.softmax(joint + self.log_weight, dim=1)
