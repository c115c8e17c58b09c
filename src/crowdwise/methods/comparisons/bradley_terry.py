"""BradleyTerry: a score for each item, so that the chance to win is the logistic of the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...engine.comparison_sums import pairs_of
from ...fit.method import Watch
from ...fit.options import AnyNumber
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import learned, newton


@dataclass(frozen=True, kw_only=True)
class BradleyTerry(ComparisonMethod):
    r"""P(left wins) = sigma(s_left - s_right), with s ~ N(0, 1 / ridge); a tie is half a win. By Newton's method.

    O(comparisons), then O(pairs + items^3) a step, sparse above 3,000 items. Annotators are all alike to it.

    ridge: how strongly scores are drawn to 0, without which an item that never lost would be infinitely good; None
    learns it from the spread of the scores. max_iter: steps.

    Reference: Bradley & Terry, Biometrika 39, 1952.

    >>> from crowdwise import BradleyTerry, Comparisons
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> BradleyTerry().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "bradley-terry"
    ridge: AnyNumber | None = None
    max_iter: int = 100

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        pairs, n = pairs_of(votes), votes.n_items
        fitted = learned(pairs, n) if self.ridge is None else newton(pairs, n, self.ridge, steps=self.max_iter)
        for step, value in enumerate(fitted.trace, 1):
            if watch(step, value):
                break
        return Found(fitted.score, fitted.sd, {}, fitted.trace, pairs=pairs)
