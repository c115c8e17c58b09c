"""AnnotMix: mixup over items and annotators at once."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ...errors import InputError
from ...fit.options import BelowOne
from ..base.class_prior import ClassPrior
from ..base.confusion_objective import ConfusionObjective
from ..base.objective import Output
from ..training.vote_book import Votes, by_row


class AnnotMix(ConfusionObjective):
    r"""`CCEM` on pairs of votes: features, annotators and labels mixed in one proportion.

    .. math::
        \tilde x = \lambda x_i + (1 - \lambda) x_j, \quad
        \tilde P = \lambda P_{m_i} + (1 - \lambda) P_{m_j}, \quad
        \text{CE} = -\lambda \log \tilde p_{l_i} - (1 - \lambda) \log \tilde p_{l_j}, \quad
        \tilde p = \mathrm{softmax}(\tilde P)^\top f(\tilde x)

    with :math:`\lambda` from Beta(mix, mix): there is an answer for annotators between annotators, as there is for
    items between items. `prepare` makes the pairs; a loop of your own must call it.

    mix: alpha of the Beta distribution. diagonal: what the matrices start with. class_prior: as for every objective.

    Reference: Herde, Lührs, Huseljic & Sick, ECAI 2024, section 4.
    """

    name: ClassVar[str] = "annot-mix"

    def __init__(self, mix: float = 1.0, diagonal: BelowOne | None = None, class_prior: ClassPrior = None):
        super().__init__(diagonal, class_prior)
        self.mix = mix

    def prepare(self, x: Tensor, votes: Votes) -> tuple[Tensor, Votes]:
        if not x.is_floating_point():
            raise InputError("annot-mix mixes features: texts have none, choose another objective")
        n = len(votes.row)
        share = torch.distributions.Beta(self.mix, self.mix).sample((n,)).to(x.device)
        other = torch.randperm(n, device=x.device)
        shaped = share.reshape(-1, *(1,) * (x.ndim - 1))
        mixed = shaped * x[votes.row] + (1.0 - shaped) * x[votes.row[other]]
        pair = torch.arange(n, device=x.device).repeat(2)
        weight = torch.cat([votes.weight * share, votes.weight * (1.0 - share)])
        both = Votes(*(torch.cat([column, column[other]]) for column in votes))
        return mixed, both._replace(row=pair, weight=weight)

    def loss(self, output: Output, votes: Votes) -> Tensor:
        n_rows = len(output.logits)
        total = by_row(votes.weight, votes, n_rows).clamp_min(1e-12)
        share = (votes.weight / total[votes.row])[:, None, None]
        between = by_row(share * self.logits[votes.annotator], votes, n_rows)
        log_given = torch.log_softmax(between, dim=2)[votes.row]
        log_given = log_given[torch.arange(len(votes.row), device=log_given.device), :, votes.label]
        log_true = torch.log_softmax(output.logits, dim=1)[votes.row]
        return votes.mean(-torch.logsumexp(log_true + log_given, dim=1))
