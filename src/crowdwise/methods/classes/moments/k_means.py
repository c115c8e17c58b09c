"""k-means of weighted rows."""

from __future__ import annotations

import numpy as np

from ....votes.codes import Array


def k_means(
    rows: Array, k: int, weight: Array | None = None, *, starts: int = 20, seed: int = 0
) -> tuple[Array, Array]:
    """The cluster of each row, and the centres, (k, columns): the best of some starts by k-means++.

    >>> cluster, centres = k_means(np.array([[0.0], [0.1], [5.0], [5.2]]), 2)
    >>> sorted(centres[:, 0].round(2).tolist()), bool(cluster[0] == cluster[1] != cluster[2])
    ([0.05, 5.1], True)
    """
    rng = np.random.default_rng(seed)
    weight = np.ones(len(rows)) if weight is None else np.asarray(weight, float)
    found = [_settled(rows, _spread_out(rows, k, weight, rng), weight) for _ in range(starts)]
    _, cluster, centres = min(found, key=lambda one: one[0])
    return cluster, centres


def _spread_out(rows: Array, k: int, weight: Array, rng: np.random.Generator) -> Array:
    """Rows drawn one after the other, each by its squared distance from those before (Arthur & Vassilvitskii 2007)."""
    chosen = [int(rng.choice(len(rows), p=weight / weight.sum()))]
    for _ in range(k - 1):
        chance = weight * _distances(rows, rows[chosen]).min(axis=1)
        chosen.append(int(rng.choice(len(rows), p=chance / chance.sum())) if chance.sum() > 0.0 else chosen[-1])
    return rows[chosen]


def _settled(rows: Array, centres: Array, weight: Array) -> tuple[float, Array, Array]:
    """Lloyd's steps until no row moves: the weighted squared distance, clusters and centres."""
    cluster = np.full(len(rows), -1)
    while True:
        distance = _distances(rows, centres)
        nearest = distance.argmin(axis=1)
        if (nearest == cluster).all():
            return float((weight * distance.min(axis=1)).sum()), cluster, centres
        cluster = nearest
        there = weight[:, None] * (cluster[:, None] == np.arange(len(centres)))
        total = there.sum(axis=0)[:, None]
        centres = np.where(total > 0.0, there.T @ rows / np.maximum(total, 1e-300), centres)


def _distances(rows: Array, centres: Array) -> Array:
    return np.asarray(((rows[:, None] - centres[None]) ** 2).sum(axis=2))
