"""What numba compiles for boxes: which boxes of an image are of one object."""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def overlap(one, other):
    """Intersection over union of two boxes (left, top, right, bottom)."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0.0 or high <= 0.0:
        return 0.0
    both = wide * high
    return both / ((one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - both)


@jit
def matched(  # noqa: PLR0912
    first, annotator, side, weight, least, group
):
    """A number for each box: those of one number are of one object, one box of an annotator at most.

    The box that overlaps most with boxes of others begins, every other annotator's best one joins it if it overlaps
    enough; then the next.
    """
    n_groups = 0
    for i in range(first.size - 1):
        low, high = first[i], first[i + 1]
        n = high - low
        near = np.zeros((n, n))
        for a in range(n):
            for b in range(a):
                if annotator[low + a] != annotator[low + b]:
                    near[a, b] = overlap(side[low + a], side[low + b])
                    near[b, a] = near[a, b]
        left = n
        while left > 0:
            best, most = -1, -1.0
            for a in range(n):
                if group[low + a] >= 0:
                    continue
                support = 0.0
                for b in range(n):
                    if group[low + b] < 0 and near[a, b] >= least:
                        support += near[a, b] * weight[low + b]
                if support > most + 1e-9:
                    best, most = a, support
            group[low + best] = n_groups
            left -= 1
            for b in range(n):
                if group[low + b] >= 0 or near[best, b] < least:
                    continue
                nearest = True
                for c in range(n):
                    same = annotator[low + c] == annotator[low + b]
                    if same and (group[low + c] == n_groups or (group[low + c] < 0 and near[best, c] > near[best, b])):
                        nearest = False
                if nearest:
                    group[low + b] = n_groups
                    left -= 1
            n_groups += 1
    return n_groups


@jit
def own_overlap(first, side, weight, out):
    """For each box of a group its mean overlap with the others of it."""
    for g in range(first.size - 1):
        for a in range(first[g], first[g + 1]):
            total, heard = 0.0, 0.0
            for b in range(first[g], first[g + 1]):
                if a != b:
                    total += weight[b] * overlap(side[a], side[b])
                    heard += weight[b]
            out[a] = total / heard if heard > 0.0 else 1.0
