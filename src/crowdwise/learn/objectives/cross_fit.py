"""CrossFit: EM whose posteriors are made with predictions of networks that have not seen the item."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ...fit.options import Natural, NonNegative
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior, voted_shares, weights
from ..base.mixup import mixup
from ..base.objective import Output
from ..training.temperature import likeliest_power
from ..training.vote_book import Votes
from .aggnet import AggNet


class CrossFit(AggNet):
    r"""Cross-fitted EM: generalised EM that does not confirm the labels it was trained on.

    Five networks learn, each without one fifth of the items; the E-step has the prediction of the one that has not seen
    the item:

    .. math:: q_n(k) \propto w_k \, f^{-n}_k(x_n)^b \prod_m A_m[k, l_{nm}]

    with confusion matrices counted from q, each row with `pooled` votes' worth of the crowd's mean; b, the
    temperature, the most likely one given the votes; and w, class weights that move the shares of the classes in q part
    of the way to `class_prior` or, where nothing is stated, to the shares of the votes. Without them the shares drift:
    a class that is missed a little more each round withers, as metal does among the genres of music. Use it with few,
    noisy votes an item and features that tell classes apart: it is the default.

    class_prior: as for every objective. trust: how far the shares of the classes go to those stated, 0 to 1 (in logs);
    1 holds them there. anchor: how far to those of the votes, where none are stated. pooled: see above. warm_up:
    epochs on vote shares before the first E-step. mix: alpha of mixup, 0 for none.

    Reference: crowdwise; the parts are Raykar et al. (JMLR 2010) and cross-fitting after Chernozhukov et al. (2018).
    """

    name: ClassVar[str] = "cross-fit"
    folds: int = 5
    rounds: int = 3
    power: Tensor
    voted_shares: Tensor

    def __init__(
        self,
        class_prior: ClassPrior = None,
        trust: NonNegative = 0.6,
        anchor: NonNegative = 0.35,
        pooled: NonNegative = 5.0,
        warm_up: Natural = 4,
        mix: NonNegative = 0.4,
    ):
        super().__init__(pooled, warm_up, class_prior=class_prior)
        self.trust, self.anchor, self.mix = trust, anchor, mix

    def allocate(self) -> None:
        super().allocate()
        self.register_buffer("power", torch.ones(()))
        self.register_buffer("voted_shares", torch.zeros(self.sizes.classes))

    def begin(self, crowd: Crowd) -> None:
        self.voted_shares.copy_(torch.log(torch.as_tensor(voted_shares(crowd))))
        super().begin(crowd)

    def prepare(self, x: Tensor, votes: Votes) -> tuple[Tensor, Votes]:
        return mixup(x, votes, self.mix) if self.mix and x.is_floating_point() else (x, votes)

    def settle(self, log: Tensor, votes: Votes) -> None:
        said, log = self.log_votes(Output(log, log), votes)[self.voted], log[self.voted]
        self.power.fill_(likeliest_power(log, said))
        self.log_weight.copy_(self.class_weight(torch.log_softmax(self.power * log, dim=1) + said))

    def class_weight(self, joint: Tensor) -> Tensor:
        own = torch.log(torch.softmax(joint, dim=1).mean(dim=0).clamp_min(1e-12))
        way, there = (self.anchor, self.voted_shares) if self.stated is None else (self.trust, self.stated)
        return weights(joint, torch.log_softmax(own + way * (there - own), dim=0))

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        return super().posterior(Output(self.power * torch.log_softmax(output.logits, dim=1), output.features), votes)
