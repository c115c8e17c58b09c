"""RankCentrality: how much of a random walk's time is spent at each item, when it moves to who wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine.comparison_sums import pairs_of
from ...errors import TooLarge
from ...fit.method import Watch
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import DENSE


@dataclass(frozen=True, kw_only=True)
class RankCentrality(ComparisonMethod):
    """A walk over items moves to another one as often as that one wins; scores are logs of its stationary shares.

    O(pairs + items^2), a step. Consistent for Bradley and Terry's model, and never better than it beyond noise.

    pseudo: comparisons beside each pair's own, half of them won. max_iter: steps of the walk.

    Reference: Negahban, Oh & Shah, Operations Research 65, 2017.

    >>> from crowdwise import Comparisons, RankCentrality
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> RankCentrality().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "rank-centrality"
    pseudo: float = 0.1
    max_iter: int = 10_000

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        pairs, n = pairs_of(votes), votes.n_items
        if n > DENSE:
            raise TooLarge(f"{self.name}: {n:,} items are more than {DENSE:,}; bradley-terry takes them")
        met = pairs.wins + pairs.losses + 2.0 * self.pseudo
        move = np.zeros((n, n))
        move[pairs.left, pairs.right] = (pairs.losses + self.pseudo) / met
        move[pairs.right, pairs.left] = (pairs.wins + self.pseudo) / met
        most = max(int((move > 0.0).sum(axis=1).max(initial=0)), 1)
        move /= most
        move[np.diag_indices(n)] = 1.0 - move.sum(axis=1)
        share, settled = np.full(n, 1.0 / n), False
        for _ in range(self.max_iter):
            before, share = share, share @ move
            share /= share.sum()
            if np.abs(share - before).sum() < 1e-12:
                settled = True
                break
        won = np.bincount(pairs.left, met, n) + np.bincount(pairs.right, met, n)
        return Found(np.log(share), 2.0 / np.sqrt(np.maximum(won, 1.0)), {}, converged=settled)
