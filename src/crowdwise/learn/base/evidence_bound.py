"""The evidence lower bound of a network and annotators under votes."""

from __future__ import annotations

import torch
from torch import Tensor

from ..training.vote_book import Votes, by_row


def bound(q: Tensor, log_f: Tensor, votes: Votes, log_chance: Tensor, divergence: float = 0.0) -> Tensor:
    r"""The evidence lower bound of Kim et al., their equation 15, of the rows that have votes.

    .. math::
        E_{q(z) q(A)} \log p(y | z, A) - KL(q(z) \| f(x)) - KL(q(A) \| p(A))

    q, log_f: what is believed of each row and what the network says of it, (rows, classes); log_chance: E log A, or
    log A where q(A) is a point, (annotators, true, given); divergence: the last term, or the negative log density of
    that point.
    """
    said = by_row(log_chance[votes.annotator, :, votes.label] * votes.weight[:, None], votes, len(q))
    voted = torch.zeros(len(q), device=q.device).index_fill(0, votes.row, 1.0)
    row = (q * (said + log_f - torch.log(q.clamp_min(1e-30)))).sum(dim=1)
    return (voted * row).sum() - divergence
