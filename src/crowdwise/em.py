"""EM, the loop written once; TableEM and HitEM, its two fast shapes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .base import Aggregator, Callback, Solution
from .codes import Array, find
from .crowd import Crowd
from .engine import NumpyEngine, normalise
from .errors import InputError
from .gold import distributions
from .keyed import keyed_exponential
from .params import Names, Params, carry, squarem
from .result import Result
from .ties import shared


def vote_shares(ops: NumpyEngine) -> Array:
    """Each item's votes as a distribution; those of the whole crowd where there are none."""
    votes = ops.item_votes()
    votes[votes.sum(axis=1) == 0.0] = ops.given.sum(axis=0)
    votes /= votes.sum(axis=1, keepdims=True)
    return votes


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
        if isinstance(self.class_prior, str):
            if self.class_prior not in ("learned", "uniform"):
                raise InputError(f"class_prior={self.class_prior!r}: choose 'learned', 'uniform' or a tuple of numbers")
            return
        try:
            given = tuple(float(share) for share in self.class_prior)
        except (TypeError, ValueError):
            given = (0.0,)
        if not all(0.0 < share < np.inf for share in given):
            raise InputError(f"class_prior={self.class_prior!r}: a tuple of positive numbers, one a class, is needed")
        object.__setattr__(self, "class_prior", given)

    # -- what a method says ---------------------------------------------------------------------------------------

    @abstractmethod
    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        """Log chance of an item's votes given each class, (items, classes)."""

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

    def estimate_classes(self, mass: Array) -> Params:
        """The classes' parameters from the mass of each class."""
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
        posterior, evidence = self._posterior(ops, params, log_item)
        return self._sums(ops, posterior), evidence

    def infer(self, ops: NumpyEngine, params: Params, log_item: Array | None = None) -> Array:
        return self._posterior(ops, params, log_item)[0]

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return self.log_likelihood(ops, params)

    def _posterior(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> tuple[Array, float]:
        log_joint = self.log_likelihood(ops, params) + self.log_class_prior(params)
        return normalise(log_joint if log_item is None else log_joint + log_item)

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
        if isinstance(start, str) and start not in ("soft", "hard"):
            from .methods import get

            start = get(start)(seed=self.seed).solve(ops, log_item, None, None).posterior
        stopped = False

        def watch(step: int, objective: float) -> bool:
            nonlocal stopped
            stopped = stopped or (callback is not None and bool(callback(step, objective)))
            return stopped

        climbs = []
        for run in range(self.restarts):
            climbs.append(self._climb(ops, log_item, start, run, watch))
            if stopped:
                break
        params, statistics, trace, converged = max(climbs, key=lambda climb: climb[2][-1])
        if self.history:  # an annotator who is silent today is none the less known
            names = Names(ops.crowd.annotators, ops.crowd.classes)
            past = carry({"votes": start.params["votes"]}, start.names, names, fill="zero")["votes"]
            params = {**params, "votes": ops.crowd.annotator_weight() + self.history * past}
        return Solution(self.infer(ops, params, log_item), params, statistics, tuple(trace), converged)

    def _climb(
        self, ops: NumpyEngine, log_item: Array | None, start: Any, run: int, watch: Callable[[int, float], bool]
    ) -> tuple[Params, Params, list[float], bool]:
        past = self._past(ops.crowd, start)
        sums = _add(self._first_sums(ops, log_item, start, run), past)
        params = self.initial(ops.n_annotators, ops.n_classes)
        trace: list[float] = []
        path: list[Params] = []  # plain steps since the last leap
        converged = False

        def step(proposed: Params) -> tuple[Params, float]:
            sums, evidence = self.sweep(ops, proposed, log_item)
            return _add(sums, past), evidence + self._beside_votes(proposed, past)

        while len(trace) < self.max_iter and not converged:
            leap = len(path) == 3
            proposed = squarem(*path) if leap else self._maximise(sums, params)
            after, objective = step(proposed)
            if leap and not objective >= trace[-1]:  # overshot, or no number: the plain step after all
                leap, proposed = False, self._maximise(sums, params)
                after, objective = step(proposed)
            params, sums = proposed, after
            path = [*path, params] if self.accelerate and len(path) < 3 else []
            # A leap that gains little proves nothing: only a plain step may stop.
            converged = bool(trace) and not leap and objective - trace[-1] <= self.tol * abs(objective)
            trace.append(objective)
            if watch(len(trace), objective):
                break
        return params, sums, trace, converged

    def _maximise(self, sums: Params, params: Params) -> Params:
        return {**self.estimate(sums, params), **self.estimate_classes(sums["states"])}

    def _class_shares(self, mass: Array) -> Array:
        if self.class_prior == "learned":
            mass = mass + self.class_smoothing
        elif self.class_prior == "uniform":
            mass = np.ones_like(mass)
        else:
            given = np.asarray(self.class_prior, float)
            if given.shape != mass.shape:
                raise InputError(f"class_prior={self.class_prior}: there are {mass.size} classes")
            mass = given
        return np.asarray(mass / mass.sum())

    def _beside_votes(self, params: Params, past: Params) -> float:
        """The objective's part that is no evidence of today's votes: priors and history."""
        value = self.log_prior(params) + self.log_prior_of_classes(params)
        if past:
            value += self.log_sums(past, params) + float((past["states"] * self.log_class_prior(params)).sum())
        return value

    # -- starts -----------------------------------------------------------------------------------------------------

    def _first_sums(self, ops: NumpyEngine, log_item: Array | None, start: Any, run: int) -> Params:
        if isinstance(start, Result) and type(start.method) is type(self) and not run:
            params = carry(start.params, start.names, Names(ops.crowd.annotators, ops.crowd.classes), fill="population")
            return self.sweep(ops, params, log_item)[0]
        posterior = self._first_posterior(ops, start)
        if run:
            posterior = (posterior + 1e-3) * keyed_exponential(self.seed * 1_000_003 + run, posterior.shape)
        if log_item is not None:
            posterior = (posterior + 1e-9) * np.exp(log_item)
        if run or log_item is not None:
            posterior /= posterior.sum(axis=1, keepdims=True)
        return self._sums(ops, posterior)

    def _first_posterior(self, ops: NumpyEngine, start: Any) -> Array:
        shares = vote_shares(ops)
        if start is None or (isinstance(start, str) and start == "soft"):
            return shares
        if isinstance(start, str) and start == "hard":
            return shared(shares)
        if isinstance(start, Result):
            return start.posterior_of(ops.crowd, shares)
        return distributions("start", ops.crowd, start)

    def _past(self, crowd: Crowd, start: Any) -> Params:
        """The sums behind an earlier result, on this crowd's names, each vote counting `history`."""
        if not self.history:
            return {}
        if not (isinstance(start, Result) and type(start.method) is type(self) and start.statistics):
            raise InputError(f"history={self.history} needs start=, an earlier fit of {self.name}")
        sums = carry(start.statistics, start.names, Names(crowd.annotators, crowd.classes), fill="zero")
        return {name: self.history * value for name, value in sums.items()}


def _add(sums: Params, past: Params) -> Params:
    return {name: value + past[name] for name, value in sums.items()} if past else sums


@dataclass(frozen=True, kw_only=True)
class TableEM(EM):
    """Votes independent given the class: annotator j says l of class k with chance exp(log_table[j, k, l]).

    A method says `log_table`, `estimate` from "counts" (annotators, true, given) and `log_prior`; the rest follows,
    in one fused pass over the votes.
    """

    @abstractmethod
    def log_table(self, params: Params) -> Array:
        """Log chances, (annotators, true, given)."""

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_scores(self.log_table(params))

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        return {"counts": ops.confusion_counts(posterior)}

    def log_sums(self, statistics: Params, params: Params) -> float:
        return float((statistics["counts"] * self.log_table(params)).sum())

    def sweep(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> tuple[Params, float]:
        counts, states, evidence = ops.sweep(self.log_table(params), self.log_class_prior(params), log_item)
        return {"counts": counts, "states": states}, evidence

    def _posterior(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> tuple[Array, float]:
        return ops.posterior(self.log_table(params), self.log_class_prior(params), log_item)

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return super().floats_needed(n_items, n_annotators, n_classes) + 4 * n_annotators * n_classes**2


@dataclass(frozen=True, kw_only=True)
class HitEM(EM):
    """As TableEM where an error says nothing about the class: O(1) a vote, O(annotators x classes) kept.

    A method says `log_hits`, `estimate` from "agree" and "given" (annotators, given) and `log_prior`.
    """

    @abstractmethod
    def log_hits(self, params: Params) -> tuple[Array, Array]:
        """Log chances to say l where it is true, and where it is not: two (annotators, given)."""

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        (hit, miss), cell = self.log_hits(params), (ops.annotator, ops.label)
        return ops.item_votes(miss[cell]).sum(axis=1, keepdims=True) + ops.item_votes((hit - miss)[cell])

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        return {"agree": ops.annotator_votes(posterior[ops.item, ops.label]), "given": ops.given}

    def log_sums(self, statistics: Params, params: Params) -> float:
        hit, miss = self.log_hits(params)
        agree = statistics["agree"]
        return float((agree * hit + (statistics["given"] - agree) * miss).sum())

    def sweep(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> tuple[Params, float]:
        agree, states, evidence = ops.sweep_hits(*self.log_hits(params), self.log_class_prior(params), log_item)
        return {"agree": agree, "given": ops.given, "states": states}, evidence

    def _posterior(self, ops: NumpyEngine, params: Params, log_item: Array | None) -> tuple[Array, float]:
        return ops.posterior_hits(*self.log_hits(params), self.log_class_prior(params), log_item)
