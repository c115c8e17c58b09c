"""Trace and SingleConfusion: confusion matrices as diffuse as the votes allow."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from ...fit.options import BelowOne, NonNegative
from ..base.class_prior import ClassPrior
from ..base.confusion_objective import ConfusionObjective, diagonal_logits
from ..base.objective import Output
from ..training.vote_book import Votes, by_row


class Trace(ConfusionObjective):
    r"""Trace regularisation: `CCEM` with a penalty on the mean trace of the confusion matrices.

    .. math::
        \frac{1}{N} \sum_n \sum_{m \in M(n)} -\log \sum_k f_k(x_n) A_m[k, l_{nm}]
        + \lambda \, \frac{1}{M} \sum_m \mathrm{tr}(A_m)

    which makes annotators as noisy as the votes allow, and so the network as certain: where the mean confusion matrix
    is diagonally dominant, the true matrices are the least ones. The cross-entropy is summed over an item's votes, the
    trace is a mean over annotators: the more votes an item, the less the penalty counts.

    strength: lambda. diagonal: what the matrices start with; they must begin near the identity. class_prior: as for
    every objective.

    Reference: Tanno, Saeedi, Sankaranarayanan, Alexander & Silberman, CVPR 2019, section 2.2, equation 4, in the
    scale of its code (appendix F.1 and F.3), where equation 4 has a sum of traces.
    """

    name: ClassVar[str] = "trace"

    def __init__(self, strength: NonNegative = 0.01, diagonal: BelowOne | None = 0.9, class_prior: ClassPrior = None):
        super().__init__(diagonal, class_prior)
        self.strength = strength

    def fit_to(self, output: Output, votes: Votes) -> Tensor:
        return votes.mean_of_rows(by_row(votes.weight * self.cross_entropy(output, votes), votes, len(output.logits)))

    def penalty(self, output: Output) -> Tensor:
        return self.strength * torch.diagonal(self.confusion()[self.voters], dim1=1, dim2=2).sum(dim=1).mean()


class SingleConfusion(Trace):
    """One confusion matrix for all annotators, with the trace penalty: noise without people.

    strength, diagonal, class_prior: as for `Trace`.

    Reference: Sukhbaatar et al., ICLR workshop 2015; with the trace in Tanno et al., CVPR 2019, section 3.3.
    """

    name: ClassVar[str] = "single-confusion"

    def allocate(self) -> None:
        self.logits = nn.Parameter(diagonal_logits(self.diagonal, self.sizes.classes)[None])

    def log_confusion(self) -> Tensor:
        return super().log_confusion().expand(self.sizes.annotators, -1, -1)
