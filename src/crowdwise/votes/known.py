"""Known: what is known of some items beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .codes import Array


@dataclass(frozen=True, eq=False)
class Known:
    """Rows of logs that are added to the scores of some items: 0 and -inf for gold, log probabilities of a prior.

    item: (known,), ascending, each once. log_rows: (known, classes).

    >>> known = Known(np.array([1, 3]), np.log([[0.5, 0.5], [0.25, 0.75]]))
    >>> known.part(2, 4).item.tolist(), known.dense(4)[0].tolist()
    ([1], [0.0, 0.0])
    """

    item: Array
    log_rows: Array

    @classmethod
    def of_all(cls, log_rows: Array) -> Known:
        """Something known of every item: (items, classes)."""
        return cls(np.arange(len(log_rows)), log_rows)

    def part(self, low: int, high: int) -> Known:
        """What is known of items low .. high - 1, counted from low."""
        at = slice(*np.searchsorted(self.item, [low, high]))
        return Known(self.item[at] - low, self.log_rows[at])

    def dense(self, n_items: int) -> Array:
        """One row per item, zeros where nothing is known."""
        out = np.zeros((n_items, self.log_rows.shape[1]))
        out[self.item] = self.log_rows
        return out

    def by_state(self, n: int) -> Known:
        """The same said of the n hidden states of each class."""
        return self if n == 1 else Known(self.item, np.repeat(self.log_rows, n, axis=1))

    def obeyed(self, posterior: Array) -> Array:
        """A distribution for each item, in place, made to agree with what is known, though nobody voted for it."""
        rows = (posterior[self.item] + 1e-9) * np.exp(self.log_rows)
        posterior[self.item] = rows / rows.sum(axis=1, keepdims=True)
        return posterior

    @property
    def gold(self) -> Known:
        """Those of which one class is certain."""
        return self.some(self._certain)

    @property
    def but_gold(self) -> Known | None:
        """The others; None where there are none."""
        return None if self._certain.all() else self.some(~self._certain)

    @property
    def _certain(self) -> Array:
        return np.isfinite(self.log_rows).sum(axis=1) == 1

    def some(self, keep: Array) -> Known:
        """What is known of some of the items, by a mask."""
        return Known(self.item[keep], self.log_rows[keep])


def with_known(scores: Array, known: Known | None) -> Array:
    """Scores of all items, (items, classes), with what is known of some added in place."""
    if known is not None:
        scores[known.item] += known.log_rows
    return scores


@dataclass(frozen=True, eq=False)
class KnownValues:
    """Numbers that are known of some items. item: (known,), ascending, each once; value: (known,)."""

    item: Array
    value: Array

    def part(self, low: int, high: int) -> KnownValues:
        """What is known of items low .. high - 1, counted from low."""
        at = slice(*np.searchsorted(self.item, [low, high]))
        return KnownValues(self.item[at] - low, self.value[at])
