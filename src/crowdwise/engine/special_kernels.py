"""Digamma and log gamma of many positive numbers, in loops that vectorise: shifted by six, then asymptotic series.

The shift is one division: the sum of 1 / (x + k) is P'(x) / P(x), with P the product of the x + k. Logarithms are of
the mantissa, by the series of atanh. Errors are a few units of the last digit of numbers near 1.
"""

from __future__ import annotations

import numpy as np

from .kernels import jit

BLOCK = 512  # numbers that stay in the first-level cache
HALF_BITS = 0x3FE6A09E667F3BCD  # of the square root of one half: mantissas go from there to that of two
LOG_2 = 0.6931471805599453
HALF_LOG_2_PI = 0.9189385332046727


@jit
def logs(n, x, bits):
    """Logarithms of the first n positive numbers of x, in place; bits: the same memory as integers."""
    for t in range(n):
        e = (bits[t] - HALF_BITS) >> 52
        bits[t] -= e << 52
        s = (x[t] - 1.0) / (x[t] + 1.0)
        q = s * s
        p = 1.0 / 23.0
        p = p * q + 1.0 / 21.0
        p = p * q + 1.0 / 19.0
        p = p * q + 1.0 / 17.0
        p = p * q + 1.0 / 15.0
        p = p * q + 1.0 / 13.0
        p = p * q + 1.0 / 11.0
        p = p * q + 1.0 / 9.0
        p = p * q + 1.0 / 7.0
        p = p * q + 1.0 / 5.0
        p = p * q + 1.0 / 3.0
        x[t] = e * LOG_2 + 2.0 * s + 2.0 * s * q * p


@jit
def digamma(low, high, x, out):
    """Digamma of x[low:high]."""
    y = np.empty(BLOCK)
    bits = y.view(np.int64)
    for begin in range(low, high, BLOCK):
        n = min(BLOCK, high - begin)
        for t in range(n):
            y[t] = x[begin + t] + 6.0
        logs(n, y, bits)
        for t in range(n):
            v = x[begin + t]
            p, d = v, 1.0
            for k in range(1, 6):
                d = d * (v + k) + p
                p *= v + k
            r = 1.0 / (v + 6.0)
            q = r * r
            s = 3617.0 / 8160.0
            s = s * q - 1.0 / 12.0
            s = s * q + 691.0 / 32760.0
            s = s * q - 1.0 / 132.0
            s = s * q + 1.0 / 240.0
            s = s * q - 1.0 / 252.0
            s = s * q + 1.0 / 120.0
            s = s * q - 1.0 / 12.0
            out[begin + t] = y[t] - 0.5 * r + s * q - d / p


@jit
def log_gamma(low, high, x, out):
    """Log gamma of x[low:high]."""
    y, z = np.empty(BLOCK), np.empty(BLOCK)
    y_bits, z_bits = y.view(np.int64), z.view(np.int64)
    for begin in range(low, high, BLOCK):
        n = min(BLOCK, high - begin)
        for t in range(n):
            v = x[begin + t]
            y[t] = v + 6.0
            z[t] = v * (v + 1.0) * (v + 2.0) * (v + 3.0) * (v + 4.0) * (v + 5.0)
        logs(n, y, y_bits)
        logs(n, z, z_bits)
        for t in range(n):
            v = x[begin + t] + 6.0
            r = 1.0 / v
            q = r * r
            s = -3617.0 / 122400.0
            s = s * q + 1.0 / 156.0
            s = s * q - 691.0 / 360360.0
            s = s * q + 1.0 / 1188.0
            s = s * q - 1.0 / 1680.0
            s = s * q + 1.0 / 1260.0
            s = s * q - 1.0 / 360.0
            s = s * q + 1.0 / 12.0
            out[begin + t] = (v - 0.5) * y[t] - v + HALF_LOG_2_PI + s * r - z[t]
