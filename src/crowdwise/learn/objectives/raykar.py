"""Raykar: EM of annotators and a classifier, each M-step carried through."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ...fit.options import NonNegative
from ..base.class_prior import ClassPrior
from ..base.counted import counts
from .aggnet import AggNet


class Raykar(AggNet):
    r"""Learning from crowds: EM of confusion matrices with a Dirichlet prior and a classifier trained to the end.

    .. math::
        \mu_n(k) \propto f_k(x_n) \prod_m A_m[k, l_{nm}], \qquad
        A_m[k, l] \propto a_{kl} + \sum_n \mu_n(k) 1[l_{nm} = l]

    The paper's classifier is logistic regression (`network="linear"`, whose weight decay is its Gaussian prior) with
    Newton steps; here it is trained by gradients for `every` epochs between two E-steps, towards the same optimum, for
    the M-step of logistic regression is convex. Other networks give the deep version.

    right, wrong: pseudo-counts a on and off the diagonal. every: epochs of an M-step. class_prior: as for every
    objective.

    Reference: Raykar et al., JMLR 11, 2010, sections 2.4 and 4.
    """

    name: ClassVar[str] = "raykar"

    def __init__(
        self, right: NonNegative = 1.0, wrong: NonNegative = 0.1, every: int = 5, class_prior: ClassPrior = None
    ):
        super().__init__(warm_up=every, every=every, class_prior=class_prior)
        self.right, self.wrong = right, wrong

    def count(self, target: Tensor) -> None:
        pseudo = self.wrong + (self.right - self.wrong) * torch.eye(self.sizes.classes, device=target.device)
        filled = counts(target, self.book.everything(), self.sizes.annotators) + pseudo
        self.matrices.copy_(filled / filled.sum(dim=2, keepdim=True))
