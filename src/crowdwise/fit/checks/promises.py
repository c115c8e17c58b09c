"""Promises: sentences that a method is held to, each with its check."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...engine import ENGINES, GPU, bind
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ..method import Method
from ..result import Result
from .small import SMALL

Check = Callable[[Any, str], None]
AnyMethod = Method[Any, Any]


@dataclass(frozen=True)
class Promise:
    """A sentence, its check, the kinds of votes that it is about, and the engines that it is run on.

    What does not depend on the engine is looked at on the reference engine only: the others are held to that one.
    """

    sentence: str
    holds: Check
    kinds: frozenset[str]
    engines: tuple[str, ...]


PROMISES: dict[str, Promise] = {}
EVERY_KIND = frozenset(SMALL)


def promise(
    *, kinds: frozenset[str] = frozenset({"classes"}), engines: Literal["all", "reference", "others"] = "reference"
) -> Callable[[Check], Check]:
    """Register a promise under its sentence: the first line of its docstring."""
    names = {"reference": ENGINES[:1], "others": (*ENGINES[1:], "numba:3"), "all": ENGINES}[engines]

    def register(holds: Check) -> Check:
        sentence = (holds.__doc__ or "").splitlines()[0].rstrip(".")
        PROMISES[sentence] = Promise(sentence, holds, kinds, names)
        return holds

    return register


def promises_of(method: type[AnyMethod]) -> list[Promise]:
    """The promises that a method is held to: those about its kind of votes, less those it is exempt from."""
    kind = method.takes.kind
    return [one for one in PROMISES.values() if kind in one.kinds and one.sentence not in method.exempt]


def check(method: AnyMethod, engine: str = "numpy") -> None:
    """Hold a method to every promise on an engine.

    >>> from crowdwise import DawidSkene
    >>> check(DawidSkene(max_iter=20))
    """
    for one in promises_of(type(method)):
        if engine in one.engines or engine == "numpy":
            one.holds(method, engine)


# -- what checks are made of ------------------------------------------------------------------------------------------


def changed(method: AnyMethod, **options: Any) -> AnyMethod:
    """The method with those of the options that it has."""
    return dataclasses.replace(method, **{name: value for name, value in options.items() if name in method.options()})


def short(method: AnyMethod, steps: int = 12) -> AnyMethod:
    """The method stopped after a fixed number of steps, so that rounding cannot decide when it stops."""
    return changed(method, max_iter=steps, tol=-np.inf)


def require_close(a: Array, b: Array, engine: str, what: str) -> None:
    """Numbers differ by rounding only, in parts of the largest; that of single precision with numba and on a GPU."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    gap, size = float(np.abs(a - b).max(initial=0.0)), max(1.0, float(np.abs(a).max(initial=0.0)))
    tolerance = 2e-4 if engine.startswith(("numba", GPU)) else 1e-8
    assert gap <= tolerance * size, f"{what}: differs by {gap:.2g}, of up to {size:.2g}"


def require_climb(result: Result, engine: str) -> None:
    """The objective is finite and never falls, beyond an engine's rounding."""
    trace = np.array(result.trace)
    assert np.isfinite(trace).all(), "the objective is not finite"
    if trace.size > 1:
        slack = bind(Crowd.from_matrix([[0]]), engine).tolerance * np.abs(trace).max()
        fall = float(-np.diff(trace).min())
        assert fall <= slack, f"the objective falls by {fall:.3g}"


def require_sound(result: Result) -> None:
    """What was found is finite; probabilities are distributions."""
    assert np.isfinite(result.estimate.main).all(), "what was found is not finite"
    for name, value in result.params.items():
        assert np.isfinite(value).all(), f"params[{name!r}] is not finite"
    if result.estimate.kind == "classes":
        assert (result.posterior >= 0.0).all(), "the posterior is negative"
        assert np.abs(result.posterior.sum(axis=1) - 1.0).max() < 1e-5, "rows of the posterior do not sum to 1"
