"""The graph of same and different, and clusters of its spectrum, from which mean field starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...votes.codes import Array
from ...votes.keyed import keyed_uniform
from ...votes.similarities import Similarities

DENSE = 400  # items up to which all eigenvectors are found
STARTS = 10


@dataclass(frozen=True, eq=False)
class Signed:
    """Who is linked with whom: numbers of votes, summed by pair, both ways."""

    item: Array
    other: Array
    said: Array
    key: Array
    n_items: int

    @classmethod
    def of(cls, votes: Similarities) -> Signed:
        """Votes as a graph, same being 1 and different -1."""
        weight = np.ones(votes.n_votes) if votes.weight is None else votes.weight
        said = np.where(votes.same_said, weight, -weight)
        return cls(votes.item, votes.other, said, votes.item_hash, votes.n_items)

    @property
    def alike(self) -> Signed:
        """What is the same alone: where signs mislead the spectrum, these may not."""
        return Signed(self.item, self.other, np.maximum(self.said, 0.0), self.key, self.n_items)

    def weighed(self, pull: Array) -> Any:
        """The graph with a number for each vote, (items, items)."""
        from scipy.sparse import coo_array

        ends = np.concatenate([self.item, self.other]).astype(np.int64)
        others = np.concatenate([self.other, self.item]).astype(np.int64)
        return coo_array((np.concatenate([pull, pull]), (ends, others)), shape=(self.n_items,) * 2).tocsr()


def clusters_by_spectrum(signed: Signed, k: int, seed: int) -> Array:
    """k clusters by the first k eigenvectors of the signed graph, its rows divided by how much is said of them."""
    if k == 1 or signed.n_items <= k:
        return np.arange(signed.n_items) % k
    graph = signed.weighed(signed.said)
    degree = np.sqrt(np.maximum(np.asarray(abs(graph).sum(axis=1)).ravel(), 1e-9))
    rows = _leading(graph, degree, k, signed.key)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return _k_means(rows, k, signed.key, seed)


def _leading(graph: Any, degree: Array, k: int, key: Array) -> Array:
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    scaled = diags_array(1.0 / degree) @ graph @ diags_array(1.0 / degree)
    if graph.shape[0] <= max(DENSE, 2 * k):
        return np.linalg.eigh(scaled.toarray())[1][:, -k:]
    start = keyed_uniform(0, key) - 0.5  # by name, so that the order of a file decides nothing
    return np.asarray(eigsh(scaled, k, which="LA", v0=start)[1])


def _k_means(rows: Array, k: int, key: Array, seed: int) -> Array:
    """Lloyd's steps from the best of several starts by k-means++; lots are drawn by the items' names."""
    best, lowest = np.zeros(len(rows), np.int64), np.inf
    for start in range(STARTS):
        centre = _spread_out(rows, k, key, seed * STARTS + start)
        for _ in range(100):
            distance = ((rows[:, None, :] - centre[None]) ** 2).sum(axis=2)
            own = distance.argmin(axis=1)
            size = np.bincount(own, minlength=k)
            sums = np.stack([np.bincount(own, column, k) for column in rows.T], axis=1)
            new = np.where(size[:, None] > 0, sums / np.maximum(size[:, None], 1), centre)
            if np.allclose(new, centre, atol=1e-9):
                break
            centre = new
        cost = float(np.round(distance.min(axis=1).sum(), 9))
        if cost < lowest:
            best, lowest = own, cost
    return best


def _spread_out(rows: Array, k: int, key: Array, seed: int) -> Array:
    """First centres: each far from those before, with a lot of its own."""
    lots = -np.log(keyed_uniform(seed, key))
    chosen = [int(lots.argmin())]
    far = ((rows - rows[chosen[0]]) ** 2).sum(axis=1)
    for _ in range(k - 1):
        chosen.append(int(np.where(far > 1e-12, lots / np.maximum(far, 1e-12), np.inf).argmin()))
        far = np.minimum(far, ((rows - rows[chosen[-1]]) ** 2).sum(axis=1))
    return rows[chosen]
