"""ComparisonMethod: what methods for comparisons have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...engine.comparison_sums import Pairs, pairs_of
from ...errors import InputError, how_many
from ...fit.estimates import Scores
from ...fit.method import Callback, Method, Solution, Watch
from ...fit.params import Axes, Params
from ...votes.codes import Array, shown
from ...votes.comparisons import Comparisons


@dataclass(frozen=True)
class Found:
    """What a method finds: scores with standard deviations, what it learned of the annotators, and how it went."""

    score: Array
    sd: Array
    params: Params
    trace: tuple[float, ...] = ()
    converged: bool = True
    pairs: Pairs | None = None


@dataclass(frozen=True, kw_only=True)
class ComparisonMethod(Method[Comparisons, Scores]):
    """Comparisons in, a score with a standard deviation for each item out; scores have mean 0.

    A method says `find`. Scores are the items' own: those of new comparisons are found anew.
    """

    takes: ClassVar[type[Comparisons]] = Comparisons
    gives: ClassVar[type[Scores]] = Scores
    params: ClassVar[Mapping[str, Axes]] = {"score": Axes(("item",), "real")}

    @abstractmethod
    def find(self, votes: Comparisons, watch: Watch) -> Found:
        """Scores from comparisons."""

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
        found = self.find(ops, Watch(callback))
        score = found.score - found.score.mean()
        params = {**found.params, "score": score}
        return Solution(
            Scores(score, found.sd), params, {}, found.trace, found.converged, _about(ops, found.pairs or pairs_of(ops))
        )

    def infer(self, ops: Comparisons, params: Params, known: None = None) -> Scores:
        return self.solve(ops, None, None, None).found


def _about(votes: Comparisons, met: Pairs) -> tuple[str, ...]:
    """What cannot be known from who met whom, and who won."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(met.left.size), (met.left, met.right)), shape=(votes.n_items,) * 2)
    parts = int(connected_components(graph, directed=False)[0])
    notes = []
    if parts > 1:
        notes.append(
            f"the items fall into {parts} parts that were never compared with each other: ranks across parts mean "
            "nothing"
        )
    won = np.bincount(met.left, met.wins, votes.n_items) + np.bincount(met.right, met.losses, votes.n_items)
    lost = np.bincount(met.left, met.losses, votes.n_items) + np.bincount(met.right, met.wins, votes.n_items)
    for name, count, other in (("won", won, lost), ("lost", lost, won)):
        never = np.flatnonzero((count == 0.0) & (other > 0.0))
        if never.size:
            names = ", ".join(shown(item) for item in votes.items[never[:5]]) + (" ..." if never.size > 5 else "")
            notes.append(f"{how_many(never.size, 'items')} never {name}: only the prior bounds their score: {names}")
    plain = votes.label != 2
    if plain.sum() >= 50 and (left := float((votes.label[plain] == 0).mean())) > 0.95:
        notes.append(f"the left item wins {left:.0%} of the time: is the winner written first?")
    return tuple(notes)
