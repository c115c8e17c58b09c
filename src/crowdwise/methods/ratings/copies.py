"""Copies among raters: annotators whose ratings are the same again and again, in errors too."""

from __future__ import annotations

import numpy as np

from ...fit.dependence import in_order
from ...votes.codes import Array
from ...votes.ratings import Ratings

SHARED = 8  # items that two must share
ALIKE = 0.8  # of their ratings are equal, and so is the correlation of their errors
FINE = 0.02  # of the spread of all ratings: closer ones are equal
MOST = 3_000  # annotators who are compared in pairs


def find_copies(ratings: Ratings) -> Array:
    """A group for each annotator, -1 for those who copy nobody.

    Two copy each other if they share eight items, four in five of their ratings there are equal, and their errors,
    against the mean of the others' ratings, have a correlation above .8. With more than 3,000 annotators nobody is
    looked for.

    >>> values = [1.0, 3.0, 2.0, 5.0, 4.0, 2.0, 5.0, 1.0, 4.0]
    >>> other = [2.0, 2.0, 3.0, 4.0, 5.0, 1.0, 4.0, 2.0, 3.0]
    >>> said = Ratings.from_columns([*range(9)] * 3, ["a"] * 9 + ["b"] * 9 + ["c"] * 9, [*values, *values, *other])
    >>> find_copies(said).tolist()
    [0, 0, -1]
    """
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import connected_components

    n = ratings.n_annotators
    if n > MOST or n < 2:
        return np.full(n, -1)
    who, item, value = ratings.annotator.astype(np.int64), ratings.item.astype(np.int64), ratings.value
    times, total = (np.bincount(item, weights, ratings.n_items) for weights in (None, value))
    others = times[item] - 1
    error = np.where(others > 0, value - (total[item] - value) / np.maximum(others, 1), 0.0)
    error = error - (np.bincount(who, error, n) / np.maximum(np.bincount(who, minlength=n), 1))[who]
    fine = np.round(value / (FINE * (float(value.std()) or 1.0))).astype(np.int64)
    answer = np.unique(item * (fine.max() - fine.min() + 1) + fine - fine.min(), return_inverse=True)[1]
    shape = (n, ratings.n_items)
    off, there = csr_array((error, (who, item)), shape), csr_array((np.ones(who.size), (who, item)), shape)
    said = csr_array((np.ones(who.size), (who, answer)), (n, int(answer.max(initial=0)) + 1))
    equal = (said @ said.T).tocoo()
    first, second = equal.coords
    shared = np.asarray((there @ there.T).tocsr()[first, second]).ravel()
    likely = (first < second) & (shared >= SHARED) & (equal.data >= ALIKE * shared)
    first, second = first[likely], second[likely]
    if not first.size:
        return np.full(n, -1)
    square = off.multiply(off).tocsr()
    product = (off @ off.T).tocsr()[first, second]
    sizes = [
        np.asarray((one @ other.T).tocsr()[first, second]).ravel() for one, other in ((square, there), (there, square))
    ]
    together = np.asarray(product).ravel() > ALIKE * np.sqrt(np.maximum(sizes[0] * sizes[1], 1e-300))
    graph = coo_array((np.ones(int(together.sum())), (first[together], second[together])), (n, n))
    return in_order(connected_components(graph, directed=False)[1])
