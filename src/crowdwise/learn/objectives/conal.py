"""CoNAL: confusion that all annotators share, and each one's own."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from ...fit.options import NonNegative
from ..base.class_prior import ClassPrior
from ..base.objective import Objective, Output
from ..training.vote_book import Votes


class CoNAL(Objective):
    r"""Each vote from a noise that all annotators share or from their own, the more the one or the other by item.

    .. math::
        s_{nm} = \omega_{nm} W_g f(x_n) + (1 - \omega_{nm}) W_m f(x_n), \qquad
        \omega_{nm} = \sigma(u_m^\top v_n)

    softmax cross-entropy of s with the vote, less :math:`\lambda` times the mean distance of :math:`W_m` from
    :math:`W_g`; v is an embedding of the network's features, u one of the annotator, both of unit length. As in
    `CrowdLayer`, W are no confusion matrices; `confusion` is what the annotator says of an item that is surely of a
    class, half from each.

    width: of the embeddings. strength: lambda; the paper's 1e-5, of a sum, is about this for fifty annotators.
    class_prior: as for every objective.

    Reference: Chu, Ma & Wang, AAAI 2021, equations 3 to 7.
    """

    name: ClassVar[str] = "conal"
    wants_features: ClassVar[bool] = True

    def __init__(self, width: int = 20, strength: NonNegative = 5e-4, class_prior: ClassPrior = None):
        super().__init__(class_prior)
        self.width, self.strength = width, strength

    def allocate(self) -> None:
        m, k = self.sizes.annotators, self.sizes.classes
        self.shared = nn.Parameter(2.0 * torch.eye(k))
        self.own = nn.Parameter(2.0 * torch.eye(k).repeat(m, 1, 1))
        self.who = nn.Parameter(torch.randn(m, self.width))
        self.what = nn.Sequential(nn.Linear(self.sizes.width, 128), nn.ReLU(), nn.Linear(128, self.width))

    def loss(self, output: Output, votes: Votes) -> Tensor:
        true = torch.softmax(output.logits, dim=1)
        v, u = normalize(self.what(output.features), dim=1), normalize(self.who, dim=1)
        common = torch.sigmoid((u[votes.annotator] * v[votes.row]).sum(dim=1, keepdim=True))
        everyones = (true @ self.shared.T)[votes.row]
        own = torch.einsum("vlk,vk->vl", self.own[votes.annotator], true[votes.row])
        log = torch.log_softmax(common * everyones + (1.0 - common) * own, dim=1)
        # The norm has no gradient at nought, where every annotator starts.
        apart = torch.sqrt(((self.own[self.voters] - self.shared) ** 2).sum(dim=(1, 2)) + 1e-12).mean()
        return votes.mean(-log.gather(1, votes.label[:, None])[:, 0]) - self.strength * apart

    def confusion(self) -> Tensor:
        return torch.softmax(0.5 * (self.own + self.shared).transpose(1, 2), dim=2)
