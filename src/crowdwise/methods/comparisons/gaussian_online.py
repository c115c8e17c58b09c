"""GaussianOnline: scores and how sure they are, moved after every comparison, in the order of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.method import Watch
from ...fit.options import NonNegative
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .elo import IN_ORDER, one_pass

LEAST = 1e-4  # share of a variance that one comparison leaves at least


@dataclass(frozen=True, kw_only=True)
class GaussianOnline(ComparisonMethod):
    r"""Each item is a Gaussian; a comparison moves both the more, the less is known of them.

    With :math:`c^2 = \sigma_l^2 + \sigma_r^2 + 2 \beta^2`, p the logistic of :math:`(\mu_l - \mu_r) / c` and w what the
    left item won,

    .. math:: \mu_l \mathrel{+}= \frac{\sigma_l^2}{c} (w - p), \quad
              \sigma_l^2 \mathrel{*}= 1 - \frac{\sigma_l}{c} \frac{\sigma_l^2}{c^2} p (1 - p)

    Elo with a memory of doubt, for a stream; for a heap of comparisons, `bradley-terry` knows more, and does not depend
    on their order. O(comparisons), one at a time.

    spread: of the items' scores before anything is known. noise: beta, how much an item's showing varies. drift: how
    much an item's score may have moved since it was last compared, a standard deviation.

    Reference: Weng & Lin, JMLR 12, 2011, algorithm 1 (Bradley-Terry, two teams of one).

    >>> from crowdwise import Comparisons, GaussianOnline
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> GaussianOnline().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "gaussian-online"
    exempt: ClassVar[Mapping[str, str]] = IN_ORDER
    spread: NonNegative = 2.0
    noise: NonNegative = 1.0
    drift: NonNegative = 0.0

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        mean, variance = np.zeros(votes.n_items), np.full(votes.n_items, self.spread**2)
        one_pass("gaussian_pass", votes, self.noise**2, LEAST, self.drift**2, mean, variance)
        return Found(mean, np.sqrt(variance), {})
