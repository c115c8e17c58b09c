"""Climber: a method that climbs by sweeps over votes of any kind, in one piece or in parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import numpy as np

from ..engine.card_array import on_host
from ..errors import InputError
from ..votes.codes import Array
from .climb import Climb, Sweep, race
from .method import Callback, Found, Method, Ops, Solution, Watch
from .options import AnyNumber, NonNegative
from .params import Names, Params, carry
from .result import Result


@dataclass(frozen=True, eq=False)
class Part(Generic[Ops]):
    """Some of the items, whole: their votes where they are summed, and what is known of them."""

    ops: Ops
    known: Any = None


@dataclass(frozen=True, kw_only=True)
class Climber(Method[Ops, Found]):
    """The loop: starts, steps, leaps, restarts, stopping, the trace, and history.

    A method says `first_sums` (where it starts), `maximise` (parameters from sums), `sweep` (sums from parameters) and
    `objective`. Sums add over items, so that sums(a + b) = sums(a) + sums(b): that is what history and parts stand on.

    max_iter, tol: stop after so many steps, or when a step gains less than tol times the objective; max_iter=3 is early
    stopping. restarts: climbs from differently perturbed starts; the highest wins. accelerate: SQUAREM leaps. history:
    how much each vote behind `start=earlier_result` counts beside today's; 0 only starts there.
    """

    whole: ClassVar[str] = ""
    """Why the method needs all votes at once; empty where sums over parts are as good."""

    max_iter: int = 500
    tol: AnyNumber = 1e-7
    restarts: int = 1
    accelerate: bool = False
    history: NonNegative = 0.0

    # -- what a method says -------------------------------------------------------------------------------------------

    @abstractmethod
    def first_sums(self, parts: Sequence[Part[Ops]], start: Any, run: int) -> Params:
        """The sums that a run starts from; run 0 is the plain one."""

    def begin(self, ops: Ops) -> Params:
        """Parameters to step up from, for methods whose `maximise` looks back."""
        return {}

    @abstractmethod
    def maximise(self, sums: Params, params: Params) -> Params:
        """All parameters from the sums and the last parameters."""

    @abstractmethod
    def sweep(self, ops: Ops, params: Params, known: Any) -> tuple[Params, float]:
        """One E-step: the sums over items under its posterior, and the log-evidence of the votes."""

    @abstractmethod
    def objective(self, evidence: float, params: Params, past: Params) -> float:
        """What the loop climbs: the evidence of today's votes, priors and history."""

    @abstractmethod
    def names_of(self, ops: Ops) -> Names:
        """The names behind the axes of the parameters."""

    @abstractmethod
    def annotator_weight(self, ops: Ops) -> Array:
        """How many votes each annotator gave, by weight."""

    @abstractmethod
    def joined(self, found: Sequence[Found]) -> Found:
        """What was found in each part, as one."""

    def derived(self, params: Params) -> Params:
        """What follows from the fitted parameters and is only there to be read."""
        return {}

    def prepare(self, votes: Any, start: Any) -> Any:
        """With history, annotators who are silent today stay known for tomorrow."""
        known = bool(self.history) and isinstance(start, Result)
        return votes.with_names(annotators=start.annotators) if known else votes

    # -- the loop -----------------------------------------------------------------------------------------------------

    def solve(self, ops: Ops, known: Any, start: Any, callback: Callback | None) -> Solution[Found]:
        return self.solve_parts([Part(ops, known)], start, callback)

    def solve_parts(
        self, parts: Sequence[Part[Ops]], start: Any = None, callback: Callback | None = None
    ) -> Solution[Found]:
        """The same over votes in parts, each with whole items and all names of annotators and classes."""
        if len(parts) > 1 and self.whole:
            raise InputError(f"{self.name} needs all votes at once: {self.whole}")
        sweep = self.sweep_of(parts)
        names = self.names_of(parts[0].ops)
        past = self._past(names, start)
        climbs = [
            Climb(self, sweep, past, self._first(parts, sweep, names, start, run), self.begin(parts[0].ops))
            for run in range(1 if self.continues(start) and not self.history else self.restarts)
        ]
        best = race(climbs, self.max_iter, Watch(callback))
        params = {**best.params, **self.derived(best.params)}
        params, sums = ({name: on_host(value) for name, value in own.items()} for own in (params, best.sums))
        if self.history:  # an annotator who is silent today is none the less known
            before = carry({"votes": start.params["votes"]}, start.names, names, fill="zero")["votes"]
            today = sum(self.annotator_weight(part.ops) for part in parts)
            params = {**params, "votes": today + self.history * before}
        found = self.joined([self.infer(part.ops, params, part.known) for part in parts])
        return Solution(found, params, sums, tuple(best.trace), best.converged)

    def sweep_of(self, parts: Sequence[Part[Ops]]) -> Sweep:
        """One pass over all parts, of which one is held at a time."""

        def sweep(params: Params) -> tuple[Params, float]:
            told = [0.0]

            def each() -> Iterable[Params]:
                for part in parts:
                    sums, evidence = self.sweep(part.ops, params, part.known)
                    told[0] += evidence
                    yield sums

            return added(each()), told[0]

        return sweep

    def continues(self, start: Any) -> bool:
        """Whether a start's parameters are this method's own, of the same shapes."""
        return isinstance(start, Result) and type(start.method) is type(self)

    def _first(self, parts: Sequence[Part[Ops]], sweep: Sweep, names: Names, start: Any, run: int) -> Params:
        if self.continues(start) and not run:
            return sweep(carry(start.params, start.names, names, fill="population", axes_of=self.axes_of))[0]
        return self.first_sums(parts, start, run)

    def _past(self, names: Names, start: Any) -> Params:
        """The sums behind an earlier result, on today's names, each vote counting `history`."""
        if not self.history:
            return {}
        if not isinstance(start, Result):
            raise InputError(f"history={self.history} needs start=, an earlier fit of {self.name}")
        if not (self.continues(start) and start.statistics):
            raise InputError(
                f"history={self.history} needs the sums of an earlier fit of {self.name} with the same options; the "
                f"start is a result of {start.method.name}"
            )
        sums = carry(start.statistics, start.names, names, fill="zero", axes_of=self.axes_of)
        return {name: self.history * value for name, value in sums.items()}


def added(parts: Iterable[Params]) -> Params:
    """Sums over parts, in their order."""
    out: Params = {}
    for place, part in enumerate(parts):
        if place == 0:
            out = part
            continue
        if place == 1:
            out = {name: np.array(value) for name, value in out.items()}
        for name in out:
            out[name] += part[name]
    return out
