"""What numba compiles for spans: how cheaply two annotators' spans of a document are laid side by side."""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def apart(begin, end, kind, a, b):
    """How far two spans are apart: by place, squared and in parts of their lengths, and 1 if their types differ."""
    moved = abs(begin[a] - begin[b]) + abs(end[a] - end[b])
    place = moved / (end[a] - begin[a] + end[b] - begin[b])
    return place * place + (0.0 if kind[a] == kind[b] else 1.0)


@jit
def aligned(first, one, other, begin, end, kind, cost):
    """The cheapest alignment of each two answers, which keeps the order of spans; a span left alone costs 1.

    first: where the spans of each answer begin; one, other: answers of each pair.
    """
    for p in range(one.size):
        low, high = first[one[p]], first[one[p] + 1]
        start, stop = first[other[p]], first[other[p] + 1]
        n = stop - start
        row = np.arange(n + 1) + 0.0  # the cheapest of the spans so far with the first n of the other
        for a in range(low, high):
            diagonal, row[0] = row[0], row[0] + 1.0
            for j in range(n):
                both = diagonal + apart(begin, end, kind, a, start + j)
                diagonal = row[j + 1]
                row[j + 1] = min(both, row[j] + 1.0, diagonal + 1.0)
        cost[p] = row[n]
