"""What numba compiles for scores that move after every comparison: one pass in the order in which they stand.

`PASS.py_func` is the same in plain Python, for those who have few.
"""

from __future__ import annotations

import numpy as np

from .kernels import jit


@jit
def elo_pass(left, right, won, weight, k, score):
    """Elo's rule; moves score (items,)."""
    for n in range(left.size):
        gap = min(score[right[n]] - score[left[n]], 700.0)
        move = k * (weight[n] if weight.size > 0 else 1.0) * (won[n] - 1.0 / (1.0 + np.exp(gap)))
        score[left[n]] += move
        score[right[n]] -= move


@jit
def gaussian_pass(left, right, won, weight, noise, least, drift, mean, variance):
    """Weng and Lin's rule for two; moves mean and variance (items,). noise, drift: variances."""
    for n in range(left.size):
        i, j = left[n], right[n]
        counts = weight[n] if weight.size > 0 else 1.0
        variance[i] += drift
        variance[j] += drift
        spread = np.sqrt(variance[i] + variance[j] + 2.0 * noise)
        chance = 1.0 / (1.0 + np.exp(min((mean[j] - mean[i]) / spread, 700.0)))
        own, other = variance[i], variance[j]
        surprise, curve = counts * (won[n] - chance) / spread, counts * chance * (1.0 - chance) / (spread * spread)
        mean[i] += own * surprise
        mean[j] -= other * surprise
        # Each one's sigma over the spread damps what it learns of its own variance.
        variance[i] = own * max(1.0 - np.sqrt(own) / spread * own * curve, least)
        variance[j] = other * max(1.0 - np.sqrt(other) / spread * other * curve, least)
