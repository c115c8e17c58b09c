"""Digamma and log gamma: SciPy's for a few numbers, compiled ones for many, ten times as fast."""

from __future__ import annotations

import numpy as np

from ..votes.codes import Array
from .card_array import CardArray

MANY = 100_000  # numbers, from which a compiled loop is worth its start


def digamma(x: Array) -> Array:
    """Digamma of positive numbers.

    >>> digamma(np.ones(2)).round(6).tolist()
    [-0.577216, -0.577216]
    """
    if isinstance(x, CardArray):
        return x.digamma()
    if x.size < MANY:
        from scipy import special

        return np.asarray(special.digamma(x))
    from . import special_kernels

    return _filled(special_kernels.digamma, x)


def log_gamma(x: Array) -> Array:
    """Log gamma of positive numbers.

    >>> log_gamma(np.array([1.0, 4.0])).round(6).tolist()
    [0.0, 1.791759]
    """
    if isinstance(x, CardArray):
        return x.log_gamma()
    if x.size < MANY:
        from scipy import special

        return np.asarray(special.gammaln(x))
    from . import special_kernels

    return _filled(special_kernels.log_gamma, x)


def _filled(kernel: object, x: Array) -> Array:
    flat = np.ascontiguousarray(x, float).ravel()
    out = np.empty(flat.size)
    kernel(0, flat.size, flat, out)  # type: ignore[operator]
    return out.reshape(x.shape)
