"""Clipping: what a network may say at most before its word is weighed with the votes."""

from __future__ import annotations

import torch
from torch import Tensor


def clipped(log: Tensor, most: float) -> Tensor:
    """Log probabilities with none above `most`; what is cut off goes evenly to the classes below.

    Where `most` is no more than 1 / classes, nothing is left to say, and rows are even.

    >>> log = torch.log(torch.tensor([[0.98, 0.01, 0.01]], dtype=torch.float64))
    >>> torch.exp(clipped(log, 0.9)).round(decimals=3).tolist()
    [[0.9, 0.05, 0.05]]
    """
    n_classes = log.shape[1]
    if most >= 1.0 or n_classes == 1:
        return log
    share = torch.softmax(log, dim=1)
    if most * n_classes <= 1.0:
        return torch.full_like(share, 1.0 / n_classes).log()
    # With the m largest cut, each of the others gets t = (1 - m most - their sum) / (K - m); the first m that fits.
    largest = share.sort(dim=1, descending=True).values
    cut = torch.arange(n_classes, device=share.device)
    rest = largest.flip(1).cumsum(dim=1).flip(1)  # the sum from the m-th on
    gain = (1.0 - cut * most - rest) / (n_classes - cut)
    first = (largest + gain <= most + 1e-6).to(torch.int8).argmax(dim=1, keepdim=True)
    return torch.log((share + gain.gather(1, first)).clamp(1e-12, most))
