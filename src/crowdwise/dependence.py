"""Dependence: annotators who err together, in groups, and votes that such a group shares.

Copies, accounts of one person, readers of one wrong web page: their votes are no independent witnesses, and every
method that takes them for such is overconfident, or outvoted by them. `find_groups` finds them by their residuals after
a first fit; `share_votes` lets each group have about one vote on an item. `weights="groups"` does both in any method.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .codes import Array
from .crowd import Crowd
from .engine import bind
from .table import Table

BLOCK = 20_000_000  # pairs of annotators, or numbers a vote and class, held at once
USUAL = 4.0  # votes' worth of an annotator's mean accuracy in that of each class


def find_groups(
    crowd: Crowd,
    log_item: Array | None = None,
    *,
    posterior: Array | None = None,
    least_shared: int = 8,
    least_z: float = 4.0,
    engine: str = "auto",
) -> Array:
    r"""A group code for each annotator, -1 for those who err alone.

    With :math:`q` a first fit's posterior (`IBCC`'s, unless given; `MACE`'s where there are too many classes for it)
    and :math:`a_j(k)` annotator j's accuracy for class k, his residual on item i is
    :math:`r_{ij} = q_i(l_{ij}) - \sum_k q_i(k) a_j(k)`, less the mean of the item's residuals, so that neither what all
    find hard nor a taste for the same class links anybody. Two annotators are linked if
    :math:`z = \sum_i (r_{ij} r_{im} - e_{ijm}) / \sqrt{\sum_i r_{ij}^2 r_{im}^2}` over their shared items, of which
    there are at least `least_shared`, is above `least_z` and above what the largest of so many z would reach by chance
    one time in twenty. :math:`e`, where it is positive, is what the item's mean, which both share, makes of the product
    of independent residuals: without it experts among guessers would seem to err together. Groups are connected
    components.

    >>> from crowdwise import simulate
    >>> people = simulate.one_coin(12, 2, 0.75)
    >>> made = simulate.crowd(people, n_items=300, per_item=8, seed=0)
    >>> find_groups(made.crowd).tolist()
    [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if posterior is None:
        from .methods import make

        first = make("ibcc") if make("ibcc").fits(crowd) else make("mace")
        posterior = first.solve(bind(crowd, engine), log_item, None, None).posterior
    links = linked_pairs(crowd, posterior, least_shared=least_shared, least_z=least_z)
    n = crowd.n_annotators
    graph = coo_array((np.ones(len(links)), (links["first"], links["second"])), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    size = np.bincount(component, minlength=1)
    code = np.full(len(size), -1)
    code[size > 1] = np.arange((size > 1).sum())
    return code[component]


def linked_pairs(crowd: Crowd, posterior: Array, *, least_shared: int = 8, least_z: float = 4.0) -> Table:
    """Pairs of annotators (codes) whose residuals go together: first, second, shared items, z; strongest first."""
    from scipy.sparse import csr_array
    from scipy.special import ndtri

    residual, variance = _residuals(crowd, posterior)
    there = csr_array((np.ones(residual.nnz), residual.indices, residual.indptr), shape=residual.shape)
    size = np.maximum(there.sum(axis=0), 1.0)  # annotators of each item
    mean_variance = (variance @ there) / size**2
    by_size, by_variance = there.multiply(1.0 / size).tocsr(), there.multiply(mean_variance).tocsr()
    square = residual.multiply(residual).tocsr()
    found: list[tuple[Array, Array, Array, Array]] = []
    tested, step = 0, max(1, BLOCK // max(crowd.n_annotators, 1))
    for low in range(0, crowd.n_annotators, step):
        rows = slice(low, low + step)
        shared, product, spread = ((left[rows] @ left.T).tocsr() for left in (there, residual, square))
        from_size, from_variance = ((there[rows] @ right.T).tocsr() for right in (by_size, by_variance))
        pairs = shared.tocoo()
        first, second = pairs.coords
        enough = (first + low < second) & (pairs.data >= least_shared)
        first, second, count = first[enough], second[enough], pairs.data[enough]
        tested += len(first)
        both = variance[first + low] + variance[second]
        expected = _at(from_variance, first, second) - both * _at(from_size, first, second)
        expected = np.maximum(expected, 0.0)
        z = (_at(product, first, second) - expected) / np.sqrt(np.maximum(_at(spread, first, second), 1e-300))
        strong = z > least_z
        found.append((first[strong] + low, second[strong], count[strong], z[strong]))
    first, second, count, z = (np.concatenate(part) for part in zip(*found, strict=True))
    beyond_chance = z > -ndtri(0.05 / max(tested, 1))
    order = np.flatnonzero(beyond_chance)[np.argsort(-z[beyond_chance], kind="stable")]
    columns: dict[str, Any] = {"first": first, "second": second, "shared": count.astype(np.int64), "z": z}
    return Table({name: column[order] for name, column in columns.items()})


def share_votes(crowd: Crowd, group: Array) -> Crowd:
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

    # what is usual of each annotator for the class of each item, with four votes' worth of his mean accuracy
    there = csr_array((np.ones(right.nnz), right.indices, right.indptr), shape=shape)
    accuracy = np.asarray(right @ posterior) + USUAL * mean(annotator, crowd.n_annotators, right.data)[:, None]
    accuracy /= np.asarray(there @ posterior) + USUAL
    step = max(1, BLOCK // crowd.n_classes)
    for low in range(0, right.nnz, step):
        at = slice(low, low + step)
        right.data[at] -= (accuracy[annotator[at]] * posterior[right.indices[at]]).sum(axis=1)
    variance = mean(annotator, crowd.n_annotators, right.data**2)
    right.data -= mean(right.indices, crowd.n_items, right.data)[right.indices]
    return csr_array(right), variance


def _at(matrix: Any, row: Array, column: Array) -> Array:
    if not row.size:
        return np.empty(0)
    matrix.sort_indices()  # or it looks each one up along its row
    return np.asarray(matrix[row, column]).ravel()
