"""Climb: one run of EM from one start; race: several of them, of which the one that leads goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Watch
from .codes import Array
from .engine import NumpyEngine
from .params import Params, squarem

if TYPE_CHECKING:
    from .em import EM

FIRST_LEG = 20  # steps that every climb of a race makes


class Climb:
    """Where one run of EM stands: parameters, the sums under them, and the objective after each step."""

    def __init__(self, method: EM, ops: NumpyEngine, log_item: Array | None, past: Params, first_sums: Params):
        self.method, self.ops, self.log_item, self.past = method, ops, log_item, past
        self.sums = _add(first_sums, past)
        self.params = method.initial(ops.n_annotators, ops.n_classes)
        self.trace: list[float] = []
        self.path: list[Params] = []  # plain steps since the last leap
        self.converged = False

    def advance(self, until: int, watch: Watch) -> bool:
        """Go on until so many steps are made, or nothing is gained; true if the watcher said stop."""
        while len(self.trace) < until and not self.converged:
            self._step()
            if watch(len(self.trace), self.trace[-1]):
                return True
        return False

    def outcome(self) -> tuple[Params, Params, tuple[float, ...], bool]:
        """Parameters, sums, trace, and whether it has converged."""
        return self.params, self.sums, tuple(self.trace), self.converged

    def _step(self) -> None:
        leap = len(self.path) == 3
        proposed = squarem(*self.path) if leap else self.method.maximise(self.sums, self.params)
        sums, objective = self._sweep(proposed)
        if leap and not objective >= self.trace[-1]:  # overshot, or no number: the plain step after all
            leap, proposed = False, self.method.maximise(self.sums, self.params)
            sums, objective = self._sweep(proposed)
        self.params, self.sums = proposed, sums
        self.path = [*self.path, proposed] if self.method.accelerate and len(self.path) < 3 else []
        # A leap that gains little proves nothing: only a plain step may stop.
        self.converged = (
            bool(self.trace) and not leap and objective - self.trace[-1] <= self.method.tol * abs(objective)
        )
        self.trace.append(objective)

    def _sweep(self, params: Params) -> tuple[Params, float]:
        sums, evidence = self.method.sweep(self.ops, params, self.log_item)
        return _add(sums, self.past), self.method.objective(evidence, params, self.past)


def race(climbs: list[Climb], max_iter: int, watch: Watch) -> Climb:
    """The climb that wins: after 20 steps the lower half gives up, after 40 half of the rest, and so on."""
    leg = FIRST_LEG
    while len(climbs) > 1:
        for done, climb in enumerate(climbs, 1):
            if climb.advance(min(leg, max_iter), watch):
                return max(climbs[:done], key=_height)
        climbs = sorted(climbs, key=_height, reverse=True)[: (len(climbs) + 1) // 2]
        leg *= 2
    climbs[0].advance(max_iter, watch)
    return climbs[0]


def _height(climb: Climb) -> float:
    return climb.trace[-1]


def _add(sums: Params, past: Params) -> Params:
    return {name: value + past[name] for name, value in sums.items()} if past else sums
