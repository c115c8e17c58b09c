"""EM: the loop, written once."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np

from .base import Aggregator, Callback, Solution, Watch
from .climb import Climb, race
from .codes import Array, find
from .crowd import Crowd
from .engine import NumpyEngine, normalise
from .errors import InputError
from .gold import distributions
from .keyed import keyed_exponential
from .params import Names, Params, carry
from .result import Result
from .ties import shared


def vote_shares(ops: NumpyEngine) -> Array:
    """Each item's votes as a distribution; those of the whole crowd where there are none."""
    votes = ops.item_votes()
    votes[votes.sum(axis=1) == 0.0] = ops.given.sum(axis=0)
    votes /= votes.sum(axis=1, keepdims=True)
    return votes


def checked_class_prior(prior: Any) -> str | tuple[float, ...]:
    """ "learned", "uniform", or positive numbers."""
    if isinstance(prior, str):
        if prior not in ("learned", "uniform"):
            raise InputError(f"class_prior={prior!r}: choose 'learned', 'uniform' or a tuple of numbers")
        return prior
    try:
        given = tuple(float(share) for share in prior)
    except (TypeError, ValueError):
        given = (0.0,)
    if not all(0.0 < share < np.inf for share in given):
        raise InputError(f"class_prior={prior!r}: a tuple of positive numbers, one a class, is needed")
    return given


def class_shares(prior: str | tuple[float, ...], mass: Array) -> Array:
    """The probability of each class: learned from its mass, uniform, or as given."""
    if prior == "uniform":
        mass = np.ones_like(mass)
    elif prior != "learned":
        given = np.asarray(prior, float)
        if given.shape != mass.shape:
            raise InputError(f"class_prior={prior}: there are {mass.size} classes")
        mass = given
    return np.asarray(mass / mass.sum())


@dataclass(frozen=True, kw_only=True)
class EM(Aggregator):
    r"""Expectation maximisation: the loop, the class prior, gold, starts, stopping and the trace.

    A method says `log_likelihood`, `statistics`, `estimate` and `log_prior`. Statistics are sums over items, so that
    statistics(a + b) = statistics(a) + statistics(b): what `history` and parts of a crowd stand on.

    class_prior: "learned", "uniform", or the classes' probabilities in their order. class_smoothing: pseudo-count of
    each class, where it is learned. max_iter, tol: stop after so many steps, or when a step gains less than tol times
    the objective; max_iter=3 is early stopping. restarts: climbs from differently perturbed votes; the highest wins.
    accelerate: SQUAREM leaps. history: how much each vote behind `start=earlier_result` counts beside today's; 0 only
    starts there.
    """

    unit: ClassVar[str] = "log-odds"
    first: ClassVar[str] = "soft"
    """Where iterations begin unless told: votes, soft or hard, or a method's name."""
    non_negative: ClassVar[frozenset[str]] = frozenset({"history"})

    class_prior: str | tuple[float, ...] = "learned"
    class_smoothing: float = 0.01
    max_iter: int = 500
    tol: float = 1e-7
    restarts: int = 1
    accelerate: bool = False
    history: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "class_prior", checked_class_prior(self.class_prior))

    # -- what a method says ---------------------------------------------------------------------------------------

    @abstractmethod
    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        """Log chance of an item's votes given each hidden state, (items, states)."""

    @abstractmethod
    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        """Sums over items; the mass of each class, "states", is added by the loop."""

    @abstractmethod
    def estimate(self, statistics: Params, params: Params) -> Params:
        """The annotators' parameters: those that make the sums most likely, or a step up from the last ones.

        Before there are any, `params` is what `initial` gives. The loop adds the classes' (`estimate_classes`).
        """

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        """Parameters to step up from, for methods whose `estimate` looks back."""
        return {}

    @property
    def states_per_class(self) -> int:
        """Hidden states of each class: 1, unless a class has sub-types; class k has states k n ... k n + n - 1."""
        return 1

    @property
    def load(self) -> int:
        return self.states_per_class

    def split(self, posterior: Array, run: int) -> Array:
        """A start, (items, classes), spread over the hidden states, differently in each run; keyed by item."""
        if run:
            posterior = (posterior + 1e-3) * keyed_exponential(self.seed * 1_000_003 + run, posterior.shape)
            posterior /= posterior.sum(axis=1, keepdims=True)
        return posterior

    def derived(self, params: Params) -> Params:
        """What follows from the fitted parameters and is only there to be read."""
        return {}

    def estimate_classes(self, mass: Array, params: Params) -> Params:
        """The classes' parameters from the mass of each hidden state, and the last ones."""
        return {"prior": self._class_shares(mass)}

    def log_class_prior(self, params: Params) -> Array:
        """Log probability of each class; its expectation, where the probabilities are uncertain."""
        return np.log(params["prior"])

    def log_prior_of_classes(self, params: Params) -> float:
        """Log density of the classes' parameters."""
        return self.class_smoothing * float(np.log(params["prior"]).sum()) if self.class_prior == "learned" else 0.0

    @abstractmethod
    def log_prior(self, params: Params) -> float:
        """Log density of the annotators' parameters, so that the trace is what the loop really climbs."""

    @abstractmethod
    def log_sums(self, statistics: Params, params: Params) -> float:
        """Expected log chance of votes that are known by their sums only: history."""

    # -- one pass: E-step and sums ------------------------------------------------------------------------------

    def sweep(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> tuple[Params, float]:
        """One E-step: the sums over items under its posterior, and the log-evidence of the votes."""
        posterior, evidence = self.posterior(ops, params, log_item)
        return self._sums(ops, posterior), evidence

    def infer(self, ops: NumpyEngine, params: Params, log_item: Array | None = None) -> Array:
        return self._by_class(self.posterior(ops, params, log_item)[0])

    def class_scores(self, params: Params) -> Array:
        return self.log_class_prior(params)

    def scores(self, ops: NumpyEngine, params: Params) -> Array | None:
        return self.log_likelihood(ops, params) if self.states_per_class == 1 else None

    def posterior(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> tuple[Array, float]:
        """Posterior over the hidden states, (items, states), and the log-evidence of the votes."""
        log_joint = self.log_likelihood(ops, params) + self.log_class_prior(params)
        log_state = self.by_state(log_item)
        return normalise(log_joint if log_state is None else log_joint + log_state)

    @overload
    def by_state(self, log_item: Array) -> Array: ...
    @overload
    def by_state(self, log_item: None) -> None: ...
    def by_state(self, log_item: Array | None) -> Array | None:
        """What is known of an item's class, said of the hidden states."""
        if log_item is None or self.states_per_class == 1:
            return log_item
        return np.repeat(log_item, self.states_per_class, axis=1)

    def _by_class(self, posterior: Array) -> Array:
        if self.states_per_class == 1:
            return posterior
        return posterior.reshape(len(posterior), -1, self.states_per_class).sum(axis=2)

    def _sums(self, ops: NumpyEngine, posterior: Array) -> Params:
        return {**self.statistics(ops, posterior), "states": posterior.sum(axis=0, dtype=float)}

    # -- the loop -------------------------------------------------------------------------------------------------

    def prepare(self, crowd: Crowd, start: Any) -> Crowd:
        """With history, annotators who are silent today stay known for tomorrow, and so do classes."""
        if not self.history or not isinstance(start, Result):
            return crowd
        crowd = crowd.with_names(annotators=start.annotators, classes=start.classes)
        new = crowd.classes[find(crowd.classes, start.classes) < 0]
        return crowd.with_classes([*start.classes.tolist(), *new.tolist()])

    def solve(self, ops: NumpyEngine, log_item: Array | None, start: Any, callback: Callback | None) -> Solution:
        start = self.first if start is None else start
        if isinstance(start, str) and start not in ("soft", "hard"):
            from .methods import get

            start = get(start)(seed=self.seed).solve(ops, log_item, None, None).posterior
        past = self._past(ops.crowd, start)
        climbs = [
            Climb(self, ops, log_item, past, self._first_sums(ops, log_item, start, run))
            for run in range(self.restarts)
        ]
        params, statistics, trace, converged = race(climbs, self.max_iter, Watch(callback)).outcome()
        params = {**params, **self.derived(params)}
        if self.history:  # an annotator who is silent today is none the less known
            names = Names(ops.crowd.annotators, ops.crowd.classes)
            before = carry({"votes": start.params["votes"]}, start.names, names, fill="zero")["votes"]
            params = {**params, "votes": ops.crowd.annotator_weight() + self.history * before}
        return Solution(self.infer(ops, params, log_item), params, statistics, trace, converged)

    def maximise(self, sums: Params, params: Params) -> Params:
        """All parameters from the sums and the last parameters."""
        return {**self.estimate(sums, params), **self.estimate_classes(sums["states"], params)}

    def objective(self, evidence: float, params: Params, past: Params) -> float:
        """What the loop climbs: the evidence of today's votes, priors and history."""
        value = evidence + self.log_prior(params) + self.log_prior_of_classes(params)
        if past:
            value += self.log_sums(past, params) + float((past["states"] * self.log_class_prior(params)).sum())
        return value

    def _class_shares(self, mass: Array) -> Array:
        return class_shares(self.class_prior, mass + self.class_smoothing)

    # -- starts -----------------------------------------------------------------------------------------------------

    def _first_sums(self, ops: NumpyEngine, log_item: Array | None, start: Any, run: int) -> Params:
        if self._continues(start) and not run:
            params = carry(start.params, start.names, Names(ops.crowd.annotators, ops.crowd.classes), fill="population")
            return self.sweep(ops, params, log_item)[0]
        posterior = self.split(self._first_posterior(ops, start), run)
        if log_item is not None:
            posterior = (posterior + 1e-9) * np.exp(self.by_state(log_item))
            posterior /= posterior.sum(axis=1, keepdims=True)
        return self._sums(ops, posterior)

    def _continues(self, start: Any) -> bool:
        """Whether a start's parameters are this method's own, of the same shapes."""
        same = isinstance(start, Result) and type(start.method) is type(self)
        return same and start.method.states_per_class == self.states_per_class

    def _first_posterior(self, ops: NumpyEngine, start: Any) -> Array:
        shares = vote_shares(ops)
        if isinstance(start, str):
            return shared(shares) if start == "hard" else shares
        if isinstance(start, Result):
            return start.posterior_of(ops.crowd, shares)
        return distributions("start", ops.crowd, start)

    def _past(self, crowd: Crowd, start: Any) -> Params:
        """The sums behind an earlier result, on this crowd's names, each vote counting `history`."""
        if not self.history:
            return {}
        if not (self._continues(start) and start.statistics):
            alike = f" with {self.states_per_class} states a class" if self.states_per_class > 1 else ""
            raise InputError(f"history={self.history} needs start=, an earlier fit of {self.name}{alike}")
        sums = carry(start.statistics, start.names, Names(crowd.annotators, crowd.classes), fill="zero")
        return {name: self.history * value for name, value in sums.items()}
