"""Pairs of annotators whose values on shared items go together: compiled, in one pass over meetings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..votes.codes import Array
from .cores import available_cores
from .meeting_kernels import linked
from .numba_engine import even_ranges, pool_of

ROOM = 100_000  # pairs, at first


class Links(NamedTuple):
    """Annotators, two and two, the items that they share, z; and how many pairs were tested."""

    first: Array
    second: Array
    shared: Array
    z: Array
    tested: int


def links(matrix: Any, variance: Array, mean_variance: Array, least_shared: int, least_z: float) -> Links:
    """matrix: values, sparse by rows, (annotators, items); variances of each annotator's, and of each item's mean."""
    by_item, threads = matrix.tocsc(), available_cores()
    by_annotator = (matrix.indptr, matrix.indices, matrix.data)
    columns = (by_item.indptr, by_item.indices, by_item.data)
    size = np.diff(by_item.indptr)
    work = np.concatenate([[0], np.cumsum(matrix.astype(bool) @ size if threads > 1 else np.diff(matrix.indptr))])

    def found(low: int, high: int) -> tuple[Array, Array, int]:
        room = ROOM
        while True:
            pairs, figures = np.empty((room, 2), np.int64), np.empty((room, 2))
            n, tested = linked(
                low, high, *by_annotator, *columns, variance, mean_variance, least_shared, least_z, pairs, figures
            )
            if n <= room:
                return pairs[:n], figures[:n], tested
            room = n

    parts = list(pool_of(threads).map(found, *zip(*even_ranges(work, threads), strict=True)))
    pairs, figures = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    return Links(pairs[:, 0], pairs[:, 1], figures[:, 0], figures[:, 1], sum(part[2] for part in parts))
