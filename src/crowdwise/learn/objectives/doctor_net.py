"""DoctorNet and its weighted forms: every annotator predicted by a head of their own."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.counted import Counted
from ..base.objective import Output
from ..training.vote_book import Votes

ROWS = 256  # at once, where all heads speak


class DoctorNet(Counted):
    r"""A head for each annotator on shared features; the classifier is their mean.

    .. math:: p_m(x) = \mathrm{softmax}(H_m \phi(x) + c_m), \qquad f(x) = \sum_m w_m \, p_m(x)

    trained by the cross-entropy of each vote under its annotator's head; w is the annotators' share of the votes, so
    that heads of a few votes do not count as much as the others. It models annotators, not truth: what all of them get
    wrong, it gets wrong. `confusion` is counted against its predictions. O(annotators) a prediction.

    class_prior: as for every objective.

    Reference: Guan, Gulshan, Dai & Hinton, AAAI 2018, section 3.
    """

    name: ClassVar[str] = "doctor-net"
    wants_features: ClassVar[bool] = True
    share: Tensor

    def allocate(self) -> None:
        super().allocate()
        m, k, width = self.sizes.annotators, self.sizes.classes, self.sizes.width
        bound = max(width, 1) ** -0.5
        self.heads = nn.Parameter(torch.empty(m, k, width).uniform_(-bound, bound))
        self.biases = nn.Parameter(torch.zeros(m, k))
        self.register_buffer("share", torch.full((m,), 1.0 / m))

    def begin(self, crowd: Crowd) -> None:
        super().begin(crowd)
        self.share.copy_(torch.bincount(self.book.annotator, self.book.weight, self.sizes.annotators))
        self.share.div_(self.share.sum())

    def loss(self, output: Output, votes: Votes) -> Tensor:
        said = torch.einsum("vd,vkd->vk", output.features[votes.row], self.heads[votes.annotator])
        log = torch.log_softmax(said + self.biases[votes.annotator], dim=1)
        # The network's own logits have no part in this; several processes want every parameter in the graph.
        return votes.mean(-log.gather(1, votes.label[:, None])[:, 0]) + 0.0 * output.logits.sum()

    def predict(self, output: Output) -> Tensor:
        parts = torch.split(output.features, ROWS)
        return torch.cat([torch.einsum("nm,nmk->nk", self.head_share(part), self.each(part)) for part in parts])

    def each(self, features: Tensor) -> Tensor:
        """What every head says, (rows, annotators, classes)."""
        return torch.softmax(torch.einsum("nd,mkd->nmk", features, self.heads) + self.biases, dim=2)

    def head_share(self, features: Tensor) -> Tensor:
        """How much each head counts for each row, (rows, annotators)."""
        return self.share.expand(len(features), -1)


class WeightedDoctorNet(DoctorNet):
    r"""`DoctorNet` whose heads are weighted by how well they predict the others.

    The weights, a softmax, are trained by the cross-entropy of each vote under the mixture of the heads of everybody
    else; the heads do not learn from that.

    class_prior: as for every objective.

    Reference: Guan, Gulshan, Dai & Hinton, AAAI 2018, section 3 (WDN).
    """

    name: ClassVar[str] = "weighted-doctor-net"

    def __init__(self, class_prior: ClassPrior = None):
        super().__init__(class_prior)

    def allocate(self) -> None:
        super().allocate()
        self.weight = nn.Parameter(torch.zeros(self.sizes.annotators))

    def begin(self, crowd: Crowd) -> None:
        super().begin(crowd)
        self.weight.data.copy_(torch.log(self.share + 1e-3 / self.sizes.annotators))

    def head_share(self, features: Tensor) -> Tensor:
        return torch.softmax(self.weight, dim=0).expand(len(features), -1)

    def loss(self, output: Output, votes: Votes) -> Tensor:
        said, share = self.each(output.features).detach(), self.head_share(output.features.detach())
        own = share[votes.row, votes.annotator]
        all_heads = torch.einsum("nm,nmk->nk", share, said)[votes.row, votes.label]
        others = all_heads - own * said[votes.row, votes.annotator, votes.label]
        log = torch.log((others / (1.0 - own).clamp_min(1e-6)).clamp_min(1e-12))
        return super().loss(output, votes) + votes.mean(-log)


class ImageWeightedDoctorNet(WeightedDoctorNet):
    r"""`WeightedDoctorNet` whose weights depend on the item: whoever knows this kind of item counts more.

    .. math:: w(x) = \mathrm{softmax}(V \phi(x) + v)

    V starts at nought, v at the annotators' shares of the votes.

    class_prior: as for every objective.

    Reference: Guan, Gulshan, Dai & Hinton, AAAI 2018, section 3 (IWDN).
    """

    name: ClassVar[str] = "image-weighted-doctor-net"

    def allocate(self) -> None:
        super().allocate()
        self.of_item = nn.Parameter(torch.zeros(self.sizes.annotators, self.sizes.width))

    def head_share(self, features: Tensor) -> Tensor:
        return torch.softmax(features @ self.of_item.T + self.weight, dim=1)
