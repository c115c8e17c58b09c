"""MaxMIG: network and aggregator made to agree, in the sense of mutual information."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import InputError
from ...fit.options import Natural
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.first_guess import first_confusion, likely_shares
from ..base.objective import Output
from ..base.warmed_up import WarmedUp
from ..training.parallel import gathered
from ..training.vote_book import Votes, by_row

Divergence = Literal["kl", "pearson", "js"]
UNEVEN = 0.15  # share of the items whose class would have to change for even classes, beyond which p is learned
MANY = 30.0  # votes an item, above which the aggregator starts from their mean and not from their sum


class MaxMIG(WarmedUp):
    r"""The mutual information, of an f-divergence, between what the network and what an aggregator of votes say.

    The aggregator is :math:`g(l_n) = \mathrm{softmax}(\sum_m W_m[:, l_{nm}] + \log p)`; with h the network, p the
    class prior and :math:`K_{ij} = \sum_c h_c(x_i) g_c(l_j) / p_c`, over a batch

    .. math::
        \max \; \frac{1}{B} \sum_i \partial f(K_{ii}) - \frac{1}{B (B - 1)} \sum_{i \ne j} f^*(\partial f(K_{ij})),
        \qquad \text{KL:} \; 1 + \log K_{ii}, \; K_{ij}

    Annotators may depend on each other in any way, as long as votes and features are independent given the class. The
    batch is where the negatives come from: its size matters. The loss knows classes up to a permutation; W starts at
    the logarithm of confusion matrices counted against the votes, which names them: those of annotators who do not
    always say the same, or a naive majority would name them all alike; who err together share a vote there, or copies
    of one who mixes two classes would merge them for good. It is divided by the votes an item where these
    are more than thirty: an aggregator that is sure of everything learns nothing. A network that knows nothing may
    still call two classes by each other's names, so that for its first epoch it learns what the aggregator says at its
    start.

    divergence: "kl", "pearson" or "js". learn_prior: p is learned, from the shares that a first fit finds; None: where
    these are far from even, which costs many points if p stays uniform. Elsewhere a learned p may merge two classes
    where annotators copy each other, so it stays. warm_up: epochs as told above; 0 is the paper's. class_prior: p,
    where it is known.

    Reference: Cao, Xu, Kong & Wang, ICLR 2019, section 3.1, equation 1 and table 1; the start of W: appendix B.2,
    equation 2; p is uniform for CIFAR-10 and LabelMe there, and learned for cats and dogs and LUNA16.
    """

    name: ClassVar[str] = "max-mig"

    def __init__(
        self,
        divergence: Divergence = "kl",
        learn_prior: bool | None = None,
        warm_up: Natural = 1,
        class_prior: ClassPrior = None,
    ):
        super().__init__(class_prior)
        if learn_prior and class_prior is not None:
            raise InputError("class_prior is stated, so there is nothing to learn: leave learn_prior out")
        self.divergence, self.learn_prior, self.warm_up = divergence, learn_prior, warm_up

    def allocate(self) -> None:
        super().allocate()
        m, k = self.sizes.annotators, self.sizes.classes
        self.weight = nn.Parameter(torch.zeros(m, k, k))
        first = torch.zeros(k) if self.stated is None else self.stated.clone()
        self.log_prior = nn.Parameter(first, requires_grad=bool(self.learn_prior))

    def begin(self, crowd: Crowd) -> None:
        votes = float(crowd.annotator_weight().sum()) / max(len(np.unique(crowd.item)), 1)
        self.weight.data.copy_(torch.log(first_confusion(crowd, fairly=True) + 0.01) / (votes if votes > MANY else 1.0))
        if self.stated is not None or self.learn_prior is False:
            return
        shares = likely_shares(crowd)
        if self.learn_prior or np.abs(shares - 1.0 / len(shares)).sum() / 2 > UNEVEN:
            self.log_prior.requires_grad_()
            self.log_prior.data.copy_(torch.log(torch.as_tensor(shares)))

    def loss(self, output: Output, votes: Votes) -> Tensor:
        if self.warming:
            return self.towards(self.log_aggregate(votes, len(output.logits)), output, votes)
        h = gathered(torch.softmax(output.logits, dim=1))
        g = gathered(self.aggregate(votes, len(output.logits)))
        ratio = (h / self._prior()) @ g.T  # K, (rows, rows)
        same, n = torch.diagonal(ratio), len(ratio)

        def others(values: Tensor) -> Tensor:
            return (values.sum() - torch.diagonal(values).sum()) / max(n * (n - 1), 1)

        if self.divergence == "kl":
            return others(ratio) - (1.0 + torch.log(same + 1e-6)).mean()
        if self.divergence == "pearson":
            return others(ratio**2) - 1.0 - 2.0 * (same - 1.0).mean()
        return -torch.log(2.0 * same / (1.0 + same) + 1e-6).mean() - others(torch.log(2.0 / (1.0 + ratio)))

    def balance(self, output: Output) -> Tensor:
        """What is stated is p."""
        return output.logits.new_zeros(())

    def aggregate(self, votes: Votes, n_rows: int) -> Tensor:
        """What the votes alone say of each row, (rows, classes)."""
        return torch.softmax(self.log_aggregate(votes, n_rows), dim=1)

    def log_aggregate(self, votes: Votes, n_rows: int) -> Tensor:
        """The same in logs, but for a constant a row."""
        said = self.weight[votes.annotator, :, votes.label] * votes.weight[:, None]
        return by_row(said, votes, n_rows) + self.log_prior

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        """The paper's forecaster: h g / p."""
        log = torch.log_softmax(output.logits, dim=1) + self.log_aggregate(votes, len(output.logits))
        return torch.softmax(log - torch.log_softmax(self.log_prior, dim=0), dim=1)

    def confusion(self) -> Tensor:
        return torch.softmax(self.weight, dim=2)

    def _prior(self) -> Tensor:
        return torch.softmax(self.log_prior, dim=0)
