"""WinRate: how often an item wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.method import Watch
from ...fit.options import NonNegative
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found


@dataclass(frozen=True, kw_only=True)
class WinRate(ComparisonMethod):
    """The share of its comparisons that an item wins, ties being halves, less one half. O(comparisons).

    Fair where everybody meets everybody, or opponents are drawn at random.

    pseudo: comparisons beside an item's own, half of them won.

    Reference: textbook.

    >>> from crowdwise import Comparisons, WinRate
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> WinRate(pseudo=0).fit(said).estimate.mean.tolist()
    [0.5, 0.0, -0.5]
    """

    name: ClassVar[str] = "win-rate"
    pseudo: NonNegative = 1.0

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        weight, n = (np.ones(votes.n_votes) if votes.weight is None else votes.weight), votes.n_items
        won = np.bincount(votes.item, weight * votes.won, n) + np.bincount(votes.other, weight * (1 - votes.won), n)
        met = np.bincount(votes.item, weight, n) + np.bincount(votes.other, weight, n) + self.pseudo
        rate = (won + self.pseudo / 2.0) / np.maximum(met, 1e-300)
        rate = np.where(met > 0.0, rate, 0.5)
        return Found(rate, np.sqrt((rate * (1.0 - rate) + 0.25 / np.maximum(met, 1.0)) / np.maximum(met, 1.0)), {})
