"""Nonnegative matrix factorisation: what parts rows are made of."""

from __future__ import annotations

import torch
from torch import Tensor

ROUNDS = 100


def parts_of(x: Tensor, n_parts: int) -> Tensor:
    """How much of each part is in each row, (rows, parts); rows sum to one. Multiplicative updates of Lee and Seung.

    >>> rows = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [2.0, 0.0, 0.0]])
    >>> parts = parts_of(rows, 2)
    >>> bool((parts[0] - parts[2]).abs().max() < 0.01), bool((parts[0] - parts[1]).abs().max() > 0.9)
    (True, True)
    """
    flat = x.reshape(len(x), -1).float()
    rows = torch.cat([flat.clamp_min(0.0), (-flat).clamp_min(0.0)], dim=1)  # nothing is negative
    generator = torch.Generator().manual_seed(0)
    # Parts begin near rows that are there: chance rows are all alike.
    some = torch.randperm(len(rows), generator=generator)[:n_parts]
    parts = rows[some.repeat(n_parts)[:n_parts]] + 0.1 * rows.mean(dim=0) + 1e-6
    amount = torch.full((len(rows), n_parts), 1.0 / n_parts, device=rows.device)
    for _ in range(ROUNDS):
        amount = amount * (rows @ parts.T) / (amount @ (parts @ parts.T)).clamp_min(1e-12)
        parts = parts * (amount.T @ rows) / ((amount.T @ amount) @ parts).clamp_min(1e-12)
    weight = amount * parts.sum(dim=1)
    return weight / weight.sum(dim=1, keepdim=True).clamp_min(1e-12)
