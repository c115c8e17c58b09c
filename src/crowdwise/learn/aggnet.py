"""AggNet: EM in which the network is the class prior of every item."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from .objective import Output, PredictAll
from .soft_labels import SoftLabels
from .votes import Votes


class AggNet(SoftLabels):
    r"""Generalised EM: posteriors from network and votes, counted into confusion matrices and trained on, in turn.

    .. math::
        q_n(k) \propto f_k(x_n) \prod_m A_m[k, l_{nm}], \qquad
        A_m[k, l] \propto s \bar A[k, l] + \sum_n q_n(k) 1[l_{nm} = l]

    from vote shares; after each epoch a new E-step. The counts have s votes' worth of the crowd's mean confusion in
    each row. With one vote an item q stays at the vote and A at the identity: it is then training on noisy labels.

    strength: s. warm_up: epochs on vote shares before the first E-step.

    Reference: Albarqouni et al., IEEE TMI 35(5), 2016; Raykar et al., JMLR 11, 2010, section 4.
    """

    name: ClassVar[str] = "aggnet"

    def __init__(self, strength: float = 5.0, warm_up: int = 2):
        super().__init__()
        self.strength, self.warm_up = strength, warm_up
        self.epochs = 0

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1
        if self.epochs < self.warm_up:
            return
        self.matrices.copy_(self.counted(self.target, self.strength))
        self.target.copy_(self.expected(torch.log(predict_all().clamp_min(1e-12)), self.book.everything()))

    def expected(self, log: Tensor, votes: Votes) -> Tensor:
        """The E-step: posteriors of all items, from the network's log-probabilities and the votes."""
        return self.posterior(Output(log, log), votes)
