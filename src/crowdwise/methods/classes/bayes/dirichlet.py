"""Expectations and divergences of Dirichlet distributions along the last axis."""

from __future__ import annotations

import numpy as np

from ....engine.special import digamma, log_gamma
from ....votes.codes import Array


def diagonal_prior(n_classes: int, diagonal: float, rest: float) -> Array:
    """Votes of a prior, (true, given): one number for the true class, another for each other one."""
    return np.where(np.eye(n_classes, dtype=bool), diagonal, rest)


def row_sums(votes: Array) -> Array:
    """Sums along the last axis, which is short: NumPy's own take three times as long there."""
    sums: Array = np.einsum("...l->...", votes)
    return sums


def mean_log(votes: Array) -> Array:
    """E log p under Dirichlet(votes).

    >>> mean_log(np.array([1.0, 1.0])).round(6).tolist()
    [-1.0, -1.0]
    """
    return digamma(votes) - digamma(row_sums(votes))[..., None]


def log_beta(votes: Array) -> Array:
    """Log of the normalising constant of Dirichlet(votes)."""
    return row_sums(log_gamma(votes)) - log_gamma(row_sums(votes))


def divergence(votes: Array, pseudo: Array) -> float:
    """Sum of KL(Dirichlet(votes) || Dirichlet(pseudo)) over all other axes; the prior may be shared by some of them.

    >>> divergence(np.array([[2.0, 3.0], [2.0, 3.0]]), np.array([2.0, 3.0]))
    0.0
    """
    rows = votes.size // votes.shape[-1]
    shared = float(log_beta(pseudo).sum()) * rows / (pseudo.size // pseudo.shape[-1])
    return shared - float(log_beta(votes).sum()) + float(((votes - pseudo) * mean_log(votes)).sum())
