"""MultiSPA: each annotator's confusion matrix as corners of what others say beside their votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....votes.codes import Array
from .moment_method import Factors, MomentMethod, distributions
from .spa import corners


@dataclass(frozen=True, kw_only=True)
class MultiSPA(MomentMethod):
    r"""Each annotator's confusion matrix by successive projection over everybody's pairs with them.

    .. math:: R_{jm} = A_j^\top D A_m, \qquad Z_j = [R_{jm_1}, R_{jm_2}, \dots] = A_j^\top (D [A_{m_1}, A_{m_2}, \dots])

    Columns of :math:`Z_j`, divided by their sums, are mixtures of the rows of :math:`A_j`. Where for every class some
    annotator gives some label only for it (a class expert), the rows themselves are among the columns: the corners of
    their convex hull, which successive projection finds in one pass a class. O(pairs x classes^3). Exact with class
    experts and many shared items; a start for `CNMFOpt` otherwise. Each annotator's classes are in an order of their
    own, resolved from its largest entries down.

    least_shared: shared votes behind a column; of columns with few, one is always extreme by chance.
    core, smoothing, right: as for every moment method.

    Reference: Ibrahim, Fu, Kargas & Huang, NeurIPS 2019, algorithm 1.

    >>> from crowdwise import MultiSPA, simulate
    >>> made = simulate.crowd(simulate.specialists(9, 3), n_items=3000, per_item=6, seed=0)
    >>> bool((MultiSPA().fit(made.crowd).labels == made.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "multi-spa"
    least_shared: float = 4.0

    def factor(self, ops: NumpyEngine) -> Factors:
        n_annotators, n_classes = ops.n_annotators, ops.n_classes
        owner, column, shared = columns(ops)
        usable = shared >= self.least_shared
        owner, column, shared = owner[usable], column[usable], shared[usable]
        place, found = corners(column, owner, n_annotators, n_classes)
        confusion = np.full((n_annotators, n_classes, n_classes), 1.0 / n_classes)
        confusion[found] = own_order(distributions(column[place[found]]))
        return Factors(confusion, class_shares(ops, confusion, found), found)


def columns(ops: NumpyEngine) -> tuple[Array, Array, Array]:
    """What each annotator said beside every (annotator, label) met: owner, distribution over own labels, how often."""
    met, n_classes = ops.tuples(2), ops.n_classes
    cell = np.concatenate([met.cells, met.cells[:, ::-1]]).astype(np.int64)
    count = np.concatenate([met.often, met.often])
    n_cells = ops.n_annotators * n_classes
    key, place = np.unique(cell[:, 0] // n_classes * n_cells + cell[:, 1], return_inverse=True)
    column = np.bincount(place * n_classes + cell[:, 0] % n_classes, count, key.size * n_classes)
    column = column.reshape(-1, n_classes)
    shared = column.sum(axis=1)
    return key // n_cells, column / np.maximum(shared, 1e-300)[:, None], shared


def own_order(confusion: Array) -> Array:
    """Rows of each matrix in an order of its own: the largest entry comes on the diagonal, then of the rest, and so on.

    >>> own_order(np.array([[[0.2, 0.8], [0.7, 0.3]]])).tolist()
    [[[0.7, 0.3], [0.2, 0.8]]]
    """
    n, n_classes, _ = confusion.shape
    left, row_of, each = np.array(confusion), np.empty((n, n_classes), np.int64), np.arange(n)
    for _ in range(n_classes):
        row, true = np.divmod(left.reshape(n, n_classes**2).argmax(axis=1), n_classes)
        row_of[each, true] = row
        left[each, row], left[each, :, true] = -1.0, -1.0
    return np.take_along_axis(confusion, row_of[:, :, None], axis=1)


def class_shares(ops: NumpyEngine, confusion: Array, found: Array) -> Array:
    """Shares of the classes that explain best, in least squares, how often each label is given."""
    from scipy.optimize import nnls

    given = ops.given * found[:, None]
    votes = np.sqrt(given.sum(axis=1))[:, None]
    said = given / np.maximum(votes, 1e-300)  # rows weighted by the root of their votes
    design = (votes[:, :, None] * confusion.transpose(0, 2, 1)).reshape(-1, ops.n_classes)
    if not found.any():
        return np.full(ops.n_classes, 1.0 / ops.n_classes)
    return distributions(nnls(design, said.ravel())[0], 1e-3)
