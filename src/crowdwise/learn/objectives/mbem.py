"""MBEM: annotators judged by what the network predicts."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ..base.class_prior import ClassPrior
from ..base.objective import Output, PredictAll
from ..base.soft_labels import SoftLabels


class MBEM(SoftLabels):
    r"""Model-bootstrapped EM: confusion matrices counted against the network's hard predictions.

    .. math::
        \hat t_n = \arg\max_k f_k(x_n), \qquad A_m[k, l] \propto \sum_n 1[\hat t_n = k, l_{nm} = l], \qquad
        q_n(k) \propto \pi_k \prod_m A_m[k, l_{nm}]

    without the network in the targets q: it has spoken through the matrices, whose counts have five votes' worth of
    the crowd's mean in each row. After `every` epochs, from vote shares.
    For many items with one vote each, where `AggNet` cannot begin.

    every: epochs between two estimates. class_prior: as for every objective.

    Reference: Khetan, Lipton & Anandkumar, ICLR 2018, algorithm 1.
    """

    name: ClassVar[str] = "mbem"
    epochs: Tensor

    def __init__(self, every: int = 10, class_prior: ClassPrior = None):
        super().__init__(class_prior)
        self.every = every

    def allocate(self) -> None:
        super().allocate()
        self.register_buffer("epochs", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1
        if self.epochs % self.every:
            return
        hard = torch.nn.functional.one_hot(predict_all().argmax(dim=1), self.sizes.classes).float()
        self.count(hard)
        share = torch.log(hard.mean(dim=0).clamp_min(1e-3)).expand(self.sizes.items, -1)
        said = self.log_votes(Output(share, share), self.book.everything())
        self.target.copy_(self.balanced(share + said))
