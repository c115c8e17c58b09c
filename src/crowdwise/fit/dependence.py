"""Dependence: annotators who err together, in groups, and votes that such a group shares.

Copies, accounts of one person, readers of one wrong web page: their votes are no independent witnesses, and every
method that takes them for such is overconfident, or outvoted by them. `find_groups` finds them by their residuals after
a first fit; `share_votes` lets each group have about one vote on an item. `weights="groups"` does both in any method.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ..engine import NumpyEngine, bind
from ..methods import make
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.known import Known
from ..votes.table import Table
from ..votes.votes import Votes

V = TypeVar("V", bound=Votes)

MOST_DIVIDED = 300  # members of a group that is looked at for parts
BLOCK = 20_000_000  # pairs of annotators, or numbers a vote and class, held at once
MANY_MEETINGS = 3_000_000  # of votes on items, from which a compiled pass is worth its start
FIRST = 0.1  # of the memory: a first fit that needs more is not worth its time
USUAL = 4.0  # votes' worth of an annotator's mean accuracy in that of each class


def find_groups(
    crowd: Crowd,
    known: Known | None = None,
    *,
    posterior: Array | None = None,
    least_shared: int = 8,
    least_z: float = 4.0,
    engine: str = "auto",
) -> Array:
    r"""A group code for each annotator, -1 for those who err alone.

    With :math:`q` a first fit's posterior (`IBCC`'s, unless given; `MACE`'s where there are too many classes for it)
    and :math:`a_j(k)` annotator j's accuracy for class k, their residual on item i is
    :math:`r_{ij} = q_i(l_{ij}) - \sum_k q_i(k) a_j(k)`, less the mean of the item's residuals, so that neither what all
    find hard nor a taste for the same class links anybody. Two annotators are linked if
    :math:`z = \sum_i (r_{ij} r_{im} - e_{ijm}) / \sqrt{\sum_i r_{ij}^2 r_{im}^2}` over their shared items, of which
    there are at least `least_shared`, is above `least_z` and above what the largest of so many z would reach by chance
    one time in twenty. :math:`e`, where it is positive, is what the item's mean, which both share, makes of the product
    of independent residuals: without it experts among guessers would seem to err together. Connected components are
    groups, or several: they are divided as the residual of their correlations says (`divide`).

    >>> from crowdwise import simulate
    >>> people = simulate.one_coin(12, 2, 0.75)
    >>> made = simulate.crowd(people, n_items=300, per_item=8, seed=0)
    >>> find_groups(made.crowd).tolist()
    [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
    """
    crowd = Crowd.of(crowd).counted()
    if posterior is None:
        return groups_of(bind(crowd, engine), known, least_shared=least_shared, least_z=least_z)
    return _groups(crowd, posterior, least_shared, least_z)


def groups_of(ops: NumpyEngine, known: Known | None, *, least_shared: int = 8, least_z: float = 4.0) -> Array:
    """`find_groups` among votes that are bound; the first fit is kept with them, by its method."""
    first = make("ibcc") if make("ibcc").affordable(ops.crowd, FIRST) else make("mace")
    ops.kept[first] = first.solve(ops, known, None, None)
    return _groups(ops.crowd, ops.kept[first].found, least_shared, least_z)


def _groups(crowd: Crowd, posterior: Array, least_shared: int, least_z: float) -> Array:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    residuals = Residuals(crowd, posterior)
    links = residuals.linked(least_shared, least_z)
    n = crowd.n_annotators
    graph = coo_array((np.ones(len(links)), (links["first"], links["second"])), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    size = np.bincount(component, minlength=1)
    for code in np.flatnonzero((size > 3) & (size <= MOST_DIVIDED)):
        members = np.flatnonzero(component == code)
        part = divide(*residuals.correlations(members))
        component[members] = np.where(part == 0, code, component.max() + part)
    return in_order(component)


def in_order(group: Array) -> Array:
    """Groups of two or more numbered by their first members; everybody else -1.

    >>> in_order(np.array([7, 3, 7, 5, 3, -1, -1])).tolist()
    [0, 1, 0, -1, 1, -1, -1]
    """
    _, first, code, size = np.unique(group, return_index=True, return_inverse=True, return_counts=True)
    several = np.flatnonzero((size > 1) & (group[first] >= 0))
    number = np.full(size.size, -1)
    number[several[np.argsort(first[several])]] = np.arange(several.size)
    return np.asarray(number[code])


def divide(correlation: Array, shared: Array) -> Array:
    r"""Parts of a group, as codes, in which correlations are alike: one part, if no division describes them better.

    Of the divisions by average linkage, the one with the least
    :math:`\sum_{i < j} n_{ij} (\rho_{ij} - \hat \rho_{ij})^2 + p \log m`, where :math:`n_{ij}` are shared items,
    :math:`\hat \rho` is the mean of the pair's part, and 0 for pairs of different parts, p how many means there are,
    and m how many pairs.

    >>> blocks = np.kron(np.eye(2), np.full((3, 3), 0.6)) + 0.05
    >>> np.unique(divide(blocks, np.full((6, 6), 100.0))[[0, 0, 5]]).tolist()
    [0, 1]
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    n = len(correlation)
    first, second = np.triu_indices(n, 1)
    rho, weight = correlation[first, second], shared[first, second]
    tree = linkage(np.maximum(1.0 - rho, 0.0), method="average")
    best, least = np.zeros(n, np.int64), np.inf
    for n_parts in range(1, n):
        part = fcluster(tree, n_parts, criterion="maxclust") - 1
        block = np.where(part[first] == part[second], part[first], n_parts)
        total = np.bincount(block, weight, n_parts + 1)
        mean = np.bincount(block, weight * rho, n_parts + 1) / np.maximum(total, 1e-300)
        mean[n_parts] = 0.0
        misfit = (weight * (rho - mean[block]) ** 2).sum() + (total[:n_parts] > 0.0).sum() * np.log(rho.size)
        if misfit < least:
            best, least = np.unique(part, return_inverse=True)[1], misfit
    return best


def linked_pairs(crowd: Crowd, posterior: Array, *, least_shared: int = 8, least_z: float = 4.0) -> Table:
    """Pairs of annotators (codes) whose residuals go together: first, second, shared items, z; strongest first."""
    return Residuals(crowd, posterior).linked(least_shared, least_z)


class Residuals:
    """How much more often than usual each annotator is right on each item, the item's mean taken off; sparse.

    matrix: (annotators, items); variance: (annotators,) of the residuals before that mean was taken off.
    """

    def __init__(self, crowd: Crowd, posterior: Array):
        from scipy.sparse import csr_array

        self.matrix, self.variance = _residuals(crowd, posterior)
        self.there = csr_array((np.ones(self.matrix.nnz), self.matrix.indices, self.matrix.indptr), self.matrix.shape)
        self.size = np.bincount(self.matrix.indices, minlength=self.matrix.shape[1])  # annotators of each item
        self.mean_variance = (self.variance @ self.there) / np.maximum(self.size, 1) ** 2

    @cached_property
    def square(self) -> Any:
        """Squared residuals."""
        return self.matrix.multiply(self.matrix).tocsr()

    def linked(self, least_shared: int, least_z: float) -> Table:
        """Pairs of annotators whose residuals go together, see `linked_pairs`."""
        from scipy.special import ndtri

        meetings = float((self.size.astype(float) ** 2).sum())
        pairs = self._compiled if meetings > MANY_MEETINGS else self._by_products
        first, second, count, z, tested = pairs(least_shared, least_z)
        beyond_chance = z > -ndtri(0.05 / max(tested, 1))
        order = np.lexsort((second, first, -z))
        columns: dict[str, Any] = {"first": first, "second": second, "shared": count.astype(np.int64), "z": z}
        return Table(columns).take(order[beyond_chance[order]])

    def _compiled(self, least_shared: int, least_z: float) -> tuple[Array, Array, Array, Array, int]:
        """Annotators j and m, the items they share, z, and how many pairs were tested: in one pass over meetings."""
        from ..engine.links import links

        return links(self.matrix, self.variance, self.mean_variance, least_shared, least_z)

    def _by_products(self, least_shared: int, least_z: float) -> tuple[Array, Array, Array, Array, int]:
        """The same by products of sparse matrices."""
        found: list[tuple[Array, Array, Array, Array]] = []
        n_annotators = self.matrix.shape[0]
        tested, step = 0, max(1, BLOCK // max(n_annotators, 1))
        for low in range(0, n_annotators, step):
            shared = (self.there[low : low + step] @ self.there.T).tocoo()
            first, second = shared.coords
            enough = (first + low < second) & (shared.data >= least_shared)
            first, second, count = first[enough] + low, second[enough], shared.data[enough]
            tested += len(first)
            product, spread, from_size, from_variance = self._sums(first, second)
            both = self.variance[first] + self.variance[second]
            expected = np.maximum(from_variance - both * from_size, 0.0)
            z = (product - expected) / np.sqrt(np.maximum(spread, 1e-300))
            strong = z > least_z
            found.append((first[strong], second[strong], count[strong], z[strong]))
        first, second, count, z = (np.concatenate(part) for part in zip(*found, strict=True))
        return first, second, count, z, tested

    def _sums(self, first: Array, second: Array) -> list[Array]:
        """Sums over the items that two annotators share: products, squared products, 1 / size, the means' variance."""
        rows, row = np.unique(first, return_inverse=True)
        columns, column = np.unique(second, return_inverse=True)
        by_size = self.there.multiply(1.0 / np.maximum(self.size, 1)).tocsr()
        by_variance = self.there.multiply(self.mean_variance).tocsr()
        pairs = (
            (self.matrix, self.matrix),
            (self.square, self.square),
            (self.there, by_size),
            (self.there, by_variance),
        )
        return [_at((left[rows] @ right[columns].T).tocsr(), row, column) for left, right in pairs]

    def correlations(self, members: Array) -> tuple[Array, Array]:
        """Correlations of some annotators' residuals, and how many items each two of them share; 0 where none."""
        own = [matrix[members] for matrix in (self.matrix, self.there, self.square)]
        product, shared, square = (
            np.asarray((own[left] @ own[right].T).todense()) for left, right in ((0, 0), (1, 1), (2, 1))
        )
        return product / np.sqrt(np.maximum(square * square.T, 1e-300)), shared


def share_votes(crowd: V, group: Array) -> V:
    """The crowd whose votes count 1 / (the group's members on that item); those of no group count as they did.

    >>> crowd = Crowd.from_matrix([[0, 0, 1], [1, -1, 1]])
    >>> share_votes(crowd, np.array([0, 0, -1])).weight.tolist()
    [0.5, 0.5, 1.0, 1.0, 1.0]
    """
    own = group[crowd.annotator]
    grouped = np.flatnonzero(own >= 0)
    if not grouped.size:
        return crowd
    n_groups, n_annotators = int(group.max()) + 1, crowd.n_annotators
    item = crowd.item[grouped].astype(np.int64)
    member = np.unique(item * n_annotators + crowd.annotator[grouped])  # once, however often they voted
    cells, count = np.unique(member // n_annotators * n_groups + group[member % n_annotators], return_counts=True)
    weight = np.ones(crowd.n_votes) if crowd.weight is None else np.array(crowd.weight, float)
    weight[grouped] /= count[np.searchsorted(cells, item * n_groups + own[grouped])]
    return crowd.with_weight(weight)


def _residuals(crowd: Crowd, posterior: Array) -> tuple[Any, Array]:
    """How much more often than usual each annotator was right on each item, the item's mean taken off; sparse.

    And the variance of each annotator's residuals before that mean was taken off.
    """
    from scipy.sparse import csr_array

    where = (crowd.annotator.astype(np.int64), crowd.item.astype(np.int64))
    weight = np.ones(crowd.n_votes) if crowd.weight is None else crowd.weight
    shape = (crowd.n_annotators, crowd.n_items)
    right = csr_array((weight * posterior[crowd.item, crowd.label], where), shape=shape)
    votes = csr_array((weight, where), shape=shape)  # of the same cells: repeated votes are one residual
    right.data /= np.maximum(votes.data, 1e-300)
    annotator = np.repeat(np.arange(crowd.n_annotators), np.diff(right.indptr))

    def mean(code: Array, n: int, value: Array) -> Array:
        return np.bincount(code, value, n) / np.maximum(np.bincount(code, minlength=n), 1)

    # what is usual of each annotator for the class of each item, with four votes' worth of their mean accuracy
    there = csr_array((np.ones(right.nnz), right.indices, right.indptr), shape=shape)
    accuracy = np.asarray(right @ posterior) + USUAL * mean(annotator, crowd.n_annotators, right.data)[:, None]
    accuracy /= np.asarray(there @ posterior) + USUAL
    step = max(1, BLOCK // crowd.n_classes)
    for low in range(0, right.nnz, step):
        at = slice(low, low + step)
        right.data[at] -= np.einsum("vk,vk->v", accuracy[annotator[at]], posterior[right.indices[at]])
    variance = mean(annotator, crowd.n_annotators, right.data**2)
    right.data -= mean(right.indices, crowd.n_items, right.data)[right.indices]
    return csr_array(right), variance


def _at(matrix: Any, row: Array, column: Array) -> Array:
    if not row.size:
        return np.empty(0)
    matrix.sort_indices()  # or it looks each one up along its row
    return np.asarray(matrix[row, column]).ravel()
