"""Items that follow each other: tokens of a document, in the order that the keys of the votes tell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .codes import Array, natural_order
from .columns import is_empty
from .votes import Votes


class Order(NamedTuple):
    """Where items stand: their codes, chain after chain, and where each chain begins, and the end."""

    order: Array
    begin: Array

    @property
    def first(self) -> Array:
        """Which places of `order` begin a chain."""
        first = np.zeros(self.order.size, bool)
        first[self.begin[:-1][np.diff(self.begin) > 0]] = True
        return first


def chain_order(votes: Votes) -> Order:
    """The order of the items: `chained_by` are the keys that name the chain, the others tell the place in it.

    An item whose keys are not known is a chain of its own.
    """
    columns = {name: votes.item_extra[name] for name in votes.keyed_by}
    chain = np.zeros(votes.n_items, np.int64)
    for name in votes.chained_by:
        own = np.unique([repr(cell) for cell in columns[name].tolist()], return_inverse=True)[1]
        chain = np.unique(chain * (own.max(initial=0) + 1) + own, return_inverse=True)[1]
    alone = np.logical_or.reduce([is_empty(column) for column in columns.values()])
    chain[alone] = chain.size + np.flatnonzero(alone)
    places = [_ranked(columns[name]) for name in votes.keyed_by if name not in votes.chained_by]
    order = np.lexsort((*reversed(places), chain))
    return Order(order, np.flatnonzero(np.diff(chain[order], prepend=-1, append=-1)))


def _ranked(column: Array) -> Array:
    """Places as numbers: as they are, or in the order that a person expects of texts."""
    if column.dtype.kind in "iuf":
        return column
    some, out = ~is_empty(column), np.zeros(column.size, np.int64)
    texts, code = np.unique([str(cell) for cell in column[some].tolist()], return_inverse=True)
    rank = np.empty(texts.size, np.int64)
    rank[natural_order(texts.astype(object))] = np.arange(texts.size)
    out[some] = rank[code]
    return out
