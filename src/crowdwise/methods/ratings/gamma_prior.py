"""The shape of a Gamma prior, by maximum likelihood."""

from __future__ import annotations

import numpy as np

from ...votes.codes import Array


def shape_of(mean: Array, shape: Array, rate: Array, before: float) -> float:
    r"""The shape a of the Gamma that numbers come from of which each is known as Gamma(shape, rate), of mean `mean`.

    :math:`\log a - \psi(a) = \log \overline{E\lambda} - \overline{E \log \lambda}`, by Newton's steps; at least 1, so
    that an infinite precision is not the likeliest.

    >>> numbers = np.random.default_rng(0).gamma(4.0, 1.0, 5000)
    >>> round(shape_of(numbers, np.full(5000, 1e6), 1e6 / numbers, 1.0), 1)
    4.0
    """
    from scipy.special import digamma, polygamma

    gap = float(np.log(mean.mean()) - (digamma(shape) - np.log(rate)).mean())
    if not np.isfinite(gap):
        return before
    gap = max(gap, 1e-6)
    a = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(5):
        a -= (np.log(a) - digamma(a) - gap) / (1.0 / a - polygamma(1, a))
    return float(np.clip(a, 1.0, 1e4))
