"""AnchorTransition and PartTransition: noise that depends on the item, learned where the class is plain."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from ...fit.options import BelowOne, Natural, Share
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.confusion_objective import diagonal_logits
from ..base.counted import counts, normalised
from ..base.nonnegative import parts_of
from ..base.objective import Objective, Output, PredictAll
from ..training.vote_book import VoteBook, Votes
from .instance_trace import InstanceTrace, given

POOLED = 5.0  # votes' worth of the crowd's mean in each row of the matrices that T begins at


class AnchorTransition(InstanceTrace):
    r"""Stages: a network on plain votes; matrices :math:`T_m(x)` on items whose class is plain; the network anew.

    1. For `warm_up` epochs the network learns from the votes as they are.
    2. Of the items that it gives to a class, the share `anchors` of which it is surest are taken to be of that class.
       T begins at the matrices counted on them, and for `learn_for` epochs it learns from the votes on them,
       :math:`-\log T_m(x_n)[c_n, l_{nm}]`.
    3. Then T stays, and the network learns through it: :math:`-\log \sum_k f_k(x_n) T_m(x_n)[k, l_{nm}]`.

    T is as in `InstanceTrace`, without the penalty. It is right where anchors are: items that look like their class and
    are voted on like the others.

    warm_up, learn_for, anchors: see above. rank, diagonal: of T. class_prior: as for every objective.

    Reference: Guo, Wang & Yi, NeurIPS 2023, in the form that the tutorial of Ibrahim et al. (2025) gives: T by anchor
    points, then the classifier. Their Bayesian transfer between annotators is not in it.
    """

    name: ClassVar[str] = "anchor-transition"
    epochs: Tensor
    anchor: Tensor

    def __init__(
        self,
        warm_up: Natural = 4,
        learn_for: Natural = 4,
        anchors: Share = 0.3,
        rank: int = 4,
        diagonal: BelowOne | None = 0.8,
        class_prior: ClassPrior = None,
    ):
        super().__init__(0.0, rank, diagonal, class_prior)
        self.warm_up, self.learn_for, self.anchors = warm_up, learn_for, anchors

    def allocate(self) -> None:
        super().allocate()
        self.register_buffer("epochs", torch.zeros((), dtype=torch.long))
        self.register_buffer("anchor", torch.full((self.sizes.items,), -1))

    def begin(self, crowd: Crowd) -> None:
        self.book = VoteBook(crowd)

    @torch.no_grad()
    def refresh(self, predict_all: PredictAll) -> None:
        self.epochs += 1
        if self.epochs == self.warm_up:
            self.anchor.copy_(plainest(predict_all(), self.anchors))
            known = torch.nn.functional.one_hot(self.anchor.clamp_min(0), self.sizes.classes).float()
            known *= (self.anchor >= 0)[:, None]
            counted = counts(known, self.book.everything(), self.sizes.annotators)
            self._begin_at(torch.log(normalised(counted, POOLED)))

    def _begin_at(self, log: Tensor) -> None:
        """Matrices, in logs, where T starts from."""
        self.logits.copy_(log)

    def loss(self, output: Output, votes: Votes) -> Tensor:
        nothing = 0.0 * (output.logits.sum() + sum(parameter.sum() for parameter in self.parameters()))
        log_true = torch.log_softmax(output.logits, dim=1)[votes.row]
        if self.epochs < self.warm_up:
            return votes.mean(-log_true.gather(1, votes.label[:, None])[:, 0]) + nothing
        fixed = self.epochs >= self.warm_up + self.learn_for
        seen = Output(output.logits, output.features.detach())
        log_given = given(self._log_matrices(seen, votes), votes)  # (votes, true)
        if fixed:
            return votes.mean(-torch.logsumexp(log_true + log_given.detach(), dim=1)) + nothing
        known = self.anchor[votes.item]
        on = votes._replace(weight=votes.weight * (known >= 0))
        return on.mean(-log_given.gather(1, known.clamp_min(0)[:, None])[:, 0]) + nothing


class PartTransition(AnchorTransition):
    r"""`AnchorTransition` whose matrices are mixtures: an item is made of parts, and each part has its own noise.

    .. math:: T_m(x) = \sum_{r=1}^{R} h_r(x) \, T_{mr}, \qquad x \approx \sum_r h_r(x) \, w_r, \quad h(x) \in \Delta_R

    The parts w are found by nonnegative matrix factorisation of the features; what is negative becomes a feature of
    its own. :math:`T_{mr}` is learned on anchors. Votes on new items are judged by the mean of the parts.

    warm_up, learn_for, anchors: as in `AnchorTransition`. rank: R. diagonal: what each T starts with. class_prior: as
    for every objective.

    Reference: Xia et al., NeurIPS 2020 (one annotator there); matrices by the likelihood of the anchors' votes in place
    of least squares, the network learned by forward correction in place of reweighting.
    """

    name: ClassVar[str] = "part-transition"
    wants_rows: ClassVar[bool] = True
    part: Tensor

    def allocate(self) -> None:
        super().allocate()
        first = diagonal_logits(self.diagonal, self.sizes.classes)
        self.logits = nn.Parameter(first.repeat(self.sizes.annotators, self.rank, 1, 1))
        self.register_buffer("part", torch.full((self.sizes.items, self.rank), 1.0 / self.rank))

    def see(self, x: Tensor, item: Tensor) -> None:
        self.part[item.to(self.part.device)] = parts_of(x, self.rank).to(self.part)

    def _begin_at(self, log: Tensor) -> None:
        self.logits.copy_(log[:, None].expand_as(self.logits))

    def log_confusion(self) -> Tensor:
        return torch.log(torch.softmax(self.logits, dim=3).mean(dim=1))

    def log_votes(self, output: Output, votes: Votes) -> Tensor:
        return Objective.log_votes(self, output, votes)

    def _log_matrices(self, output: Output, votes: Votes) -> Tensor:
        each = torch.softmax(self.logits, dim=3)[votes.annotator]  # (votes, parts, true, given)
        return torch.log(torch.einsum("vr,vrkl->vkl", self.part[votes.item], each).clamp_min(1e-12))


def plainest(proba: Tensor, share: float) -> Tensor:
    """The class of the items that are surest of theirs, that share of each class's and one at least; -1 for others.

    >>> plainest(torch.tensor([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]), 0.5).tolist()
    [0, -1, 1]
    """
    sure, code = proba.max(dim=1)
    out = torch.full_like(code, -1)
    for k in range(proba.shape[1]):
        mine = torch.nonzero(code == k)[:, 0]
        top = mine[torch.argsort(sure[mine], descending=True)[: max(1, int(share * len(mine)))]]
        out[top] = k
    return out
