"""InstanceTrace: confusion matrices that depend on the item."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from ...fit.options import BelowOne, NonNegative
from ..base.class_prior import ClassPrior
from ..base.confusion_objective import ConfusionObjective
from ..base.objective import Output
from ..training.vote_book import Votes, by_row


class InstanceTrace(ConfusionObjective):
    r"""Confusion matrices of the item as well as the annotator, with the trace penalty.

    .. math::
        A_m(x) = \mathrm{softmax}\Big(P_m + \sum_{r=1}^{R} u_r(x) \, Q_{mr}\Big), \qquad
        \text{CE}(A_m(x)^\top f(x), l) + \lambda \, \overline{\mathrm{tr}\, A_m(x)}

    over the observed votes; u is a linear map of the network's features, of low rank R, so that an annotator has R + 1
    matrices and not one for each feature. P starts near the identity, Q at nought. `confusion` gives the softmax of P:
    the annotator on an item that is like no other.

    strength: lambda. rank: R. diagonal: what the matrices start with. class_prior: as for every objective.

    Reference: Zhang et al., NeurIPS 2020, section 3; the low-rank form is in its section 3.3.
    """

    name: ClassVar[str] = "instance-trace"
    wants_features: ClassVar[bool] = True

    def __init__(
        self,
        strength: NonNegative = 0.01,
        rank: int = 4,
        diagonal: BelowOne | None = 0.9,
        class_prior: ClassPrior = None,
    ):
        super().__init__(diagonal, class_prior)
        self.strength, self.rank = strength, rank

    def allocate(self) -> None:
        super().allocate()
        self.of_item = nn.Linear(self.sizes.width, self.rank, bias=False)
        self.turn = nn.Parameter(torch.zeros(self.sizes.annotators, self.rank, self.sizes.classes, self.sizes.classes))

    def loss(self, output: Output, votes: Votes) -> Tensor:
        log_true = torch.log_softmax(output.logits, dim=1)[votes.row]
        matrix = self._log_matrices(output, votes)
        said = torch.logsumexp(log_true + given(matrix, votes), dim=1)
        trace = torch.exp(torch.diagonal(matrix, dim1=1, dim2=2)).sum(dim=1)
        return votes.mean(self.strength * trace - said)

    def log_votes(self, output: Output, votes: Votes) -> Tensor:
        said = given(self._log_matrices(output, votes), votes)
        return by_row(said * votes.weight[:, None], votes, len(output.logits))

    def _log_matrices(self, output: Output, votes: Votes) -> Tensor:
        """Logs of each vote's own matrix, (votes, true, given)."""
        place = self.of_item(output.features)[votes.row]  # (votes, rank)
        turned = torch.einsum("vr,vrkl->vkl", place, self.turn[votes.annotator])
        return torch.log_softmax(self.logits[votes.annotator] + turned, dim=2)


def given(matrix: Tensor, votes: Votes) -> Tensor:
    """(votes, true): the column of the label that was given."""
    return matrix[torch.arange(len(votes.label), device=matrix.device), :, votes.label]
