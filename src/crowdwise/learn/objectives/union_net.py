"""UnionNet: the votes of all annotators as draws from one distribution."""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from torch import Tensor, nn

from ...fit.options import BelowOne
from ..base.class_prior import ClassPrior
from ..base.objective import Objective, Output
from ..training.vote_book import Votes, by_row


class UnionNet(Objective):
    r"""The votes of all annotators as one union: a single transition from classes to (annotator, label).

    .. math::
        \frac{1}{N} \sum_n \sum_m -\log \sum_k T[k, (m, l_{nm})] f_k(x_n), \qquad T[k, \cdot] = \mathrm{softmax}(U_k)

    over all pairs of annotator and label together: annotators compete for the chance of a vote, and those whose labels
    fit the network get more of it. `confusion` gives the rows of T within an annotator.

    doubt: the share off the diagonal of U where it starts. class_prior: as for every objective.

    Reference: Wei, Xie, Feng, Han & An, IEEE TNNLS 34, 2022, section IV (UnionNet-B), equations 2, 6 and 7.
    """

    name: ClassVar[str] = "union-net"

    def __init__(self, doubt: BelowOne = 1e-5, class_prior: ClassPrior = None):
        super().__init__(class_prior)
        self.doubt = doubt

    def allocate(self) -> None:
        k = self.sizes.classes
        first = (1.0 - self.doubt) * torch.eye(k) + self.doubt / max(k - 1, 1) * (1.0 - torch.eye(k))
        self.logits = nn.Parameter(first.repeat(self.sizes.annotators, 1, 1))  # (annotators, true, given)

    def log_union(self) -> Tensor:
        """Logs of T, (annotators, true, given): for each true class they sum to one over annotators and labels."""
        return self.logits - torch.logsumexp(self.logits, dim=(0, 2), keepdim=True)

    def loss(self, output: Output, votes: Votes) -> Tensor:
        log_true = torch.log_softmax(output.logits, dim=1)[votes.row]
        said = torch.logsumexp(log_true + self.log_union()[votes.annotator, :, votes.label], dim=1)
        # A vote's chance is shared among all annotators: the constant keeps the loss in the range of the others'.
        said = said + math.log(self.sizes.annotators)
        return votes.mean_of_rows(by_row(-votes.weight * said, votes, len(output.logits)))

    def confusion(self) -> Tensor:
        return torch.softmax(self.logits, dim=2)
