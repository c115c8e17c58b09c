"""Links: which items are near each other, as a graph whose items tend to have the same class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from .codes import Array, shown

WIDE = 60  # features, above which only the leading directions are kept
KEPT = 50
BLOCK = 2_000  # items whose neighbours are looked for at once


class Links(NamedTuple):
    """left and right are codes of items that are linked, both ways; weight, how much."""

    left: Array
    right: Array
    weight: Array

    def moved(self, place: Array) -> Links:
        """The same links among other items: place is each item's new code, -1 where it is gone."""
        left, right = place[self.left], place[self.right]
        kept = (left >= 0) & (right >= 0)
        return Links(left[kept], right[kept], self.weight[kept])

    def matrix(self, n_items: int) -> Any:
        """Shares of links, (items, items): symmetric, rows sum to 1 on average."""
        from scipy.sparse import coo_array

        one = coo_array((self.weight, (self.left, self.right)), shape=(n_items,) * 2).tocsr()
        return (one + one.T) / (2.0 * max(float(self.weight.sum()) / max(n_items, 1), 1e-300))


def linked(left: Array, right: Array, weight: Any, names: Array) -> Links:
    """Links by codes of items, checked."""
    if (left == right).any():
        raise InputError(f"item {shown(names[left[int((left == right).argmax())]])} is linked with itself")
    counts = np.ones(left.size) if weight is None else np.asarray(weight, float)
    if counts.shape != left.shape or not (np.isfinite(counts) & (counts >= 0.0)).all():
        raise InputError("weights of links are finite numbers of at least 0, one for each")
    return Links(left.astype(np.int64), right.astype(np.int64), counts)


def nearest(features: Any, k: int = 10) -> Links:
    """The k nearest of each row by the angle between rows, which are centred and scaled by column first.

    >>> nearest(np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]]), 1).right.tolist()
    [1, 0, 3, 2]
    """
    rows = np.asarray(features.toarray() if hasattr(features, "toarray") else features, float)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InputError("features are finite numbers, one row per item")
    rows = (rows - rows.mean(axis=0)) / (rows.std(axis=0) + 1e-9)
    if rows.shape[1] > WIDE:
        u, s, _ = np.linalg.svd(rows, full_matrices=False)
        rows = u[:, :KEPT] * s[:KEPT]
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    k, near = min(k, len(rows) - 1), []
    for low in range(0, len(rows), BLOCK):
        alike = rows[low : low + BLOCK] @ rows.T
        alike[np.arange(len(alike)), low + np.arange(len(alike))] = -np.inf
        near.append(np.sort(np.argpartition(-alike, k - 1, axis=1)[:, :k], axis=1))
    right = np.concatenate(near).ravel()
    return Links(np.repeat(np.arange(len(rows)), k), right, np.ones(right.size))
