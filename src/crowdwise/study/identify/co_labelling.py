"""The graph of who shares items with whom: components, bridges, and annotators who hold it together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...engine import NumpyEngine, bind, meetings
from ...methods.classes.moments.moment_method import busiest
from ...votes.codes import Array
from ...votes.crowd import Crowd

MOST_TRIPLES = 20_000_000  # meetings of three votes that are counted


@dataclass(frozen=True, eq=False)
class CoLabelling:
    """Pairs of annotators (codes) who share items, and how many; among n annotators."""

    first: Array
    second: Array
    shared: Array
    n: int

    @classmethod
    def of(cls, votes: NumpyEngine) -> CoLabelling:
        """The graph of a crowd, made by `whoever`.

        >>> crowd = Crowd.from_matrix([[0, 1, -1, -1], [-1, 0, 0, -1], [-1, -1, -1, 1]])
        >>> graph = CoLabelling.of(whoever(crowd))
        >>> graph.component.tolist(), graph.bridges.tolist(), graph.cuts.tolist()
        ([0, 0, 0, 1], [[0, 1], [1, 2]], [False, True, False, False])
        """
        met = votes.tuples(2)
        first, second = met.cells.T.astype(np.int64)
        return cls(first, second, met.often, votes.n_annotators)

    def partners(self, least_shared: float = 1.0) -> Array:
        """With how many others each annotator shares at least so many items."""
        strong = self.shared >= least_shared
        ends = np.concatenate([self.first[strong], self.second[strong]])
        return np.bincount(ends, minlength=self.n)

    @cached_property
    def component(self) -> Array:
        """Which component each annotator is in; 0 is the one of most annotators."""
        from scipy.sparse.csgraph import connected_components

        _, found = connected_components(self._matrix, directed=False)
        rank = np.argsort(np.argsort(-np.bincount(found), kind="stable"), kind="stable")
        return rank[found]

    @property
    def bridges(self) -> Array:
        """Pairs without whom the graph falls apart, (pairs, 2)."""
        order, low, parent = self._walk
        below = np.flatnonzero((parent >= 0) & (low > order[parent]))
        return np.sort(np.stack([below, parent[below]], axis=1), axis=1)

    @property
    def cuts(self) -> Array:
        """Annotators without whom the graph falls apart."""
        order, low, parent = self._walk
        child = np.flatnonzero(parent >= 0)
        above = parent[child]
        from_root = parent[above] < 0
        out = np.bincount(above[from_root], minlength=self.n) > 1
        out[above[~from_root & (low[child] >= order[above])]] = True
        return out

    @cached_property
    def _walk(self) -> tuple[Array, Array, Array]:
        """Order of a depth-first walk, the lowest order that is reached from below each annotator, and parents."""
        from ...engine.meeting_kernels import low_links

        order, low, parent = low_links(self._matrix.indptr, self._matrix.indices)
        return order, low, parent

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import coo_array

        ends = np.concatenate([self.first, self.second]), np.concatenate([self.second, self.first])
        return coo_array((np.ones(ends[0].size), ends), shape=(self.n, self.n)).tocsr()


def whoever(crowd: Crowd, engine: str = "auto") -> NumpyEngine:
    """An engine over the votes, whatever they say: one class, and each annotator once an item."""
    pair = crowd.item.astype(np.int64) * crowd.n_annotators + crowd.annotator
    _, once = np.unique(pair, return_index=True)
    votes = crowd.take(once)
    one = votes.derive(label=np.zeros(votes.n_votes, np.int64), classes=np.zeros(1), weight=None)
    return bind(one, engine, load=10)


def crossed(votes: NumpyEngine) -> Array:
    """Votes of each annotator on items that at least two others voted on: what they can be judged by."""
    others = np.bincount(votes.item, minlength=votes.n_items) - 1
    return np.bincount(votes.annotator, others[votes.item] >= 2, votes.n_annotators).astype(np.int64)


def triples(votes: NumpyEngine, least_shared: float) -> tuple[int, int]:
    """How many triples of annotators share so many items, and among how many annotators that was counted.

    Of the busiest annotators, and of every so-manieth item, where there would be too many to count.
    """
    for most in (1000, 300, 100, 30):
        core, among = busiest(votes, most)
        if meetings(among.crowd, 3) <= MOST_TRIPLES:
            break
    step = -(-meetings(among.crowd, 3) // MOST_TRIPLES) or 1
    some = among if step == 1 else among.over(among.crowd.take(among.item % step == 0))
    return int((some.tuples(3).often >= least_shared / step).sum()), core.size
