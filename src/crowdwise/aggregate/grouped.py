"""Grouped: the votes that a group of annotators casts on an item, as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..codes import Array
from ..dependence import find_groups, in_order
from ..engine import NumpyEngine
from ..errors import InputError


class Grouped:
    """The votes of a crowd by item and group: a cell is an item on which some members of a group voted.

    group: (annotators,) codes, -1 for those who are alone; ops: the engine over cells in place of items, with the votes
    of those in groups only; item, of: the item and the group of each cell.
    """

    def __init__(self, ops: NumpyEngine, group: Array):
        self.group, self.n_groups = group, int(group.max(initial=-1)) + 1
        crowd = ops.crowd.take(group[ops.annotator] >= 0)
        key = crowd.item.astype(np.int64) * max(self.n_groups, 1) + group[crowd.annotator]
        cells, cell = np.unique(key, return_inverse=True)
        self.item, self.of = cells // max(self.n_groups, 1), cells % max(self.n_groups, 1)
        self.n_items = ops.n_items
        self.ops = ops.over(replace(crowd, item=cell, items=np.arange(cells.size), extra={}))

    @property
    def alone(self) -> Array:
        """Which annotators are in no group."""
        return self.group < 0

    def by_item(self, rows: Array) -> Array:
        """Rows a cell summed by item: (cells, states) -> (items, states)."""
        return np.stack([np.bincount(self.item, column, self.n_items) for column in rows.T], axis=1)

    def by_group(self, rows: Array) -> Array:
        """Rows a cell summed by group: (cells, states) -> (groups, states)."""
        return np.stack([np.bincount(self.of, column, self.n_groups) for column in rows.T], axis=1)


def groups_of(ops: NumpyEngine, by: str, groups: int, log_item: Array | None, seed: int) -> Array:
    """The group of each annotator, -1 alone: by a column of the annotators, so many of them, or found."""
    if not by:
        if not groups:
            return find_groups(ops.crowd, log_item)
        from ..moments.spectral_groups import spectral_groups

        return spectral_groups(ops.crowd, groups, seed=seed)
    known = ops.crowd.annotator_extra
    if by not in known:
        raise InputError(f"by={by!r}: the annotators have no such column; they have {', '.join(known) or 'none'}")
    return in_order(np.unique(np.asarray(known[by]).astype(str), return_inverse=True)[1])
