"""Labels of many items: the first class that is likeliest, by NumPy for a few, compiled for many."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..votes.codes import Array
from ..votes.ties import TOLERANCE
from ..votes.ties import first_of_tied as by_numpy
from .cores import available_cores

MANY = 2_000_000  # numbers, from which a compiled loop is worth its start


def first_of_tied(posterior: Array) -> Array:
    """The first class, in the order of the classes, that has the largest probability, up to 1e-6.

    >>> first_of_tied(np.array([[0.4, 0.4, 0.2], [0.1, 0.2, 0.7]])).tolist()
    [0, 2]
    """
    if posterior.size < MANY or posterior.dtype.kind != "f":
        return by_numpy(posterior)
    from .kernels import first_near_top

    rows, tolerance, n = np.ascontiguousarray(posterior), posterior.dtype.type(TOLERANCE), len(posterior)
    out, cuts = np.empty(n, np.int64), np.linspace(0, n, available_cores() + 1).astype(int).tolist()
    with ThreadPoolExecutor(len(cuts) - 1) as threads:
        list(threads.map(lambda low, high: first_near_top(low, high, rows, tolerance, out), cuts[:-1], cuts[1:]))
    return out
