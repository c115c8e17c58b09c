"""Linked groups: pairs that are believed to be the same, and whatever they link: entities and duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import OptionError
from ...fit.method import Callback, Solution
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.similarities import Similarities
from .. import METHODS, make
from .same_groups import Clusters, SimilarityMethod


@dataclass(frozen=True, kw_only=True)
class LinkedGroups(SimilarityMethod):
    """Is each pair the same? By a method for classes; then everything that is linked is one: transitive closure.

    A link is a pair that is the same with a chance above `least`. An item is as sure to belong to its cluster as the
    weakest link on the best way to the others. Where pairs within a cluster are held to be different, that is told.
    O(votes) and the method's cost. Use it for entities and duplicates, of which there are many small clusters; a single
    wrong link joins two of them, so that `same-groups` is better where clusters are few.

    of: the method for classes. least: the chance that a link needs.

    Reference: transitive closure as in Wang, Li, Kraska, Franklin & Feng (SIGMOD 2013), over any method.

    >>> from crowdwise import LinkedGroups, Similarities
    >>> said = Similarities.from_columns(["a", "b", "d"], ["b", "c", "a"], ["x"] * 3, ["yes", "yes", "no"])
    >>> LinkedGroups(of="majority-vote").fit(said).to_table()["cluster"].tolist()
    [1, 1, 1, 2]
    """

    name: ClassVar[str] = "linked-groups"
    of: str = "one-coin"
    least: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if METHODS[self.of].takes != "classes":
            raise OptionError(f"of={self.of!r}: {self.of} takes {METHODS[self.of].takes}, and same or not are classes")

    def find(self, ops: Similarities, callback: Callback | None) -> Solution[Clusters]:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

        left, right, same, result = self._pairs(ops, callback)
        link = same > self.least
        n, weight = ops.n_items, 1.0 + 1e-9 - same[link]
        ends = left[link].astype(np.int32), right[link].astype(np.int32)  # older SciPy grows trees of these alone
        graph = coo_array((weight, ends), shape=(n, n)).tocsr()
        _, component = connected_components(graph, directed=False)
        tree = minimum_spanning_tree(graph).tocoo()
        sure = np.zeros(n)
        for ends in (tree.row, tree.col):  # the best link of an item is in the tree
            np.maximum.at(sure, ends, 1.0 - tree.data)
        sure[np.bincount(component)[component] == 1] = (
            1.0 - self._nearest(left, right, same, n)[np.bincount(component)[component] == 1]
        )
        size = np.bincount(component)
        first = np.full(size.size, n)
        np.minimum.at(first, component, np.arange(n))
        rank = np.empty(size.size, np.int64)
        rank[np.lexsort((first, -size))] = np.arange(1, size.size + 1)
        torn = int(((component[left] == component[right]) & (same < 1.0 - self.least)).sum())
        notes = [*result.notes]
        if torn:
            notes.append(
                f"{torn} pairs of one cluster are held to be different: a wrong link may have joined two clusters"
            )
        return Solution(Clusters(rank[component], sure), {}, {}, converged=result.converged, notes=tuple(notes))

    def _pairs(self, votes: Similarities, callback: Callback | None) -> tuple[Array, Array, Array, Any]:
        """Each pair that somebody looked at, and the chance that it is the same."""
        low, high = (
            np.asarray(end, np.int64)
            for end in (np.minimum(votes.item, votes.other), np.maximum(votes.item, votes.other))
        )
        key, pair = np.unique(low * votes.n_items + high, return_inverse=True)
        crowd = Crowd(
            item=pair, annotator=votes.annotator, label=votes.label, items=np.arange(key.size),
            annotators=votes.annotators, classes=votes.classes, weight=votes.weight,
        )  # fmt: skip
        result = make(self.of, seed=self.seed).fit(crowd, callback=callback)
        left, right = np.divmod(key, votes.n_items)
        return left, right, np.round(result.posterior[:, 1].astype(float), 9), result

    def _nearest(self, left: Array, right: Array, same: Array, n: int) -> Array:
        """The chance that each item is the same as the one that it is nearest to."""
        most = np.zeros(n)
        for ends in (left, right):
            np.maximum.at(most, ends, same)
        return most
