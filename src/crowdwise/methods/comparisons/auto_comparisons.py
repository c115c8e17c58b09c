"""AutoComparisons: the default for comparisons, three models of annotators that vote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...errors import how_many
from ...fit.estimates import Scores
from ...fit.method import Callback, Solution, Watch
from ...fit.params import Axes
from ...votes.codes import Array, shown
from ...votes.comparisons import Comparisons
from .bradley_terry import BradleyTerry
from .comparison_method import ComparisonMethod, Found
from .crowd_bt import CrowdBT
from .noisy_bt import NoisyBT
from .slope_bt import SlopeBT


@dataclass(frozen=True, kw_only=True)
class AutoComparisons(ComparisonMethod):
    """The mean of three models' standardised scores, on the scale that two of them find. The default for comparisons.

    `CrowdBT` (annotators who say the opposite), `NoisyBT` (coins, and a taste for one side) and `SlopeBT` (slopes). The
    scale, that of an honest annotator's answers, is the geometric mean of the last two's: plain Bradley-Terry scores
    shrink with everybody who is not honest. How far the two differ in it is part of the standard deviation. Where
    annotators are all honest this costs nothing beyond noise; where some are not, each model is best for another kind
    of them. With one annotator it is `BradleyTerry`. `Result.notes` says who answers the other way round, or by a coin.

    Reference: crowdwise; docs: ratings and comparisons.

    >>> from crowdwise import AutoComparisons, simulate
    >>> made = simulate.comparisons(n_items=12, n_annotators=10, per_annotator=60, flippers=2, seed=0)
    >>> AutoComparisons().fit(made.comparisons).notes[0]
    '2 annotators mostly say the opposite of the others: 8, 9'
    """

    name: ClassVar[str] = "auto-comparisons"
    params: ClassVar[Mapping[str, Axes]] = {
        "honesty": Axes(("annotator",), "unit"),
        "coin": Axes(("annotator",), "unit"),
        "slope": Axes(("annotator",), "real"),
    }

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        if (np.bincount(votes.annotator, minlength=votes.n_annotators) > 0).sum() < 2:
            plain = BradleyTerry(seed=self.seed).find(votes, watch)
            one = np.ones(votes.n_annotators)
            return Found(plain.score, plain.sd, {"honesty": 0.9 * one, "coin": 0.1 * one, "slope": one})
        models = (CrowdBT(seed=self.seed), NoisyBT(seed=self.seed), SlopeBT(seed=self.seed))
        fitted = [model.find(votes, watch) for model in models]
        wide = [max(float(one.score.std()), 1e-12) for one in fitted[1:]]
        spread, unsure = float(np.sqrt(np.prod(wide))), abs(float(np.log(wide[0] / wide[1]))) / 2.0
        scores = [(one.score - one.score.mean()) * (spread / (float(one.score.std()) or 1.0)) for one in fitted]
        sds = [one.sd * (spread / (float(one.score.std()) or 1.0)) for one in fitted]
        mean = np.mean(scores, axis=0)
        sd = np.sqrt(np.mean(np.square(sds), axis=0) + np.var(scores, axis=0) + np.square(unsure * mean))
        params = {name: one.params[name] for one, name in zip(fitted, ("honesty", "coin", "slope"), strict=True)}
        return Found(mean, sd, params, converged=all(one.converged for one in fitted))

    def solve(self, ops: Comparisons, known: None, start: object, callback: Callback | None) -> Solution[Scores]:
        solution = super().solve(ops, known, start, callback)
        return solution._replace(notes=(*_odd(ops, solution.params), *solution.notes))


def _odd(votes: Comparisons, params: Mapping[str, Array]) -> list[str]:
    """Who answers the other way round, or by a coin."""
    n = np.bincount(votes.annotator, minlength=votes.n_annotators)
    notes = []
    reversed_ = (params["slope"] < -0.2) & (params["honesty"] < 0.4) & (n > 8)
    for who, said in (
        (reversed_, "mostly say the opposite of the others"),
        ((params["coin"] > 0.5) & ~reversed_ & (n > 8), "mostly answer by a coin, or for one side"),
    ):
        if who.any():
            names = ", ".join(shown(name) for name in votes.annotators[who][:5]) + (" ..." if who.sum() > 5 else "")
            notes.append(f"{how_many(int(who.sum()), 'annotators')} {said}: {names}")
    return notes
