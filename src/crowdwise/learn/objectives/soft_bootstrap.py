"""SoftBootstrap: labels mixed with what the network thinks of them."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from ...fit.options import Share
from ..base.class_prior import ClassPrior
from ..base.objective import Output
from ..training.vote_book import Votes
from .two_stage import TwoStage


class SoftBootstrap(TwoStage):
    r"""`TwoStage` whose targets are mixed with the network's own predictions.

    .. math:: -\sum_k (\beta \, t_{nk} + (1 - \beta) f_k(x_n)) \log f_k(x_n)

    so that labels it firmly disbelieves count less. Knows nothing of annotators.

    belief: :math:`\beta`, the share of the label. method, hard, class_prior: as for `TwoStage`.

    Reference: Reed et al., ICLR workshop 2015, equation 6.
    """

    name: ClassVar[str] = "soft-bootstrap"

    def __init__(
        self,
        belief: Share = 0.95,
        method: str = "majority-vote",
        hard: bool = False,
        class_prior: ClassPrior = None,
    ):
        super().__init__(method, hard, class_prior)
        self.belief = belief

    def loss(self, output: Output, votes: Votes) -> Tensor:
        said, log = torch.softmax(output.logits, dim=1), torch.log_softmax(output.logits, dim=1)
        own = votes.mean_of_rows(-(said * log).sum(dim=1))
        return self.belief * super().loss(output, votes) + (1.0 - self.belief) * own
