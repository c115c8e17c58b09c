"""Grouped: the votes that a group of annotators casts on an item, as one."""

from __future__ import annotations

import numpy as np

from ....engine import NumpyEngine
from ....errors import InputError
from ....fit.dependence import find_groups, in_order
from ....votes.codes import Array
from ....votes.known import Known
from ....votes.ties import shared


class Grouped:
    """The votes of a crowd by item and group: a cell is an item on which some members of a group voted.

    group: (annotators,) codes, -1 for those who are alone; members: codes of those who are not; ops: the engine over
    cells in place of items, and members in place of annotators; item, of: the item and the group of each cell.
    """

    def __init__(self, ops: NumpyEngine, group: Array):
        self.group, self.n_groups = group, int(group.max(initial=-1)) + 1
        self.members = np.flatnonzero(group >= 0)
        crowd = ops.crowd.take(group[ops.annotator] >= 0)
        key = crowd.item.astype(np.int64) * max(self.n_groups, 1) + group[crowd.annotator]
        cells, cell = np.unique(key, return_inverse=True)
        self.item, self.of = cells // max(self.n_groups, 1), cells % max(self.n_groups, 1)
        self.n_items = ops.n_items
        place = np.searchsorted(self.members, crowd.annotator)
        cell_items, people = np.arange(cells.size), crowd.annotators[self.members]
        inner = crowd.derive(item=cell, items=cell_items, annotator=place, annotators=people)
        self.ops = ops.over(inner)

    @property
    def alone(self) -> Array:
        """Which annotators are in no group."""
        return self.group < 0

    def votes(self, ops: NumpyEngine) -> Array:
        """Votes by item and class, (items, classes): one for what most members of a group say, one for each alone."""
        said = self.ops.item_votes()
        named = np.where(said.sum(axis=1, keepdims=True) > 0.0, shared(said), 0.0)
        return ops.item_votes(self.alone[ops.annotator].astype(float)) + self.by_item(named)

    def scores(self, table: Array) -> Array:
        """What a cell's votes say of each state: (members, states, given) -> (cells, states)."""
        return self.ops.item_scores(table) if self.item.size else np.zeros((0, table.shape[1]))

    def counts(self, rows: Array) -> Array:
        """How often each member said what of which state: (cells, states) -> (members, states, given)."""
        if not self.item.size:
            return np.zeros((0, rows.shape[1], self.ops.n_classes))
        return self.ops.confusion_counts(rows)

    def by_item(self, rows: Array) -> Array:
        """Rows a cell summed by item: (cells, states) -> (items, states)."""
        return np.stack([np.bincount(self.item, column, self.n_items) for column in rows.T], axis=1)

    def by_group(self, rows: Array) -> Array:
        """Rows a cell summed by group: (cells, states) -> (groups, states)."""
        return np.stack([np.bincount(self.of, column, self.n_groups) for column in rows.T], axis=1)


def groups_of(ops: NumpyEngine, by: str, groups: int, known: Known | None, seed: int) -> Array:
    """The group of each annotator, -1 alone: by a column of the annotators, so many of them, or found."""
    if not by:
        if not groups:
            return find_groups(ops.crowd, known)
        from ..moments.spectral_groups import spectral_groups

        return spectral_groups(ops.crowd, groups, seed=seed)
    columns = ops.crowd.annotator_extra
    if by not in columns:
        raise InputError(f"by={by!r}: the annotators have no such column; they have {', '.join(columns) or 'none'}")
    named = np.asarray(columns[by])
    text = named.astype(str)
    alone = np.isin(text, ("None", "nan", "NaT", "<NA>", ""))  # nobody said which
    return in_order(np.where(alone, -1, np.unique(text, return_inverse=True)[1]))


def refuse_weights(name: str, weights: str) -> None:
    """Group-aware methods hear groups in their own way: votes are not shared besides."""
    if weights == "groups":
        raise InputError(f"weights='groups': {name} knows groups by itself, leave weights out")
