"""MaxMIG: network and aggregator made to agree, in the sense of mutual information."""

from __future__ import annotations

from typing import ClassVar, Self

import torch
from torch import Tensor, nn

from ..crowd import Crowd
from ..em import vote_shares
from ..engine import bind
from ..errors import InputError
from .objective import Objective, Output, by_row
from .votes import Votes

DIVERGENCES = ("kl", "pearson", "js")


class MaxMIG(Objective):
    r"""The mutual information, of an f-divergence, between what the network and what an aggregator of votes say.

    The aggregator is :math:`g(l_n) = \mathrm{softmax}(\sum_m W_m[:, l_{nm}] + b)`; with h the network, p the class
    prior and :math:`K_{ij} = \sum_c h_c(x_i) g_c(l_j) / p_c`, over a batch

    .. math::
        \max \; \frac{1}{B} \sum_i \partial f(K_{ii}) - \frac{1}{B (B - 1)} \sum_{i \ne j} f^*(\partial f(K_{ij})),
        \qquad \text{KL:} \; 1 + \log K_{ii}, \; K_{ij}

    Annotators may depend on each other in any way, as long as votes and features are independent given the class. The
    batch is where the negatives come from: its size matters. The loss knows classes up to a permutation; W starts at
    the logarithm of confusion matrices counted against the votes, divided by the votes an item, which names them.

    divergence: "kl", "pearson" or "js". learn_prior: p is uniform and fixed, unless learned.

    Reference: Cao, Xu, Kong & Wang, ICLR 2019, section 3 and algorithm 1.
    """

    name: ClassVar[str] = "max-mig"

    def __init__(self, divergence: str = "kl", learn_prior: bool = False):
        super().__init__()
        if divergence not in DIVERGENCES:
            raise InputError(f"divergence={divergence!r}: choose {', '.join(DIVERGENCES)}")
        self.divergence, self.learn_prior = divergence, learn_prior

    def start(self, crowd: Crowd, width: int = 0) -> Self:
        super().start(crowd, width)
        ops = bind(crowd, "numpy")
        counts = torch.as_tensor(ops.confusion_counts(vote_shares(ops)), dtype=torch.float32) + 1e-9
        met = counts.sum(dim=2, keepdim=True)
        confusion = torch.where(met > 1e-3, counts / met, torch.full_like(counts, 1.0 / self.n_classes))
        self.weight = nn.Parameter(torch.log(confusion + 0.01) / max(1.0, crowd.n_votes / crowd.n_items / 3.0))
        self.log_prior = nn.Parameter(torch.zeros(self.n_classes), requires_grad=self.learn_prior)
        return self

    def forward(self, output: Output, votes: Votes) -> Tensor:
        h, g = torch.softmax(output.logits, dim=1), self.aggregate(votes, len(output.logits))
        ratio = (h / self._prior()) @ g.T  # K, (rows, rows)
        same = torch.diagonal(ratio)
        n = len(ratio)
        others = (ratio.sum() - same.sum()) / max(n * (n - 1), 1)
        if self.divergence == "kl":
            return others - (1.0 + torch.log(same + 1e-6)).mean()
        if self.divergence == "pearson":
            squares = ((ratio**2).sum() - (same**2).sum()) / max(n * (n - 1), 1)
            return squares - 1.0 - 2.0 * (same - 1.0).mean()
        apart = torch.log(2.0 / (1.0 + ratio))
        apart_mean = (apart.sum() - torch.diagonal(apart).sum()) / max(n * (n - 1), 1)
        return -torch.log(2.0 * same / (1.0 + same) + 1e-6).mean() - apart_mean

    def aggregate(self, votes: Votes, n_rows: int) -> Tensor:
        """What the votes alone say of each row, (rows, classes)."""
        said = self.weight[votes.annotator, :, votes.label] * votes.weight[:, None]
        return torch.softmax(by_row(said, votes, n_rows) + self.log_prior, dim=1)

    def posterior(self, output: Output, votes: Votes) -> Tensor:
        """The paper's forecaster: h g / p."""
        joint = torch.softmax(output.logits, dim=1) * self.aggregate(votes, len(output.logits)) / self._prior()
        return joint / joint.sum(dim=1, keepdim=True)

    def confusion(self) -> Tensor:
        return torch.softmax(self.weight, dim=2)

    def _prior(self) -> Tensor:
        return torch.softmax(self.log_prior, dim=0)
