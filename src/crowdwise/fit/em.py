"""EM: expectation maximisation over the true classes of items."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ..engine import NumpyEngine
from ..errors import InputError, OptionError
from ..methods import METHODS, get
from ..votes.codes import Array, find
from ..votes.crowd import Crowd
from ..votes.gold import distributions
from ..votes.keyed import keyed_exponential
from ..votes.known import Known, with_known
from ..votes.ties import shared
from .aggregator import Aggregator
from .climber import Climber, Part, added
from .graph_strength import strength_of
from .method import Callback, Solution
from .options import NonNegative
from .params import Axes, Names, Params
from .result import Result
from .structure import Chain, ClassShares, Graph, Inferred, Structure, checked_class_prior


def vote_shares(ops: NumpyEngine) -> Array:
    """Each item's votes as a distribution; where there are none, those of the whole crowd."""
    return np.asarray(ops.vote_shares(ops.given.sum(axis=0)))


VOTED = ("soft", "hard")  # starts that need nothing but the votes


@dataclass(frozen=True, kw_only=True)
class EM(Climber[NumpyEngine, Array], Aggregator):
    r"""Expectation maximisation: the E-step, the structure of the classes, gold and starts; the loop is `Climber`'s.

    A method says `log_likelihood`, `statistics`, `estimate` and `log_prior`. Statistics are sums over items.

    class_prior: "learned", "uniform", or the classes' probabilities in their order. class_smoothing: pseudo-count of
    each class, where it is learned. structure: "independent", "chain" for items that follow each other (tokens of
    documents), or "graph" for items that are linked (`Crowd.with_graph`). strength: of the links; found by held-out
    votes unless it is told. max_iter, tol, restarts, accelerate, history: as in `Climber`.
    """

    unit: ClassVar[str] = "log-odds"
    first: ClassVar[str] = "soft"
    """Where iterations begin unless told: votes, soft or hard, or a method's name."""
    structures: ClassVar[tuple[str, ...]] = ("independent", "chain", "graph")
    """What the method can be told that items have to do with each other."""
    params: ClassVar[Mapping[str, Axes]] = {**Chain.params, **Graph.params}

    class_prior: str | tuple[float, ...] = "learned"
    class_smoothing: float = 0.01
    structure: Literal["independent", "chain", "graph"] = "independent"
    strength: NonNegative | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "class_prior", checked_class_prior(self.class_prior))
        if self.structure not in self.structures:
            choices = " or ".join(self.structures)
            raise OptionError(f"structure={self.structure!r}: {self.name} knows {choices}")
        if self.structure != "independent" and self.states_per_class > 1:
            raise InputError(f"structure={self.structure!r}: {self.name} has hidden states of its own, and knows none")
        if self.structure == "chain" and self.class_prior != "learned":
            raise InputError(f"class_prior={self.class_prior!r}: a chain learns its own shares of the classes")

    # -- what a method says -------------------------------------------------------------------------------------------

    @abstractmethod
    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        """Log chance of an item's votes given each hidden state, (items, states)."""

    @abstractmethod
    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        """Sums over items; those of the structure, such as the mass of each class, are added."""

    @abstractmethod
    def estimate(self, statistics: Params, params: Params) -> Params:
        """The annotators' parameters: those that make the sums most likely, or a step up from the last ones.

        Before there are any, `params` is what `initial` gives. The structure adds the classes'.
        """

    @abstractmethod
    def log_prior(self, params: Params) -> float:
        """Log density of the annotators' parameters, so that the trace is what the loop really climbs."""

    @abstractmethod
    def log_sums(self, statistics: Params, params: Params) -> float:
        """Expected log chance of votes that are known by their sums only: history."""

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        """Parameters to step up from, for methods whose `estimate` looks back."""
        return {}

    @property
    def independent(self) -> Structure:
        """The structure of items that have nothing to do with each other."""
        return ClassShares(self.class_prior, self.class_smoothing)

    @property
    def states_per_class(self) -> int:
        """Hidden states of each class: 1, unless a class has sub-types; class k has states k n ... k n + n - 1."""
        return 1

    @property
    def load(self) -> int:
        return self.states_per_class

    def split(self, posterior: Array, run: int, key: Array) -> Array:
        """A start, (items, classes), spread over the hidden states, differently in each run; keyed by item."""
        if run:
            posterior = (posterior + 1e-3) * keyed_exponential(self._seed_of(run), key, posterior.shape[1])
            posterior /= posterior.sum(axis=1, keepdims=True)
        return posterior

    def _seed_of(self, run: int) -> int:
        return self.seed * 1_000_003 + run if run else 0

    # -- the E-step ---------------------------------------------------------------------------------------------------

    @property
    def coupling(self) -> Structure:
        """The structure that was asked for."""
        if self.structure == "independent":
            return self.independent
        return Chain() if self.structure == "chain" else Graph(self.class_prior, self.class_smoothing)

    def e_step(self, ops: NumpyEngine, params: Params, known: Known | None) -> Inferred:
        """Posterior over the hidden states, (items, states), the structure's sums, and the log-evidence."""
        log_evidence = with_known(self.log_likelihood(ops, params), self.by_state(known))
        return self.coupling.posterior(ops, log_evidence, params)

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        posterior, sums, evidence = self.e_step(ops, params, known)
        return {**self.statistics(ops, posterior), **sums}, evidence

    def posterior(self, ops: NumpyEngine, params: Params, known: Known | None) -> Array:
        """Posterior over the hidden states, (items, states)."""
        return self.e_step(ops, params, known).posterior

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        posterior = self.posterior(ops, params, known)
        if self.states_per_class == 1:
            return posterior
        return posterior.reshape(len(posterior), -1, self.states_per_class).sum(axis=2)

    def by_state(self, known: Known | None) -> Known | None:
        """What is known of an item's class, said of the hidden states."""
        return None if known is None else known.by_state(self.states_per_class)

    def class_scores(self, params: Params) -> Array:
        return self.coupling.log_shares(params)

    def scores(self, ops: NumpyEngine, params: Params) -> Array | None:
        one_sum = self.states_per_class == 1 and self.structure == "independent"
        return self.log_likelihood(ops, params) if one_sum else None

    # -- the loop -----------------------------------------------------------------------------------------------------

    def prepare(self, votes: Crowd, start: Any) -> Crowd:
        """With history, annotators who are silent today stay known for tomorrow, and so do classes."""
        votes = super().prepare(votes, start)
        if not self.history or not isinstance(start, Result):
            return votes
        votes = votes.with_names(classes=start.classes)
        new = votes.classes[find(votes.classes, start.classes) < 0]
        return votes.with_classes([*start.classes.tolist(), *new.tolist()])

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if self.structure == "graph" and self.strength is None:
            return replace(self, strength=strength_of(self, ops, known)).solve(ops, known, start, callback)
        if self.structure == "graph" and start is None:  # links join classes that are not told apart yet
            start = replace(self, structure="independent", strength=None).solve(ops, known, None, callback).found
        start = self.first if start is None else start
        if isinstance(start, str) and start not in VOTED:
            if METHODS[start].takes != "classes":
                raise InputError(f"start={start!r}: {start} takes {METHODS[start].takes}, and these votes are classes")
            start = get(start)(seed=self.seed).solve(ops, known, None, None).found
        return super().solve(ops, known, start, callback)

    def solve_parts(
        self, parts: Sequence[Part[NumpyEngine]], start: Any = None, callback: Callback | None = None
    ) -> Solution[Array]:
        if len(parts) > 1 and self.structure != "independent":
            raise InputError(f"structure={self.structure!r} needs all votes at once: a part may cut a chain")
        return super().solve_parts(parts, start, callback)

    def begin(self, ops: NumpyEngine) -> Params:
        strength = {"strength": np.array([float(self.strength or 0.0)])} if self.structure == "graph" else {}
        return self.initial(ops.n_annotators, ops.n_classes) | strength

    def names_of(self, ops: NumpyEngine) -> Names:
        return Names(ops.crowd.annotators, ops.crowd.classes)

    def annotator_weight(self, ops: NumpyEngine) -> Array:
        return ops.crowd.annotator_weight()

    def joined(self, found: Sequence[Array]) -> Array:
        return found[0] if len(found) == 1 else np.concatenate(found)

    def maximise(self, sums: Params, params: Params) -> Params:
        return {**self.estimate(sums, params), **self.coupling.estimate(sums, params)}

    def objective(self, evidence: float, params: Params, past: Params) -> float:
        value = evidence + self.log_prior(params) + self.coupling.log_prior(params)
        return value + self.log_sums(past, params) + self.coupling.log_sums(past, params) if past else value

    # -- starts -------------------------------------------------------------------------------------------------------

    def continues(self, start: Any) -> bool:
        if not super().continues(start):
            return False
        before: EM = start.method
        return before.states_per_class == self.states_per_class and before.structure == self.structure

    def first_sums(self, parts: Sequence[Part[NumpyEngine]], start: Any, run: int) -> Params:
        start = self.first if start is None else start
        if len(parts) > 1 and not isinstance(start, Result) and not (isinstance(start, str) and start in VOTED):
            raise InputError(f"start={start!r} needs all votes at once: start from soft or hard votes, or a result")
        given = sum((part.ops.given.sum(axis=0) for part in parts), np.zeros(1))
        return added(self._first_part(part, given, start, run) for part in parts)

    def _first_part(self, part: Part[NumpyEngine], given: Array, start: Any, run: int) -> Params:
        shares = part.ops.vote_shares(given)
        if isinstance(start, str):
            posterior = shared(np.asarray(shares)) if start == "hard" else shares
        elif isinstance(start, Result):
            posterior = start.posterior_of(part.ops.crowd, np.asarray(shares))
        else:
            posterior = distributions("start", part.ops.crowd, start)
        posterior = self.split(posterior, run, part.ops.crowd.item_hash)
        known = self.by_state(part.known)
        posterior = posterior if known is None else known.obeyed(np.asarray(posterior))
        return {**self.statistics(part.ops, posterior), **self.coupling.sums(part.ops, posterior)}
