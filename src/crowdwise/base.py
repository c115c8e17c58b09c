"""Aggregator: the contract of every method."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .codes import Array, shown
from .crowd import Crowd
from .engine import NumpyEngine, bind
from .errors import DataWarning, InputError, TooLarge
from .gold import log_item_prior
from .params import Params
from .result import Result
from .ties import first_of_tied

Callback = Callable[[int, float], object]


def as_crowd(votes: Any) -> Crowd:
    """A Crowd as it is, or one made from a frame."""
    return votes if isinstance(votes, Crowd) else Crowd.from_frame(votes)


class Watch:
    """A callback that, having once said stop, says so ever after; false without a callback."""

    def __init__(self, callback: Callback | None):
        self.callback, self.stopped = callback, False

    def __call__(self, step: int, objective: float) -> bool:
        self.stopped = self.stopped or (self.callback is not None and bool(self.callback(step, objective)))
        return self.stopped


class Solution(NamedTuple):
    """What a method's `solve` gives back; `fit` makes a Result of it."""

    posterior: Array
    params: Params
    statistics: Params
    trace: tuple[float, ...] = ()
    converged: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Aggregator(ABC):
    """A method: hyper-parameters, and what to do with a crowd. It never keeps data or fitted state.

    weights: "given", those of the crowd, or "groups": annotators who err together share one vote on an item
    (`crowdwise.dependence`).
    """

    name: ClassVar[str]
    non_negative: ClassVar[frozenset[str]] = frozenset()
    """Numbers among the options that may be 0, as the seed may; all others are positive."""
    any_number: ClassVar[frozenset[str]] = frozenset({"tol"})
    """Numbers among the options that may be negative."""
    unit: ClassVar[str] = "votes"
    """What `scores` are: votes, log-odds ..."""
    exempt: ClassVar[Mapping[str, str]] = {}
    """Promises of `crowdwise.checks` that this method cannot keep, each with its reason."""

    seed: int = 0
    weights: str = "given"

    def __post_init__(self) -> None:
        """Options are of the type of their defaults, numbers finite; signs as `non_negative` and `any_number` say."""
        for option in fields(self):
            value, usual = getattr(self, option.name), option.default
            if isinstance(usual, bool):
                fits, wanted = isinstance(value, bool | np.bool_), "True or False"
            elif isinstance(usual, int):
                fits, wanted = isinstance(value, int | np.integer) and not isinstance(value, bool), "a whole number"
            elif isinstance(usual, float):
                fits, wanted = isinstance(value, int | float | np.number) and not isinstance(value, bool), "a number"
                fits = fits and not np.isnan(value) and value != np.inf
            else:
                continue
            if not fits:
                raise InputError(f"{option.name}={value!r} must be {wanted}")
            if option.name in self.non_negative | {"seed"}:
                if value < 0:
                    raise InputError(f"{option.name}={value} must be at least 0")
            elif option.name not in self.any_number and not isinstance(usual, bool) and not value > 0:
                raise InputError(f"{option.name}={value} must be positive")
            plain = value.item() if isinstance(value, np.generic) else value
            object.__setattr__(self, option.name, plain)
        if self.weights not in ("given", "groups"):
            raise InputError(f"weights={self.weights!r}: choose given or groups")

    def fit(
        self,
        crowd: Any,
        *,
        gold: Any = None,
        item_prior: Any = None,
        start: Any = None,
        engine: str = "auto",
        callback: Callback | None = None,
    ) -> Result:
        """Find the true labels of a Crowd, or of a frame of votes.

        `gold` is what is known: `{item: label}` or a frame with an item and a label column. `item_prior` is a
        distribution over classes for each item (a classifier's, say), (items, classes); it multiplies the class prior.
        `start` is where iterations begin: "soft" or "hard" votes, the name of another method, a posterior, or an
        earlier Result. `callback(step, objective)` is called after every step; a true answer stops.
        """
        crowd = self.prepare(as_crowd(crowd), start)
        if not crowd.n_votes:
            raise InputError("there are no votes")
        if crowd.n_classes == 1:
            warnings.warn(
                f"every vote says {shown(crowd.classes[0])}: there is one class only", DataWarning, stacklevel=2
            )
        self._require_memory(crowd)
        known = log_item_prior(crowd, gold, item_prior)
        grouped: Params = {}
        if self.weights == "groups":
            from .dependence import find_groups, share_votes

            group = find_groups(crowd, known, engine=engine)
            grouped, crowd = {"group": group}, share_votes(crowd, group)
        ops = bind(crowd, engine, self.load)
        solution = self.solve(ops, known, start, callback)
        notes = _about_groups(crowd, grouped) + solution.notes
        votes = {"votes": crowd.annotator_weight()}
        return Result(
            method=self,
            posterior=solution.posterior,
            items=crowd.items,
            annotators=crowd.annotators,
            classes=crowd.classes,
            params={**votes, **grouped, **solution.params, **self.local(ops, solution.params, known)},
            statistics=solution.statistics,
            trace=solution.trace,
            converged=solution.converged,
            notes=notes,
        )

    def prepare(self, crowd: Crowd, start: Any) -> Crowd:
        """The crowd that is fitted: the one given, unless the start knows more names that matter."""
        return crowd

    @abstractmethod
    def solve(self, ops: NumpyEngine, log_item: Array | None, start: Any, callback: Callback | None) -> Solution:
        """Posterior and parameters; the checking of input has been done."""

    @abstractmethod
    def infer(self, ops: NumpyEngine, params: Params, log_item: Array | None = None) -> Array:
        """Posterior (items, classes) at known parameters: what `fit` ends with, and what `predict` uses."""

    def scores(self, ops: NumpyEngine, params: Params) -> Array | None:
        """What the votes on an item say for each class, (items, classes): a sum over its votes. None: no such sum."""
        return None

    def class_scores(self, params: Params) -> Array:
        """What is said for each class, in the unit of `scores`, before a vote is seen."""
        return np.log(params["prior"]) if self.unit == "log-odds" and "prior" in params else np.zeros(1)

    @property
    def load(self) -> int:
        """How many times more work a vote is than in Dawid-Skene, roughly: which engine is worth its start."""
        return 1

    def local(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> Params:
        """Parameters of the items themselves, such as their difficulty, at known parameters of the annotators."""
        return {}

    def decide(self, posterior: Array) -> Array:
        """The label of each item, as a code."""
        return first_of_tied(posterior)

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        """How many numbers the method holds at once, roughly."""
        return 2 * n_items * n_classes + 2 * n_annotators * n_classes

    def options(self) -> dict[str, Any]:
        """Hyper-parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def fits(self, crowd: Crowd) -> bool:
        """Whether the method has enough memory here for a crowd of this size."""
        return self.bytes_needed(crowd) <= _memory()

    def bytes_needed(self, crowd: Crowd) -> int:
        """How much memory the method takes for a crowd, roughly."""
        return 8 * self.floats_needed(crowd.n_items, crowd.n_annotators, crowd.n_classes)

    def _require_memory(self, crowd: Crowd) -> None:
        needed, there = self.bytes_needed(crowd), _memory()
        if needed > there:
            raise TooLarge(
                f"{self.name} would need {needed / 2**30:,.1f} GiB for {crowd.n_items:,} items, {crowd.n_annotators:,} "
                f"annotators and {crowd.n_classes:,} classes, and this machine has {there / 2**30:,.1f}: "
                "take a method that keeps less, such as one-coin in place of confusion matrices, or merge classes"
                + (", or make core smaller" if hasattr(self, "core") else "")
            )


def _about_groups(crowd: Crowd, grouped: Params) -> tuple[str, ...]:
    if not grouped:
        return ()
    size = np.bincount(grouped["group"] + 1)[1:]
    if not size.size:
        return ("no annotators were found to err together",)
    largest = np.flatnonzero(grouped["group"] == size.argmax())
    names = ", ".join(shown(name) for name in crowd.annotators[largest[:5]]) + (" ..." if largest.size > 5 else "")
    return (
        f"{size.sum()} annotators err together, in {size.size} groups (the largest: {names}): a group's votes on an "
        "item share the weight of one",
    )


def _memory() -> int:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return 2**62
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
