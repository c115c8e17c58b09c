"""Climb: one run from one start, which knows no votes; race: several of them, of which the one that leads goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .params import Params, squarem

if TYPE_CHECKING:
    from .climber import Climber
    from .method import Watch

Sweep = Callable[[Params], tuple[Params, float]]
"""One pass over all votes at some parameters: the sums under them, and the log-evidence."""
FIRST_LEG = 20  # steps that every climb of a race makes
LEAST_GAIN = 1e-10  # of the objective: a leap that gains less is rounding, and may lead astray


class Climb:
    """Where one run stands: parameters, the sums under them, and the objective after each step.

    past: sums of earlier votes, which count beside those of every sweep. first: the sums that it starts from.
    after_step: what is done with it after each step, such as keeping it.
    """

    def __init__(self, method: Climber[Any, Any], sweep: Sweep, past: Params, first: Params, params: Params):
        self.method, self.sweep, self.past = method, sweep, past
        self.sums, self.params = _add(first, past), params
        self.trace: list[float] = []
        self.path: list[Params] = []  # plain steps since the last leap
        self.converged = False
        self.after_step: Callable[[Climb], None] | None = None

    def advance(self, until: int, watch: Watch) -> bool:
        """Go on until so many steps are made, or nothing is gained; true if the watcher said stop."""
        while len(self.trace) < until and not self.converged:
            self._step()
            if self.after_step is not None:
                self.after_step(self)
            if watch(len(self.trace), self.trace[-1]):
                return True
        return False

    def _step(self) -> None:
        leap = len(self.path) == 3
        proposed = squarem(self.path, self.method.axes_of) if leap else self.method.maximise(self.sums, self.params)
        sums, objective = self._swept(proposed)
        if leap and not objective - self.trace[-1] > LEAST_GAIN * abs(self.trace[-1]):  # overshot, or no number
            leap, proposed = False, self.method.maximise(self.sums, self.params)
            sums, objective = self._swept(proposed)
        self.params, self.sums = proposed, sums
        self.path = [*self.path, proposed] if self.method.accelerate and len(self.path) < 3 else []
        # A leap that gains little proves nothing: only a plain step may stop.
        self.converged = (
            bool(self.trace) and not leap and objective - self.trace[-1] <= self.method.tol * abs(objective)
        )
        self.trace.append(objective)

    def _swept(self, params: Params) -> tuple[Params, float]:
        sums, evidence = self.sweep(params)
        return _add(sums, self.past), self.method.objective(evidence, params, self.past)


def race(climbs: list[Climb], max_iter: int, watch: Watch) -> Climb:
    """The climb that wins: after 20 steps the lower half gives up, after 40 half of the rest, and so on."""
    leg = FIRST_LEG
    while len(climbs) > 1:
        for done, climb in enumerate(climbs, 1):
            if climb.advance(min(leg, max_iter), watch):
                return max(climbs[:done], key=_height)
        height = partial(_height, step=leg)  # one that was stopped and goes on may be ahead of the others
        climbs = sorted(climbs, key=height, reverse=True)[: (len(climbs) + 1) // 2]
        leg *= 2
    climbs[0].advance(max_iter, watch)
    return climbs[0]


def _height(climb: Climb, step: int | None = None) -> float:
    """How far up it is, or was after so many steps."""
    return climb.trace[-1] if step is None else climb.trace[:step][-1]


def _add(sums: Params, past: Params) -> Params:
    return {name: value + past[name] for name, value in sums.items()} if past else sums
