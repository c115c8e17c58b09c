"""Moments of the votes: how often each label is given, and which labels two or three annotators give together.

Under Dawid and Skene's model, with confusion matrices :math:`A_j` (true, given) and class shares d,

.. math::
    \\mu_j = A_j^\\top d, \\qquad R_{jm} = A_j^\\top D A_m, \\qquad
    T_{jmn}[l, l', l''] = \\sum_k d_k A_j[k, l] A_m[k, l'] A_n[k, l'']

so that the matrices can be had from the left sides, which are counted over the items that annotators share.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....engine import NumpyEngine, Tuples, bind
from ....errors import InputError
from ....votes.codes import Array
from ....votes.crowd import Crowd


class Moments(NamedTuple):
    """Joint label distributions of the sets of annotators that share items; sets that share none are not there.

    annotators: (sets, order) codes, ascending; shared: (sets,) items they share, by weight; joint: (sets, given, ...),
    each summing to 1.
    """

    annotators: Array
    shared: Array
    joint: Array


def moments(votes: Any, order: int = 2, *, least_shared: float = 0.0, engine: str = "auto") -> Moments:
    """First (order 1), pairwise (2) or triple (3) moments of a Crowd or a frame of votes.

    `least_shared` leaves out sets of annotators who share less than so many items, by weight.

    >>> from crowdwise import Crowd
    >>> pairs = moments(Crowd.from_matrix([[0, 0, -1], [0, 1, -1], [1, 1, 0]]), least_shared=2)
    >>> pairs.annotators.tolist(), pairs.shared.tolist(), (3 * pairs.joint).round(2).tolist()
    ([[0, 1]], [3.0], [[[1.0, 1.0], [0.0, 1.0]]])
    """
    if order not in (1, 2, 3):
        raise InputError(f"order={order}: choose 1, 2 or 3")
    ops = bind(Crowd.of(votes), engine)
    if order == 1:
        said = Tuples(np.arange(ops.given.size)[:, None], ops.given.ravel())
        return joint_of(ops, said, least_shared)
    return joint_of(ops, ops.tuples(order), least_shared)


def joint_of(ops: NumpyEngine, met: Tuples, least_shared: float = 0.0) -> Moments:
    """Tuples of votes gathered by who gave them."""
    order, n_classes = met.cells.shape[1], ops.n_classes
    key, place, shared = sets_of(ops, met)
    kept = np.flatnonzero((shared > 0.0) & (shared >= least_shared))
    to = np.full(key.size, -1)
    to[kept] = np.arange(kept.size)
    there = to[place] >= 0
    said = np.ravel_multi_index(tuple(met.cells[there].T % n_classes), (n_classes,) * order)
    block = n_classes**order
    counted = np.bincount(to[place[there]] * block + said, met.often[there], kept.size * block)
    joint = counted.reshape(kept.size, *(n_classes,) * order) / shared[kept].reshape(-1, *(1,) * order)
    who = np.unravel_index(key[kept], (ops.n_annotators,) * order)
    return Moments(np.stack(who, axis=1), shared[kept], joint)


def sets_of(ops: NumpyEngine, met: Tuples) -> tuple[Array, Array, Array]:
    """Which sets of annotators met (as one number each), the set of each tuple, and how often each set met."""
    who = np.ravel_multi_index(
        tuple(met.cells.T.astype(np.int64) // ops.n_classes), (ops.n_annotators,) * met.cells.shape[1]
    )
    key, place = np.unique(who, return_inverse=True)
    return key, place, np.bincount(place, met.often, key.size)
