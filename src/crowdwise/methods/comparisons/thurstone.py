"""Thurstone: a score for each item, so that the chance to win is the normal distribution's at the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...fit.method import Watch
from ...fit.options import AnyNumber
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .outcomes import Normal, Outcomes, stand


@dataclass(frozen=True, kw_only=True)
class Thurstone(ComparisonMethod):
    r"""P(left wins) = Phi(s_left - s_right), with s ~ N(0, 1 / ridge); a tie is half a win (case V).

    Scores are 1.7 times smaller than Bradley and Terry's, and hardly anything else differs. O(comparisons), then
    O(pairs + items^3) a step.

    ridge: how strongly scores are drawn to 0; None learns it from their spread.

    Reference: Thurstone, Psychological Review 34, 1927.

    >>> from crowdwise import Comparisons, Thurstone
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> Thurstone().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "thurstone"
    ridge: AnyNumber | None = None

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        found = stand(Outcomes.of(votes), votes.n_items, Normal(), self.ridge, sides=False)
        watch(1, found.trace[-1] if found.trace else -found.ridge)
        return Found(found.score, found.sd, {}, found.trace, found.converged)
