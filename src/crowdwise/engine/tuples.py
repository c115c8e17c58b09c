"""Tuples: which votes met on the same items, two or three at a time, and how often; only those that exist."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ..votes.codes import Array
from ..votes.crowd import Crowd

MOST_AT_ONCE = 4_000_000  # meetings held before they are counted


class Tuples(NamedTuple):
    """Meetings of votes by different annotators, annotators in ascending order.

    cells: (tuples, order), each annotator * n_classes + given; often: how often they met, weights multiplied.
    """

    cells: Array
    often: Array


def meetings(crowd: Crowd, order: int) -> int:
    """How many tuples of votes meet on items, at most: what counting them costs."""
    votes, items = np.unique(np.bincount(crowd.item, minlength=1), return_counts=True)
    return sum(comb(int(n), order) * int(often) for n, often in zip(votes, items, strict=True))


def count_tuples(crowd: Crowd, order: int) -> Tuples:
    """The reference: every meeting written down, block by block, and counted."""
    cell = crowd.annotator.astype(np.int64) * crowd.n_classes + crowd.label
    n_cells = crowd.n_annotators * crowd.n_classes
    weight = np.ones(crowd.n_votes) if crowd.weight is None else crowd.weight
    first = np.searchsorted(crowd.item, np.arange(crowd.n_items))
    votes = np.bincount(crowd.item, minlength=crowd.n_items)
    key: Array = np.empty(0, np.int64)
    often: Array = np.empty(0)
    for n in np.unique(votes[votes >= order]).tolist():  # items of as many votes, together
        chosen = (
            np.stack(np.triu_indices(n, 1), axis=1) if order == 2 else np.array(list(combinations(range(n), order)))
        )  # (tuples of an item, order)
        begin = first[votes == n]
        step = max(1, MOST_AT_ONCE // len(chosen))
        for low in range(0, len(begin), step):
            at = (begin[low : low + step, None, None] + chosen).reshape(-1, order)
            at = np.take_along_axis(at, np.argsort(cell[at], axis=1, kind="stable"), axis=1)
            by = crowd.annotator[at]
            at = at[(by[:, 1:] != by[:, :-1]).all(axis=1)]
            met = np.ravel_multi_index(tuple(cell[at].T), (n_cells,) * order)
            key, place = np.unique(np.concatenate([key, met]), return_inverse=True)
            often = np.bincount(place, np.concatenate([often, weight[at].prod(axis=1)]), key.size)
    return positive(Tuples(np.stack(np.unravel_index(key, (n_cells,) * order), axis=1), often))


def positive(met: Tuples) -> Tuples:
    """Without meetings of votes that weigh nothing."""
    return met if met.often.all() else Tuples(met.cells[met.often > 0.0], met.often[met.often > 0.0])
