"""Mixup: rows mixed with other rows of the batch, and their votes with them."""

from __future__ import annotations

import torch
from torch import Tensor

from ..training.vote_book import Votes


def mixup(x: Tensor, votes: Votes, alpha: float) -> tuple[Tensor, Votes]:
    """Each row mixed with another: m of it and 1 - m of the other, m from Beta(alpha, alpha).

    A mixed row has the votes of both, weighted by m and 1 - m over the number of votes that each row had.

    >>> votes = Votes(*torch.tensor([[0, 1, 1], [0, 0, 1], [1, 0, 0], [1, 1, 1], [7, 8, 8], [0, 1, 2]]))
    >>> mixed, both = mixup(torch.randn(2, 4), votes, 0.4)
    >>> mixed.shape, torch.bincount(both.row, both.weight).round(decimals=3).tolist()
    (torch.Size([2, 4]), [1.0, 1.0])
    """
    n = len(x)
    share = torch.distributions.Beta(alpha, alpha, validate_args=False).sample((n,)).to(x.device)
    other = torch.randperm(n, device=x.device)
    back = torch.empty_like(other)
    back[other] = torch.arange(n, device=x.device)
    shaped = share.reshape(-1, *(1,) * (x.ndim - 1))
    count = torch.zeros(n, device=x.device).index_add(0, votes.row, votes.weight.to(x.dtype))
    even = votes.weight / count[votes.row].clamp_min(1e-12)
    there = back[votes.row]  # the row that each row is mixed into
    both = Votes(*(torch.cat([column, column]) for column in votes))
    weight = torch.cat([even * share[votes.row], even * (1.0 - share[there])])
    mixed = shaped * x + (1.0 - shaped) * x[other]
    return mixed, both._replace(row=torch.cat([votes.row, there]), weight=weight)
