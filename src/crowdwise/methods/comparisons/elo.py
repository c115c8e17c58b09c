"""Elo: scores that move after every comparison, in the order of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...fit.method import Watch
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found

IN_ORDER = {
    "The order of votes is ignored": "scores move in the order of time",
    "A weight of 2 equals two votes": "two comparisons are two moves, the second from where the first led",
    "A shuffled file gives the same answer to every item": "scores move in the order of time",
}
SMALL = 10_000  # comparisons, below which plain Python is done before numba has loaded what it compiled


@dataclass(frozen=True, kw_only=True)
class Elo(ComparisonMethod):
    """After each comparison the winner takes `k` times the surprise from the loser, in the order in which they stand.

    For a stream whose items change, or beside somebody's leader board; for a heap of comparisons, `bradley-terry` knows
    more, and does not depend on their order. O(comparisons), one at a time.

    k: in units of the logistic (32 points of chess are .18).

    Reference: Elo, The Rating of Chessplayers, 1978.

    >>> from crowdwise import Comparisons, Elo
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> Elo().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "elo"
    exempt: ClassVar[Mapping[str, str]] = IN_ORDER
    k: float = 0.18

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        score = np.zeros(votes.n_items)
        one_pass("elo_pass", votes, self.k, score)
        n = np.bincount(votes.item, minlength=votes.n_items) + np.bincount(votes.other, minlength=votes.n_items)
        spread = float(np.sqrt(self.k)) * np.where(n > 0, 1.0, 2.0)
        return Found(score, spread, {})


def one_pass(name: str, votes: Comparisons, *state: Any) -> None:
    """One of the passes of `engine.online_kernels` over comparisons, which moves the arrays of `state`."""
    from ...engine import online_kernels

    compiled = getattr(online_kernels, name)
    weight = np.empty(0) if votes.weight is None else votes.weight
    run = compiled if votes.n_votes > SMALL else getattr(compiled, "py_func", compiled)
    run(votes.item, votes.other, votes.won, weight, *state)
