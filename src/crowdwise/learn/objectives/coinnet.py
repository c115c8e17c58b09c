"""COINNet: confusion matrices, and a sparse deviation from them for each vote."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ...fit.options import BelowOne, Natural, NonNegative
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.objective import Output, PredictAll
from ..training.parallel import total, world
from ..training.vote_book import Votes, by_row
from .geo import GeoF

FLOOR = 1e-10
STEP, STEPS = 0.1, 10  # of the deviations, and how many from zero
LEAST = 0.1  # chance of a vote below which nothing pulls harder at its deviation: one odd vote is no odd item


class COINNet(GeoF):
    r"""Sparse, item-dependent outliers beside confusion matrices.

    .. math::
        p_{nm} = A_m^\top f(x_n) + e_{nm}, \qquad
        \text{CE} + \mu \, \frac{1}{B} \sum_n \Big(\sum_m \|e_{nm}\|^2 + \epsilon\Big)^{p/2} - \lambda \log\det F

    where :math:`e_{nm}` sums to zero and p < 1 makes most items' vanish: votes on them are explained by who gave them.
    The others are outliers, items on which annotators err in ways of their own; `outliers` scores them. Only the
    observed votes have an e: memory as the votes. Two votes an item at least, or it explains everything.

    e is found anew for each batch by proximal steps from zero: along the gradient of the cross-entropy, then by what
    the penalty makes of that. It stays at zero unless the votes on an item are surprising enough together, and sparsity
    alone says how much that is. Adam, which the paper's code uses for e too, moves every e by about its rate whatever
    the penalty. For `warm_up` epochs e is zero: to a network that knows nothing all votes are surprising.

    sparsity: mu; the paper's .01 lets e explain every vote by itself. exponent: p, below 1. strength: lambda.
    diagonal: what the matrices start with. warm_up: see above. class_prior: as for every objective.

    Reference: Nguyen, Ibrahim & Fu, NeurIPS 2024, equations 8 to 10.
    """

    name: ClassVar[str] = "coinnet"
    item: Tensor
    epochs: Tensor
    deviation: Tensor

    def __init__(
        self,
        sparsity: NonNegative = 0.8,
        exponent: BelowOne = 0.4,
        strength: NonNegative = 0.01,
        diagonal: BelowOne | None = 0.8,
        warm_up: Natural = 5,
        class_prior: ClassPrior = None,
    ):
        super().__init__(strength, diagonal, class_prior)
        self.sparsity, self.exponent, self.warm_up = sparsity, exponent, warm_up

    def allocate(self) -> None:
        super().allocate()
        self.register_buffer("deviation", torch.zeros(self.sizes.votes, self.sizes.classes))
        self.register_buffer("epochs", torch.zeros((), dtype=torch.long))
        self.register_buffer("item", torch.zeros(self.sizes.votes, dtype=torch.long))

    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1

    def begin(self, crowd: Crowd) -> None:
        self.item.copy_(torch.as_tensor(crowd.item.astype("int64")))

    def loss(self, output: Output, votes: Votes) -> Tensor:
        true = torch.softmax(output.logits, dim=1)[votes.row]
        given = torch.einsum("vk,vkl->vl", true, self.confusion()[votes.annotator])
        if self.training and self.epochs >= self.warm_up:
            self._step(given.detach(), votes, len(output.logits))
        own = self.deviation[votes.vote]
        given = (given + own).clamp(FLOOR, 1.0 - FLOOR)
        chance = given.gather(1, votes.label[:, None])[:, 0] / given.sum(dim=1)
        sparse = votes.mean_of_rows((_size(own, votes, len(output.logits)) + FLOOR) ** (self.exponent / 2.0))
        return votes.mean(-torch.log(chance)) + self.sparsity * sparse + self.penalty(output)

    def _step(self, given: Tensor, votes: Votes, n_rows: int) -> None:
        """The deviations of a batch, each item by itself."""
        first = self.deviation[votes.vote]
        own = torch.zeros_like(first)
        per_row = total(votes.weight.sum()) / total(torch.tensor(float(n_rows), device=given.device))
        label = torch.nn.functional.one_hot(votes.label, given.shape[1])
        for _ in range(STEPS):
            chance = (given + own).gather(1, votes.label[:, None]).clamp_min(LEAST)
            pull = (label - 1.0 / given.shape[1]) * votes.weight[:, None] / (chance * per_row)
            own = own + STEP * pull
            size = torch.sqrt(_size(own, votes, n_rows))
            kept = shrunk(size, STEP * self.sparsity, self.exponent) / size.clamp_min(FLOOR)
            own = own * kept[votes.row, None]
        change = own - first
        if world() > 1:  # every process has its own items of a batch, and all deviations
            self.deviation += total(torch.zeros_like(self.deviation).index_copy(0, votes.vote, change))
        else:
            self.deviation.index_add_(0, votes.vote, change)

    def outliers(self) -> Tensor:
        """How far the votes on each item are from what its annotators would say, (items,)."""
        size = (self.deviation**2).sum(dim=1)
        return torch.zeros(self.sizes.items, device=size.device).index_add(0, self.item, size)


def _size(own: Tensor, votes: Votes, n_rows: int) -> Tensor:
    """The squared length of each row's deviations together, (rows,)."""
    return by_row((own**2).sum(dim=1), votes, n_rows)


def shrunk(length: Tensor, weight: float, exponent: float) -> Tensor:
    """The x that minimises (x - length)^2 / 2 + weight x^exponent, over x >= 0: 0 up to a threshold.

    >>> [round(x, 2) for x in shrunk(torch.tensor([0.1, 2.0]), 0.5, 0.5).tolist()]
    [0.0, 1.81]
    """
    if not weight:
        return length
    curved = 1.0 - exponent
    least = (2.0 - exponent) / (2.0 * curved) * (2.0 * weight * curved) ** (1.0 / (2.0 - exponent))
    x = length.clamp_min(least)
    for _ in range(8):
        x = length.clamp_min(least) - weight * exponent * x**-curved
    return torch.where(length > least, x, torch.zeros_like(x))
