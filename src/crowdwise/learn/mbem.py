"""MBEM: annotators judged by what the network predicts."""

from __future__ import annotations

from typing import ClassVar

import torch

from .objective import Output, PredictAll
from .soft_labels import SoftLabels


class MBEM(SoftLabels):
    r"""Model-bootstrapped EM: confusion matrices counted against the network's hard predictions.

    .. math::
        \hat t_n = \arg\max_k f_k(x_n), \qquad A_m[k, l] \propto \sum_n 1[\hat t_n = k, l_{nm} = l], \qquad
        q_n(k) \propto \pi_k \prod_m A_m[k, l_{nm}]

    without the network in the posterior: it has spoken through the matrices. After `every` epochs, from vote shares.
    For many items with one vote each, where `AggNet` cannot begin.

    every: epochs between two estimates.

    Reference: Khetan, Lipton & Anandkumar, ICLR 2018, algorithm 1.
    """

    name: ClassVar[str] = "mbem"

    def __init__(self, every: int = 10):
        super().__init__()
        self.every, self.epochs = every, 0

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1
        if self.epochs % self.every:
            return
        hard = torch.nn.functional.one_hot(predict_all().argmax(dim=1), self.n_classes).float()
        self.matrices.copy_(self.counted(hard))
        share = torch.log(hard.mean(dim=0).clamp_min(1e-3)).expand(self.n_items, -1)
        self.target.copy_(super().posterior(Output(share, share), self.book.everything()))
