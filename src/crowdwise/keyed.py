"""Random numbers keyed by position: number n is the same whatever is drawn before it, in one piece or in many."""

from __future__ import annotations

import numpy as np

from .codes import Array


def keyed_uniform(seed: int, key: Array) -> Array:
    """A number in (0, 1) for each key (splitmix64 of the key, offset by the seed).

    >>> a, b = keyed_uniform(0, np.arange(4)), keyed_uniform(0, np.arange(2, 4))
    >>> bool((a[2:] == b).all())
    True
    """
    with np.errstate(over="ignore"):
        z = (key.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = z + np.uint64(seed % 2**64) * np.uint64(0xD1342543DE82EF95)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return np.asarray(((z >> np.uint64(11)).astype(float) + 0.5) / 2.0**53)


def keyed_exponential(seed: int, shape: tuple[int, ...]) -> Array:
    """Exponential numbers of a shape, keyed by position: rows of a Dirichlet(1) before they are divided."""
    return -np.log(keyed_uniform(seed, np.arange(int(np.prod(shape))).reshape(shape)))
