"""Aggregator: the contract of every method for classes."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ..engine import NumpyEngine, bind, suited
from ..engine.choice import first_of_tied
from ..engine.memory import available_memory
from ..errors import DataWarning, TooLarge, how_many
from ..votes.codes import Array, shown
from ..votes.crowd import Crowd
from ..votes.frames import as_table, find_column, library_of
from ..votes.gold import known_classes
from ..votes.known import Known
from .dependence import groups_of, share_votes
from .estimates import Classes
from .method import Callback, Method, Solution, Weighed
from .options import require_known
from .params import Axes, Params
from .result import Result

FEW_FLOATS = 8_000_000  # numbers that a method may keep however few the votes
FLOATS_PER_VOTE = 100


@dataclass(frozen=True, kw_only=True)
class Aggregator(Method[NumpyEngine, Array]):
    """A method for votes that name classes: it gives a distribution over classes for each item.

    weights: "given", those of the crowd, or "groups": annotators who err together share one vote on an item
    (`crowdwise.dependence`).
    """

    takes: ClassVar[type[Crowd]] = Crowd
    gives: ClassVar[type[Classes]] = Classes
    unit: ClassVar[str] = "votes"
    """What `scores` are: votes, log-odds ..."""
    params: ClassVar[Mapping[str, Axes]] = {"group": Axes(("annotator",), "code")}

    weights: Literal["given", "groups"] = "given"

    # -- what belongs to classes --------------------------------------------------------------------------------------

    def as_votes(self, votes: Any, **columns: Any) -> Crowd:
        """Also from a wide frame, a path or several: whatever `crowdwise.io.read_votes` reads."""
        if isinstance(votes, str | Path | list | tuple) or (library_of(votes) and not _is_long(votes, columns)):
            from ..io import read_votes

            require_known(f"{self.name}, reading votes,", read_votes, columns)
            return read_votes(votes, **columns).crowd
        crowd: Crowd = super().as_votes(votes, **columns)
        return crowd

    def votes_like(self, votes: Any, result: Result) -> Crowd:
        crowd: Crowd = self.as_votes(votes)
        return crowd.with_classes(result.classes)

    def look_at(self, votes: Crowd) -> None:
        if votes.n_classes == 1:
            text = f"every vote says {shown(votes.classes[0])}: there is only one class"
            warnings.warn(text, DataWarning, stacklevel=3)
        self.require_memory(votes)

    def known(self, votes: Crowd, gold: Any, item_prior: Any) -> Known | None:
        return known_classes(votes, gold, item_prior)

    def weigh_votes(self, votes: Crowd, known: Known | None, engine: str) -> Weighed:
        if self.weights != "groups":
            return Weighed(votes, {})
        ops = bind(votes.counted(), engine)
        group = groups_of(ops, known)
        shared = share_votes(votes, group)
        as_it_is = shared is ops.crowd and suited(votes, engine) == suited(votes, engine, self.load)
        kept = ops if as_it_is else None
        return Weighed(shared, {"group": group}, (_about_groups(votes, group),), kept)

    def reweigh_votes(self, votes: Crowd, params: Params) -> Crowd:
        return share_votes(votes, params["group"]) if self.weights == "groups" else votes

    def bind(self, votes: Crowd, engine: str) -> NumpyEngine:
        return bind(votes, engine, self.load)

    def votes_given(self, ops: NumpyEngine, votes: Crowd) -> Array:
        return votes.annotator_weight() if votes.weight is not None else ops.given.sum(axis=1)

    def as_estimate(self, found: Array, votes: Crowd) -> Classes:
        return Classes(found, votes.classes, self.decide(found, votes))

    # -- what a method says -------------------------------------------------------------------------------------------

    @abstractmethod
    def solve(
        self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None
    ) -> Solution[Array]: ...

    @abstractmethod
    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array: ...

    def scores(self, ops: NumpyEngine, params: Params) -> Array | None:
        """What the votes on an item say for each class, (items, classes): a sum over its votes. None: no such sum."""
        return None

    def class_scores(self, params: Params) -> Array:
        """What is said for each class, in the unit of `scores`, before a vote is seen."""
        return np.log(params["prior"]) if self.unit == "log-odds" and "prior" in params else np.zeros(1)

    def decide(self, posterior: Array, votes: Crowd) -> Array:
        """The label of each item, as a code."""
        return first_of_tied(posterior)

    # -- memory -------------------------------------------------------------------------------------------------------

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        """How many numbers the method holds at once, roughly."""
        return 2 * n_items * n_classes + 2 * n_annotators * n_classes

    def fits(self, crowd: Crowd, share: float = 1.0) -> bool:
        """Whether a share of the memory at hand is enough for a crowd of this size."""
        return self.bytes_needed(crowd) <= share * available_memory()

    def affordable(self, crowd: Crowd, share: float = 1.0) -> bool:
        """Whether it fits, and keeps no more numbers than votes can say something about: with a thousand classes,
        confusion matrices take minutes and say nothing."""
        most = max(FEW_FLOATS, FLOATS_PER_VOTE * crowd.n_votes)
        return self.fits(crowd, share) and self.bytes_needed(crowd) <= 8 * most

    def bytes_needed(self, crowd: Crowd) -> int:
        """How much memory the method takes for a crowd, roughly."""
        return 8 * self.floats_needed(crowd.n_items, crowd.n_annotators, crowd.n_classes)

    def require_memory(self, crowd: Crowd) -> None:
        """Refuse a crowd that does not fit, before anything is begun."""
        needed, there = self.bytes_needed(crowd), available_memory()
        if needed > there:
            sizes = f"{how_many(crowd.n_items, 'items')}, {how_many(crowd.n_annotators, 'annotators')}"
            raise TooLarge(
                f"{self.name} would need {needed / 2**30:,.1f} GiB for {sizes} and "
                f"{how_many(crowd.n_classes, 'classes')}, and {there / 2**30:,.1f} are at hand: "
                "take a method that keeps less, such as one-coin in place of confusion matrices, or merge classes"
                + (", or make core smaller" if hasattr(self, "core") else "")
            )


def _is_long(frame: Any, columns: Mapping[str, Any]) -> bool:
    """Whether a frame has one row per vote."""
    names = as_table(frame).columns
    return all(find_column(role, names, columns.get(role)) for role in ("item", "annotator", "label"))


def _about_groups(crowd: Crowd, group: Array) -> str:
    size = np.bincount(group + 1)[1:]
    if not size.size:
        return "no annotators were found to err together"
    largest = np.flatnonzero(group == size.argmax())
    names = ", ".join(shown(name) for name in crowd.annotators[largest[:5]]) + (" ..." if largest.size > 5 else "")
    return (
        f"{size.sum()} annotators err together, in {how_many(size.size, 'groups')} (the largest: {names}): a group's "
        "votes on an item share the weight of one"
    )
