"""Hodge: scores whose differences are nearest to how often pairs were won."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine.comparison_sums import pairs_of
from ...fit.method import Watch
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import Laplacian


@dataclass(frozen=True, kw_only=True)
class Hodge(ComparisonMethod):
    r"""HodgeRank: s that makes :math:`\sum_{ij} n_{ij} (s_i - s_j - y_{ij})^2` least, y the share won less that lost.

    One system of equations, the graph's Laplacian. O(pairs + items^3). What is left over is how much the crowd's
    preferences go in circles.

    ridge: a little of the identity, for items that never met.

    Reference: Jiang, Lim, Yao & Ye, Mathematical Programming 127, 2011.

    >>> from crowdwise import Comparisons, Hodge
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> Hodge().fit(said).estimate.mean.round(1).tolist()
    [0.7, 0.0, -0.7]
    """

    name: ClassVar[str] = "hodge"
    ridge: float = 1e-3

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        pairs, n = pairs_of(votes), votes.n_items
        met = pairs.wins + pairs.losses
        net = pairs.wins - pairs.losses
        laplacian = Laplacian(pairs, met, self.ridge, n)
        score = laplacian.solve(np.bincount(pairs.left, net, n) - np.bincount(pairs.right, net, n))
        off = met - (score[pairs.left] - score[pairs.right]) * 2.0 * net
        error = float((off + met * (score[pairs.left] - score[pairs.right]) ** 2).sum()) / max(float(met.sum()), 1e-300)
        variance = np.minimum(laplacian.variances(), 1.0)  # of an item that never met, the ridge alone
        return Found(score, np.sqrt(max(error, 1e-12) * variance), {})
