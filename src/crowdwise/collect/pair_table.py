"""PairTable: something for each pair of codes, many of them in arrays, what has changed since in a dictionary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Generic, TypeVar

import numpy as np

from ..votes.codes import Array

Value = TypeVar("Value")


class PairTable(Generic[Value]):
    """As a dictionary of pairs of codes, in a tenth of the memory for those that are there from the start.

    >>> table = PairTable(np.array([3, 0]), np.array([1, 2]), ["x", "y"])
    >>> table.set(5, 1, "z")
    >>> table.remove(0, 2)
    >>> table.get(3, 1), table.get(0, 2), sorted(table.items())
    ('x', None, [((3, 1), 'x'), ((5, 1), 'z')])
    """

    def __init__(self, first: Array | None = None, second: Array | None = None, values: Sequence[Value] = ()):
        if first is None or second is None:
            first = second = np.zeros(0, np.int64)
        keys = pair_key(first.astype(np.int64), second.astype(np.int64))
        order = np.argsort(keys, kind="stable")
        self.keys, self.order, self.values = keys[order], order, values
        self.changed: dict[int, Value | None] = {}

    def get(self, first: int, second: int) -> Value | None:
        """What is there for a pair; None for nothing."""
        key = pair_key(first, second)
        if self.changed and key in self.changed:
            return self.changed[key]
        at = int(self.keys.searchsorted(key))
        return self.values[int(self.order[at])] if at < self.keys.size and self.keys[at] == key else None

    def set(self, first: int, second: int, value: Value) -> None:
        """Put something in the place of a pair."""
        self.changed[pair_key(first, second)] = value

    def remove(self, first: int, second: int) -> None:
        """Nothing is there for a pair from now on."""
        self.changed[pair_key(first, second)] = None

    def copy(self) -> PairTable[Value]:
        """The same, that goes its own way from now on."""
        other = copy(self)
        other.changed = dict(self.changed)
        return other

    def items(self) -> Iterator[tuple[tuple[int, int], Value]]:
        """All pairs that have something."""
        for key, place in zip(self.keys.tolist(), self.order.tolist(), strict=True):
            if key not in self.changed:
                yield divmod(key, 1 << 32), self.values[place]
        for key, value in self.changed.items():
            if value is not None:
                yield divmod(key, 1 << 32), value


def pair_key(first: Any, second: Any) -> Any:
    """One number for two codes."""
    return first << 32 | second
