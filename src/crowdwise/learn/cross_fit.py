"""CrossFit: EM whose posteriors are made with predictions of networks that have not seen the item."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from ..errors import InputError
from .aggnet import AggNet
from .mixup import mixup
from .objective import Output
from .votes import Votes

TEMPERATURES = torch.linspace(0.2, 2.0, 19)


class CrossFit(AggNet):
    r"""Cross-fitted EM: generalised EM that does not confirm the labels it was trained on.

    Five networks learn, each without one fifth of the items; the E-step has the prediction of the one that has not seen
    the item:

    .. math:: q_n(k) \propto w_k \, f^{-n}_k(x_n)^b \prod_m A_m[k, l_{nm}]

    with confusion matrices counted from q, each row with `strength` votes' worth of the crowd's mean; b, the
    temperature, the most likely one given the votes; and w, class weights that move the shares of the classes in q to
    `class_prior`, where one is stated. Without that statement w = 1. Use it with few, noisy votes an item and features
    that tell classes apart: it is the default.

    class_prior: None, nothing said; "uniform"; or the classes' shares, in their order. It is an assumption, the
    strongest one here: votes cannot check it. strength: see above. warm_up: epochs on vote shares before the first
    E-step. mix: alpha of mixup, 0 for none.

    Reference: crowdwise; the parts are Raykar et al. (JMLR 2010) and cross-fitting after Chernozhukov et al. (2018).
    """

    name: ClassVar[str] = "cross-fit"
    folds: ClassVar[int] = 5

    def __init__(
        self,
        class_prior: str | tuple[float, ...] | None = None,
        strength: float = 5.0,
        warm_up: int = 4,
        mix: float = 0.4,
    ):
        super().__init__(strength, warm_up)
        if isinstance(class_prior, str) and class_prior != "uniform":
            raise InputError(f"class_prior={class_prior!r}: choose None, 'uniform' or the classes' shares")
        self.class_prior, self.mix, self.power = class_prior, mix, 1.0
        self.log_weight = torch.zeros(())

    def prepare(self, x: Tensor, votes: Votes) -> tuple[Tensor, Votes]:
        return mixup(x, votes, self.mix) if self.mix else (x, votes)

    def expected(self, log: Tensor, votes: Votes) -> Tensor:
        said = self.log_votes(votes, self.n_items)
        evidence = [
            torch.logsumexp(torch.log_softmax(power * log, dim=1) + said, dim=1).sum() for power in TEMPERATURES
        ]
        self.power = float(TEMPERATURES[int(torch.stack(evidence).argmax())])
        joint = torch.log_softmax(self.power * log, dim=1) + said
        self.log_weight = self._weights(joint)
        return torch.softmax(joint + self.log_weight, dim=1)

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        said = self.log_votes(votes, len(output.logits))
        log = torch.log_softmax(self.power * torch.log_softmax(output.logits, dim=1), dim=1)
        return torch.softmax(log + said + self.log_weight, dim=1)

    def _weights(self, joint: Tensor, rounds: int = 20) -> Tensor:
        """Log class weights under which the mean of softmax(joint + w) is the stated prior."""
        if self.class_prior is None:
            return joint.new_zeros(())
        stated = np.ones(self.n_classes) if isinstance(self.class_prior, str) else np.asarray(self.class_prior, float)
        if stated.shape != (self.n_classes,) or not (stated > 0.0).all():
            raise InputError(f"class_prior={self.class_prior}: {self.n_classes} positive shares are needed")
        wanted = torch.log(torch.as_tensor(stated / stated.sum(), dtype=joint.dtype, device=joint.device))
        weight = torch.zeros_like(wanted)
        for _ in range(rounds):
            weight = weight + wanted - torch.log(torch.softmax(joint + weight, dim=1).mean(dim=0))
        return weight
