"""BradleyTerry: a score for each item, so that the chance to win is the logistic of the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ...fit.estimates import Scores
from ...fit.method import Callback, Method, Solution, Watch
from ...fit.options import AnyNumber
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.comparisons import Comparisons


@dataclass(frozen=True, kw_only=True)
class BradleyTerry(Method[Comparisons, Scores]):
    r"""P(left wins) = sigma(s_left - s_right), with s ~ N(0, 1 / ridge); a tie is half a win. By Newton's method.

    O(comparisons + items^3) a step. Scores have mean 0. Annotators are all alike to it.

    ridge: how strongly scores are drawn to 0; without it an item that never lost would be infinitely good. max_iter,
    tol: stop after so many steps, or when a step gains less than tol times the log-likelihood.

    Reference: Bradley & Terry, Biometrika 39, 1952.

    >>> from crowdwise import BradleyTerry, Comparisons
    >>> said = Comparisons.from_columns(["a", "a", "b"], ["b", "c", "c"], ["x", "x", "x"], ["left", "left", "left"])
    >>> BradleyTerry().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "bradley-terry"
    takes: ClassVar[type[Comparisons]] = Comparisons
    params: ClassVar[Mapping[str, Axes]] = {"score": Axes(("item",), "real")}
    ridge: float = 0.1
    max_iter: int = 100
    tol: AnyNumber = 1e-10

    def known(self, votes: Comparisons, gold: Any, item_prior: Any) -> None:
        if gold is not None or item_prior is not None:
            raise InputError(f"{self.name} takes no gold and no item_prior")

    def bind(self, votes: Comparisons, engine: str) -> Comparisons:
        if engine not in ("auto", "numpy"):
            raise InputError(f"engine {engine!r}: {self.name} runs on numpy only")
        return votes

    def as_estimate(self, found: Scores, votes: Comparisons) -> Scores:
        return found

    def solve(self, ops: Comparisons, known: None, start: Any, callback: Callback | None) -> Solution[Scores]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        n, watch = ops.n_items, Watch(callback)
        weight = np.ones(ops.n_votes) if ops.weight is None else ops.weight
        wins = np.zeros((n, n))
        np.add.at(wins, (ops.item, ops.other), weight * ops.won)
        np.add.at(wins, (ops.other, ops.item), weight * (1.0 - ops.won))
        met, score, curve = wins + wins.T, np.zeros(n), np.eye(n)
        trace: list[float] = []
        converged = False
        while len(trace) < self.max_iter and not converged:
            chance = _chance(score)
            slope = (wins - met * chance).sum(axis=1) - self.ridge * score
            curve = -met * chance * (1.0 - chance)
            curve[np.diag_indices(n)] = self.ridge - curve.sum(axis=1)
            score = score + np.linalg.solve(curve, slope)
            trace.append(float((wins * np.log(_chance(score))).sum() - self.ridge / 2.0 * (score**2).sum()))
            converged = len(trace) > 1 and trace[-1] - trace[-2] <= self.tol * abs(trace[-1])
            if watch(len(trace), trace[-1]):
                break
        sd = np.sqrt(np.diag(np.linalg.inv(curve)))
        found = Scores(score - score.mean(), sd)
        return Solution(found, {"score": score}, {}, tuple(trace), converged, _about_parts(met))

    def infer(self, ops: Comparisons, params: Params, known: None = None) -> Scores:
        """Scores are the items' own: those of new comparisons are found anew."""
        return self.solve(ops, None, None, None).found


def _about_parts(met: Array) -> tuple[str, ...]:
    """A note where some items were never compared with others, however indirectly."""
    from scipy.sparse.csgraph import connected_components

    parts = int(connected_components(met > 0.0, directed=False)[0])
    apart = (
        f"the items fall into {parts} parts that were never compared with each other: ranks across parts mean nothing"
    )
    return () if parts == 1 else (apart,)


def _chance(score: Any) -> Any:
    return 1.0 / (1.0 + np.exp(score[None, :] - score[:, None]))
