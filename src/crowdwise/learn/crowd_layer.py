"""CrowdLayer: a layer for each annotator on top of the network's probabilities."""

from __future__ import annotations

from typing import ClassVar, Self

import torch
from torch import Tensor, nn

from ..crowd import Crowd
from ..errors import InputError
from .objective import Objective, Output
from .votes import Votes

FORMS = ("matrix", "vector", "vector-bias")


class CrowdLayer(Objective):
    r"""Each annotator's answers as a layer over the network's class probabilities, taken for logits.

    .. math:: s_{nm} = W_m f(x_n), \quad w_m \odot f(x_n), \quad w_m \odot f(x_n) + b_m

    (form "matrix", "vector", "vector-bias"; MW, VW and VW+B in the paper), softmax cross-entropy with the vote. W
    starts at the identity. It is no confusion matrix: nothing holds it to be one, and what `confusion` gives is the
    softmax of W's columns, what the annotator would say of an item that is surely of a class.

    form: see above.

    Reference: Rodrigues & Pereira, AAAI 2018, section 4.
    """

    name: ClassVar[str] = "crowd-layer"

    def __init__(self, form: str = "matrix"):
        super().__init__()
        if form not in FORMS:
            raise InputError(f"form={form!r}: choose {', '.join(FORMS)}")
        self.form = form

    def start(self, crowd: Crowd, width: int = 0) -> Self:
        super().start(crowd, width)
        m, k = self.n_annotators, self.n_classes
        own = torch.eye(k).repeat(m, 1, 1) if self.form == "matrix" else torch.ones(m, k)
        self.weight = nn.Parameter(own)
        self.bias = nn.Parameter(torch.zeros(m, k), requires_grad=self.form == "vector-bias")
        return self

    def forward(self, output: Output, votes: Votes) -> Tensor:
        true = torch.softmax(output.logits, dim=1)[votes.row]
        return votes.mean(-torch.log_softmax(self._answers(true, votes.annotator), dim=1)[_each(votes), votes.label])

    def confusion(self) -> Tensor:
        sure = torch.eye(self.n_classes, device=self.weight.device).repeat(self.n_annotators, 1)
        who = torch.arange(self.n_annotators, device=self.weight.device).repeat_interleave(self.n_classes)
        return torch.softmax(self._answers(sure, who), dim=1).reshape(self.n_annotators, self.n_classes, -1)

    def _answers(self, true: Tensor, annotator: Tensor) -> Tensor:
        """Logits of what annotators say, (votes, given), of class probabilities (votes, true)."""
        weight = self.weight[annotator]
        said = torch.einsum("vlk,vk->vl", weight, true) if self.form == "matrix" else weight * true
        return said + self.bias[annotator]


def _each(votes: Votes) -> Tensor:
    return torch.arange(len(votes.label), device=votes.label.device)
