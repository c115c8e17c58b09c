"""Method: the contract of everything that is fitted, whatever the kind of votes."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from ..errors import InputError, OptionError
from ..methods import METHODS
from ..votes.codes import Array
from ..votes.frames import known_labels, library_of
from ..votes.votes import Votes
from .estimates import Estimate
from .options import Natural, checked_options
from .params import VOCABULARY, Axes, Params
from .result import Result

LOG = logging.getLogger("crowdwise")
Callback = Callable[[int, float], object]
Ops = TypeVar("Ops")
Found = TypeVar("Found")


class Watch:
    """A callback that, having once said stop, says so ever after; false without a callback."""

    def __init__(self, callback: Callback | None):
        self.callback, self.stopped = callback, False

    def __call__(self, step: int, objective: float) -> bool:
        self.stopped = self.stopped or (self.callback is not None and bool(self.callback(step, objective)))
        return self.stopped


class Solution(NamedTuple, Generic[Found]):
    """What a method's `solve` gives back; `fit` makes a Result of it."""

    found: Found
    params: Params
    statistics: Params
    trace: tuple[float, ...] = ()
    converged: bool = True
    notes: tuple[str, ...] = ()


class Weighed(NamedTuple):
    """Votes as a method weighs them, what it found out about them, and what it has to say of that.

    ops: where they are summed, if they had to be bound for it.
    """

    votes: Any
    params: Params
    notes: tuple[str, ...] = ()
    ops: Any = None


@dataclass(frozen=True, kw_only=True)
class Method(ABC, Generic[Ops, Found]):
    """Hyper-parameters, and what to do with votes. A method never keeps data or fitted state.

    A kind of votes has one base, such as `Aggregator` for classes, that says what its votes are (`takes`), what can
    be known beforehand (`known`), where votes are summed (`bind`) and what an answer is (`as_estimate`). A method says
    `solve` and `infer`.

    seed: same seed, same answer.
    """

    name: ClassVar[str]
    takes: ClassVar[type[Votes]]
    """The kind of votes that it is for."""
    gives: ClassVar[type[Estimate]]
    """What it finds, as a saved result has to know."""
    params: ClassVar[Mapping[str, Axes]] = {}
    """Axes of fitted arrays whose names are the method's own; `VOCABULARY` has those that all share."""
    exempt: ClassVar[Mapping[str, str]] = {}
    """Promises of `crowdwise.checks` that this method cannot keep, each with its reason."""

    seed: Natural = 0

    def __post_init__(self) -> None:
        """Options are as they are declared (`crowdwise.fit.options`)."""
        for option, value in checked_options(type(self), self.options()).items():
            object.__setattr__(self, option, value)

    def fit(
        self,
        votes: Any,
        *,
        gold: Any = None,
        item_prior: Any = None,
        start: Any = None,
        engine: str = "auto",
        callback: Callback | None = None,
        **columns: Any,
    ) -> Result:
        """Find the truth in votes, or in a frame or a file of votes.

        `columns` name those of a frame or a file that are not found by their usual names: `item="photo"`.

        `gold` is what is known: `{item: label}` or a frame with an item and a label column. `item_prior` is a
        distribution over classes for each item (a classifier's, say), (items, classes); it multiplies the class prior.
        `start` is where iterations begin: "soft" or "hard" votes, the name of another method, a posterior, or an
        earlier Result. `callback(step, objective)` is called after every step; a true answer stops.
        """
        frame = library_of(votes)
        votes = self.prepare(self.as_votes(votes, **columns), start)
        if not votes.n_votes:
            raise InputError("there are no votes")
        self.look_at(votes)
        known = self.known(votes, gold, item_prior)
        began = perf_counter()
        weighed = self.weigh_votes(votes, known, engine)
        ops = weighed.ops or self.bind(weighed.votes, engine)
        solution = self.solve(ops, known, start, callback)
        LOG.info("%s: %s, %d steps, %.2f s", self.name, votes.sizes, len(solution.trace), perf_counter() - began)
        own = {**solution.params, **self.local(ops, solution.params, known)}
        return Result(
            method=self,
            estimate=self.as_estimate(solution.found, votes),
            items=votes.items,
            annotators=votes.annotators,
            params={"votes": self.votes_given(ops, weighed.votes), **weighed.params, **own},
            statistics=solution.statistics,
            trace=solution.trace,
            converged=solution.converged,
            notes=weighed.notes + solution.notes,
            keys=votes.keys,
            votes=votes,
            gold=known_labels(gold),
            primed=item_prior is not None,
            frame=frame or "pyarrow",
        )

    # -- what a kind of votes says ------------------------------------------------------------------------------------

    def as_votes(self, votes: Any, **columns: Any) -> Any:
        """Votes of this method's kind as they are, or made from a frame; others are refused."""
        if isinstance(votes, Votes):
            if not isinstance(votes, self.takes):
                own, theirs = self.takes.kind, votes.kind
                raise OptionError(
                    f"{self.name} takes {own}, and these votes are {theirs}: choose a method for {theirs}"
                )
            if columns:
                raise OptionError(f"{next(iter(columns))}=... names a column of a frame, and these are votes already")
            return votes
        return self.takes.from_frame(votes, **columns)

    def votes_like(self, votes: Any, result: Result) -> Any:
        """New votes, on the names that a result knows where these matter."""
        return self.as_votes(votes)

    def prepare(self, votes: Any, start: Any) -> Any:
        """The votes that are fitted: those given, unless the start knows more names that matter."""
        return votes

    def look_at(self, votes: Any) -> None:
        """Warn of what is odd, refuse what does not fit into memory."""

    @abstractmethod
    def known(self, votes: Any, gold: Any, item_prior: Any) -> Any:
        """What is known of items beforehand, checked; None where nothing is."""

    def weigh_votes(self, votes: Any, known: Any, engine: str) -> Weighed:
        """Votes as they count in the fit."""
        return Weighed(votes, {})

    def reweigh_votes(self, votes: Any, params: Params) -> Any:
        """New votes as they count at known parameters."""
        return votes

    def votes_given(self, ops: Ops, votes: Any) -> Array:
        """How many votes each annotator gave, by weight."""
        weight: Array = votes.annotator_weight()
        return weight

    @abstractmethod
    def bind(self, votes: Any, engine: str) -> Ops:
        """Votes where they are summed."""

    @abstractmethod
    def as_estimate(self, found: Found, votes: Any) -> Estimate:
        """What `solve` and `infer` give, as an estimate."""

    # -- what a method says -------------------------------------------------------------------------------------------

    @abstractmethod
    def solve(self, ops: Ops, known: Any, start: Any, callback: Callback | None) -> Solution[Found]:
        """What is found and the parameters; the checking of input has been done."""

    @abstractmethod
    def infer(self, ops: Ops, params: Params, known: Any = None) -> Found:
        """What is found at known parameters: what `fit` ends with, and what `predict` uses."""

    def local(self, ops: Ops, params: Params, known: Any) -> Params:
        """Parameters of the items themselves, such as their difficulty, at known parameters of the annotators."""
        return {}

    @property
    def load(self) -> int:
        """How many times more work a vote is than in Dawid-Skene, roughly: which engine is worth its start."""
        return 1

    def continues(self, start: Any) -> bool:
        """Whether `fit` can go on from this start: an earlier result of the same method."""
        return False

    # -- what all of them do ------------------------------------------------------------------------------------------

    def options(self) -> dict[str, Any]:
        """Hyper-parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Hyper-parameters by name, as scikit-learn asks for them: `sklearn.base.clone` and searches work."""
        return self.options()

    @classmethod
    def axes_of(cls, name: str) -> Axes:
        """The axes of a fitted array; "ibcc.confusion" is the confusion of a member of a committee."""
        member, _, own = name.rpartition(".")
        if member:
            return METHODS[member].load().axes_of(own)
        for kind in cls.__mro__:
            if own in vars(kind).get("params", {}):
                return vars(kind)["params"][own]
        if own not in VOCABULARY:
            raise TypeError(f"{cls.__name__} fits {own!r} and does not say its axes: add it to `params`")
        return VOCABULARY[own]
