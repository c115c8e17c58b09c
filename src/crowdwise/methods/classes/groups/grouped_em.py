"""GroupedEM: what Dawid and Skene's models of annotators in groups share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine, normalise
from ....errors import InputError
from ....fit.em import EM
from ....fit.method import Callback, Solution
from ....fit.options import Natural, NonNegative
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known, with_known
from .grouped import Grouped, groups_of, refuse_weights


@dataclass(frozen=True, kw_only=True)
class GroupedEM(EM):
    """EM over the class of each item and, for each group that voted on it, the group's hidden opinion.

    A method says `opinions`, `member_counts`, `estimate`, `log_prior` and `overall`. Members' matrices and those of
    annotators who are alone are one array, `own_confusion`.
    """

    whole: ClassVar[str] = "groups are found in all votes"
    params: ClassVar[Mapping[str, Axes]] = {
        "own_confusion": Axes(("annotator", "true", "given"), "simplex"),
        "opinion": Axes(("group", "true", "given"), "simplex"),
        "opinion_counts": Axes(("group", "true", "given"), "positive"),
        "members": Axes(("member",), "code"),
    }
    by: str = ""
    groups: Natural = 0
    smoothing: float = 0.01
    right: NonNegative = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.history:
            raise InputError(f"history={self.history}: groups are found anew in every fit, {self.name} has no history")
        refuse_weights(self.name, self.weights)

    @abstractmethod
    def opinions(self, votes: Grouped, params: Params) -> tuple[Array, Array]:
        """What each cell's votes say of the class, (cells, true), and of class and opinion, (cells, true, opinion)."""

    @abstractmethod
    def member_counts(self, votes: Grouped, both: Array) -> Array:
        """What members said, as far as their parameters need it, given P(class, opinion), (cells, true, opinion)."""

    @abstractmethod
    def overall(self, params: Params, group: Array) -> Params:
        """What each annotator says of each class in the end, and what else is told of them."""

    def groups_in(self, ops: NumpyEngine, known: Known | None) -> tuple[Array, tuple[str, ...]]:
        """The group of each annotator, -1 alone, and what there is to say of it."""
        return groups_of(ops, self.by, self.groups, known, self.seed), ()

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        group, notes = self.groups_in(ops, known)
        solution = self.solve_groups(ops, group, known, start, callback)
        params = {**solution.params, "group": group, **self.overall(solution.params, group)}
        return solution._replace(params=params, notes=solution.notes + notes)

    def solve_groups(
        self, ops: NumpyEngine, group: Array, known: Known | None, start: Any, callback: Callback | None
    ) -> Solution[Array]:
        """The fit with these groups."""
        ops.kept[self] = votes = Grouped(ops, group)
        if start is None:  # a large group is right at the vote, and stays so
            shares = votes.votes(ops)
            shares[shares.sum(axis=1) <= 0.0] = ops.given.sum(axis=0)
            start = shares / shares.sum(axis=1, keepdims=True)
        return super().solve(ops, known, start, callback)

    # -- the E-step ---------------------------------------------------------------------------------------------------

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        votes = self._grouped(ops, params)
        return self._alone(ops, votes, params) + votes.by_item(self.opinions(votes, params)[0])

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        votes = self._grouped(ops, params)
        said, log_both = self.opinions(votes, params)
        log_joint = self._alone(ops, votes, params) + votes.by_item(said) + self.independent.log_shares(params)
        posterior, evidence = normalise(with_known(log_joint, known))
        # P(y, z | votes) of a cell: the class by all votes, the opinion by the group's own, given the class
        both = posterior[votes.item][:, :, None] * np.exp(log_both - said[:, :, None])
        return {**self._counted(ops, votes, posterior, both), "states": posterior.sum(axis=0)}, evidence

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        votes = ops.kept[self]
        said = votes.ops.item_votes()
        opinion = said / np.maximum(said.sum(axis=1, keepdims=True), 1e-300)
        return self._counted(ops, votes, posterior, posterior[votes.item][:, :, None] * opinion[:, None])

    def scores(self, ops: NumpyEngine, params: Params) -> None:
        return None  # a group's opinion is no sum over votes

    def _counted(self, ops: NumpyEngine, votes: Grouped, posterior: Array, both: Array) -> Params:
        """Sums under a posterior of the classes and, cell by cell, of class and opinion, (cells, true, opinion)."""
        n = posterior.shape[1]
        return {
            "counts": ops.confusion_counts(posterior) * votes.alone[:, None, None],
            "members": votes.members,
            "member_counts": self.member_counts(votes, both),
            "opinion_counts": votes.by_group(both.reshape(-1, n * n)).reshape(-1, n, n),
        }

    def log_sums(self, statistics: Params, params: Params) -> float:
        raise AssertionError("history is refused")

    def pseudo(self, n_classes: int) -> Array:
        """Votes beforehand for each annotator, (true, given)."""
        return self.smoothing + self.right * np.eye(n_classes)

    # -- groups -------------------------------------------------------------------------------------------------------

    def continues(self, start: Any) -> bool:
        return False  # groups are found anew, and opinions are theirs

    def _grouped(self, ops: NumpyEngine, params: Params) -> Grouped:
        kept: Grouped | None = ops.kept.get(self)
        return kept or Grouped(ops, params["group"])

    def _alone(self, ops: NumpyEngine, votes: Grouped, params: Params) -> Array:
        table = np.where(votes.alone[:, None, None], np.log(params["own_confusion"]), 0.0)
        return ops.item_scores(table)
