"""BradleyTerry: a score for each item, so that the chance to win is the logistic of the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ...engine.comparison_sums import pairs_of
from ...fit.method import Watch
from ...fit.options import AnyNumber
from ...fit.params import Axes
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .outcomes import Davidson, Link, Logistic, Outcomes, RaoKupper, stand
from .pairs import learned, newton

LINKS: dict[str, Link] = {"half": Logistic(), "davidson": Davidson(), "rao-kupper": RaoKupper()}
ONE_SIDE = 0.95  # of comparisons that the left wins: there nothing tells a good side from the winner written first


@dataclass(frozen=True, kw_only=True)
class BradleyTerry(ComparisonMethod):
    r"""P(left wins) = sigma(s_left - s_right), with s ~ N(0, 1 / ridge); a tie is half a win. By Newton's method.

    O(comparisons), then O(pairs + items^3) a step, sparse above 3,000 items. Annotators are all alike to it.

    ridge: how strongly scores are drawn to 0, without which an item that never lost would be infinitely good; None
    learns it from the spread of the scores. max_iter: steps. ties: "half"; or outcomes of their own, likelier the
    closer two items are, with a weight that is learned (`tie`): "davidson", where wins and ties are as
    :math:`e^{d/2}, e^{-d/2}, \nu`, or "rao-kupper", where a win needs a difference of log (1 + tie) more. side: learn
    what standing on the left is worth (`side`), unless the left wins nearly always.

    Reference: Bradley & Terry, Biometrika 39, 1952; Davidson, JASA 65, 1970; Rao & Kupper, JASA 62, 1967.

    >>> from crowdwise import BradleyTerry, Comparisons
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> BradleyTerry().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "bradley-terry"
    params: ClassVar[Mapping[str, Axes]] = {
        **ComparisonMethod.params,
        "side": Axes(("one",), "real"),
        "tie": Axes(("one",), "positive"),
    }
    ridge: AnyNumber | None = None
    max_iter: int = 100
    ties: Literal["half", "davidson", "rao-kupper"] = "half"
    side: bool = False

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        plain = votes.label != 2
        sides = self.side and bool(plain.any()) and float((votes.label[plain] == 0).mean()) <= ONE_SIDE
        if sides or self.ties != "half":
            found = stand(Outcomes.of(votes), votes.n_items, LINKS[self.ties], self.ridge, sides)
            watch(1, found.trace[-1] if found.trace else -found.ridge)
            learned_too = {"side": np.array([found.side]), "tie": np.array([found.tie])}
            return Found(found.score, found.sd, learned_too, found.trace, found.converged)
        pairs, n = pairs_of(votes), votes.n_items
        fitted = learned(pairs, n) if self.ridge is None else newton(pairs, n, self.ridge, steps=self.max_iter)
        for step, value in enumerate(fitted.trace, 1):
            if watch(step, value):
                break
        return Found(fitted.score, fitted.sd, {}, fitted.trace, pairs=pairs)
