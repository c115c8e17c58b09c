"""CrowdLayer: a layer for each annotator on top of the network's probabilities."""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from ...fit.options import Natural
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.first_guess import first_confusion
from ..base.objective import Output
from ..base.warmed_up import WarmedUp
from ..training.vote_book import Votes, by_row

Form = Literal["matrix", "vector", "vector-bias", "bias", "scalar"]
First = Literal["identity", "counts"]


class CrowdLayer(WarmedUp):
    r"""Each annotator's answers as a layer over the network's class probabilities, taken for logits.

    .. math::
        s_{nm} = W_m f(x_n), \quad w_m \odot f(x_n), \quad w_m \odot f(x_n) + b_m, \quad f(x_n) + b_m, \quad
        w_m f(x_n)

    (form "matrix", "vector", "vector-bias", "bias", "scalar"; MW, VW, VW+B, VB and SW in the paper), softmax
    cross-entropy with the vote. W is no confusion matrix: nothing holds it to be one, and what `confusion` gives is the
    softmax of W's columns, what the annotator would say of an item that is surely of a class.

    form: see above. first: W starts at the "identity", as in the paper, or at the logs of confusion "counts" against
    the votes of those who do not always say the same; from the identity, logits of at most 1 are far from certain, and
    training may end with one class for everything. The other forms start where they change nothing. warm_up: epochs in
    which the network learns what W says of the votes at its start from counts, before W moves; otherwise it may call
    classes by each other's names, or name one alone. 0 is the paper's. class_prior: as for every objective.

    Reference: Rodrigues & Pereira, AAAI 2018, section 4; the start from counts: Cao et al., ICLR 2019, appendix B.2,
    equation 2.
    """

    name: ClassVar[str] = "crowd-layer"

    def __init__(
        self, form: Form = "matrix", first: First = "counts", warm_up: Natural = 1, class_prior: ClassPrior = None
    ):
        super().__init__(class_prior)
        self.form, self.first, self.warm_up = form, first, warm_up

    def allocate(self) -> None:
        super().allocate()
        m, k = self.sizes.annotators, self.sizes.classes
        ones = torch.ones(m, 1 if self.form == "scalar" else k)
        own = torch.eye(k).repeat(m, 1, 1) if self.form == "matrix" else ones
        self.weight = nn.Parameter(own, requires_grad=self.form != "bias")
        self.bias = nn.Parameter(torch.zeros(m, k), requires_grad=self.form in ("vector-bias", "bias"))

    def begin(self, crowd: Crowd) -> None:
        if self.knows_names:
            self.weight.data.copy_(torch.log(first_confusion(crowd) + 0.01).transpose(1, 2))

    @property
    def knows_names(self) -> bool:
        """Whether W starts from the votes."""
        return self.form == "matrix" and self.first == "counts"

    def loss(self, output: Output, votes: Votes) -> Tensor:
        if self.knows_names and self.warming:
            said = self.weight[votes.annotator, votes.label] * votes.weight[:, None]  # (votes, true)
            return self.towards(by_row(said, votes, len(output.logits)), output, votes)
        true = torch.softmax(output.logits, dim=1)[votes.row]
        log = torch.log_softmax(self._answers(true, votes.annotator), dim=1)
        return votes.mean(-log.gather(1, votes.label[:, None])[:, 0])

    def confusion(self) -> Tensor:
        m, k = self.sizes.annotators, self.sizes.classes
        sure = torch.eye(k, device=self.weight.device).repeat(m, 1)
        who = torch.arange(m, device=self.weight.device).repeat_interleave(k)
        return torch.softmax(self._answers(sure, who), dim=1).reshape(m, k, k)

    def _answers(self, true: Tensor, annotator: Tensor) -> Tensor:
        """Logits of what annotators say, (votes, given), of class probabilities (votes, true)."""
        weight = self.weight[annotator]
        said = torch.einsum("vlk,vk->vl", weight, true) if self.form == "matrix" else weight * true
        return said + self.bias[annotator]
