"""Random numbers keyed by name: an item's numbers are the same whatever the order and the parts that items come in."""

from __future__ import annotations

import numpy as np

from .codes import Array

STEP, MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)
PRIME = np.uint64(1_099_511_628_211)  # of FNV-1
AT_ONCE = 1 << 22  # letters that are hashed at once


def keyed_uniform(seed: int, key: Array) -> Array:
    """A number in (0, 1) for each key (splitmix64 of the key, offset by the seed).

    >>> a, b = keyed_uniform(0, np.arange(4)), keyed_uniform(0, np.arange(2, 4))
    >>> bool((a[2:] == b).all())
    True
    """
    with np.errstate(over="ignore"):
        z = _mixed((key.astype(np.uint64) + np.uint64(1)) * STEP + np.uint64(seed % 2**64) * MIX)
    return np.asarray(((z >> np.uint64(11)).astype(float) + 0.5) / 2.0**53)


def keyed_exponential(seed: int, key: Array, width: int) -> Array:
    """Exponential numbers, (keys, width): rows of a Dirichlet(1) before they are divided."""
    with np.errstate(over="ignore"):
        keys = key.astype(np.uint64)[:, None] * np.uint64(width) + np.arange(width, dtype=np.uint64)
    return -np.log(keyed_uniform(seed, keys))


def hashed(names: Array) -> Array:
    """A number of 64 bits for each name, which depends on nothing else.

    >>> from crowdwise.votes.codes import names_array
    >>> a, b = hashed(names_array(["cat", "dog", "eel"])), hashed(names_array(["eel", "cat"]))
    >>> bool((a[[2, 0]] == b).all()), len(set(a.tolist()))
    (True, 3)
    """
    if names.dtype.kind != "O":
        whole = names.astype(np.float64).view(np.int64) if names.dtype.kind == "f" else names
        with np.errstate(over="ignore"):
            return _mixed(whole.astype(np.int64).view(np.uint64) * STEP)
    import pyarrow as pa

    texts = pa.array([name if isinstance(name, str) else str(name) for name in names.tolist()], pa.large_string())
    ends = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1)
    letters = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    out = np.zeros(len(texts), np.uint64)
    low = 0
    while low < len(texts):  # a few million letters at a time: powers of a prime, summed by text
        high = max(low + 1, int(np.searchsorted(ends, ends[low] + AT_ONCE, "right")) - 1)
        out[low:high] = _polynomials(letters[ends[low] : ends[high]], ends[low : high + 1] - ends[low])
        low = high
    return out


def _polynomials(letters: Array, ends: Array) -> Array:
    length = np.diff(ends)
    place = np.arange(letters.size) - np.repeat(ends[:-1], length)
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(int(length.max(initial=0)) + 1, PRIME))
        sums = np.zeros(length.size, np.uint64)
        some = length > 0
        terms = (letters.astype(np.uint64) + np.uint64(1)) * powers[place]
        sums[some] = np.add.reduceat(terms, ends[:-1][some]) if terms.size else 0
        return _mixed(sums + length.astype(np.uint64) * STEP)


def _mixed(z: Array) -> Array:
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
