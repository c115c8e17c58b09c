"""COINNet: confusion matrices, and a sparse deviation from them for each vote."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from ...fit.options import BelowOne, NonNegative
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.objective import Output
from ..training.vote_book import Votes, by_row
from .geo import GeoF

FLOOR = 1e-10


class COINNet(GeoF):
    r"""Sparse, item-dependent outliers beside confusion matrices.

    .. math::
        p_{nm} = A_m^\top f(x_n) + e_{nm}, \qquad
        \text{CE} + \mu \, \frac{1}{B} \sum_n \Big(\sum_m \|e_{nm}\|^2 + \epsilon\Big)^{p/2} - \lambda \log\det F

    where :math:`e_{nm}` sums to zero and p < 1 makes most items' vanish: votes on them are explained by who gave them.
    The others are outliers, items on which annotators err in ways of their own; `outliers` scores them. Only the
    observed votes have an e: memory as the votes. Two votes an item at least, or it explains everything.

    sparsity: mu; the paper's .01 lets e explain every vote by itself. exponent: p. strength: lambda. diagonal: what the
    matrices start with. class_prior: as for every objective.

    Reference: Nguyen, Ibrahim & Fu, NeurIPS 2024, equations 8 to 10.
    """

    name: ClassVar[str] = "coinnet"
    item: Tensor

    def __init__(
        self,
        sparsity: NonNegative = 0.3,
        exponent: float = 0.4,
        strength: NonNegative = 0.01,
        diagonal: BelowOne | None = 0.8,
        class_prior: ClassPrior = None,
    ):
        super().__init__(strength, diagonal, class_prior)
        self.sparsity, self.exponent = sparsity, exponent

    def allocate(self) -> None:
        super().allocate()
        self.deviation = nn.Parameter(torch.zeros(self.sizes.votes, self.sizes.classes))
        self.register_buffer("item", torch.zeros(self.sizes.votes, dtype=torch.long))

    def begin(self, crowd: Crowd) -> None:
        self.item.copy_(torch.as_tensor(crowd.item.astype("int64")))

    def loss(self, output: Output, votes: Votes) -> Tensor:
        true = torch.softmax(output.logits, dim=1)[votes.row]
        own = self.deviation[votes.vote]
        own = own - own.mean(dim=1, keepdim=True)
        given = torch.einsum("vk,vkl->vl", true, self.confusion()[votes.annotator]) + own
        given = given.clamp(FLOOR, 1.0 - FLOOR)
        chance = given.gather(1, votes.label[:, None])[:, 0] / given.sum(dim=1)
        size = by_row((own**2).sum(dim=1), votes, len(output.logits))
        sparse = votes.mean_of_rows((size + FLOOR) ** (self.exponent / 2.0))
        return votes.mean(-torch.log(chance)) + self.sparsity * sparse + self.penalty(output)

    def outliers(self) -> Tensor:
        """How far the votes on each item are from what its annotators would say, (items,)."""
        own = self.deviation.detach()
        size = ((own - own.mean(dim=1, keepdim=True)) ** 2).sum(dim=1)
        return torch.zeros(self.sizes.items, device=own.device).index_add(0, self.item, size)
