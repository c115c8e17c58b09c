"""What numba compiles for ratings: items from annotators' lines, and the sums from which the lines are found."""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def rating_sweep(
    low, high, first, who, value, weight, lines, mu, prior, before, wild, rounds, mean, variance, sums, totals
):
    """Items low..high: means (about mu) and variances, and what annotators and the priors need of them.

    lines: (annotators, 5): bias, gain, precision, mean squared gain, covariance. before: where items are believed to
    lie, or nothing. wild: from how many standard deviations on a rating counts less; infinity for never. sums:
    (annotators, 6), totals: (3,), as `RaterSums`.
    """
    for i in range(low, high):
        begin, end = first[i], first[i + 1]
        x, v, rated = 0.0, 1.0, 0.0
        believed = before[i] if before.size > 0 else 0.0
        for turn in range(rounds + 1):
            precision, pull, rated = prior, prior * believed, 0.0
            for n in range(begin, end):
                j = who[n]
                own = weight[n] if weight.size > 0 else 1.0
                off = value[n] - mu - lines[j, 0]
                if turn > 0:
                    z = np.sqrt(lines[j, 2]) * abs(off - lines[j, 1] * x)
                    if z > wild:
                        own *= (wild / z) * (wild / z)
                rated += own
                own *= lines[j, 2]
                precision += own * lines[j, 3]
                pull += own * (lines[j, 1] * off - lines[j, 4])
            v = 1.0 / precision
            x = v * pull
        mean[i], variance[i] = x, v
        if rated > 0.0:
            totals[0] += 1.0
            totals[1] += x - believed
            totals[2] += (x - believed) * (x - believed) + v
        for n in range(begin, end):
            j = who[n]
            own = weight[n] if weight.size > 0 else 1.0
            off = value[n] - mu
            if rounds > 0:
                z = np.sqrt(lines[j, 2]) * abs(off - lines[j, 0] - lines[j, 1] * x)
                if z > wild:
                    own *= (wild / z) * (wild / z)
            sums[j, 0] += own
            sums[j, 1] += own * x
            sums[j, 2] += own * (x * x + v)
            sums[j, 3] += own * off
            sums[j, 4] += own * off * x
            sums[j, 5] += own * off * off
