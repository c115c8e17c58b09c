"""Successive projection: the corners of the simplex that vectors lie in, for many sets of vectors at once."""

from __future__ import annotations

import numpy as np

from ....votes.codes import Array


def corners(vectors: Array, owner: Array, n_owners: int, n_corners: int) -> tuple[Array, Array]:
    """For each owner the places of the vectors that span the rest, and whether there are as many.

    vectors: (n, size), owner: (n,) ascending. The longest vector is taken, its direction projected out of the
    others, and so on. Gives places (owners, corners), 0 where an owner has none left, and complete (owners,).

    >>> points = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> corners(points, np.zeros(3, int), 1, 2)[0].tolist()
    [[0, 2]]
    """
    rest = np.array(vectors, float)
    first = np.searchsorted(owner, np.arange(n_owners))
    some = np.flatnonzero(np.bincount(owner, minlength=n_owners))
    places, complete = np.zeros((n_owners, n_corners), np.int64), np.zeros(n_owners, bool)
    complete[some] = True
    original = (rest**2).sum(axis=1)
    for corner in range(n_corners if some.size else 0):
        length = (rest**2).sum(axis=1)
        longest = np.maximum.reduceat(length, first[some])
        # Among equals the one that was longest to begin with, so that rounding does not choose.
        equal = length >= longest[np.searchsorted(some, owner)] - 1e-6
        rank = np.where(equal, original, -1.0)
        best = np.maximum.reduceat(rank, first[some])
        at = np.flatnonzero(rank == best[np.searchsorted(some, owner)])
        _, once = np.unique(owner[at], return_index=True)
        pick = at[once]  # one for each of `some`
        places[some, corner] = pick
        complete[some] &= longest > 1e-9
        axis = np.zeros((n_owners, rest.shape[1]))
        axis[some] = rest[pick] / np.sqrt(np.maximum(length[pick], 1e-300))[:, None]
        along = axis[owner]
        rest -= (rest * along).sum(axis=1, keepdims=True) * along
    return places, complete
