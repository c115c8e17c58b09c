"""GroupVote: a majority within each group of annotators, then among groups and those who are alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine import NumpyEngine
from ....fit.method import Callback, Solution
from ....fit.options import Natural
from ....fit.params import Params
from ....votes.codes import Array
from ....votes.known import Known
from ..votes.majority_vote import MajorityVote
from .grouped import Grouped, groups_of, refuse_weights


@dataclass(frozen=True, kw_only=True)
class GroupVote(MajorityVote):
    r"""The class that most groups name, a group naming what most of its members do; shares as posterior.

    .. math:: q_i(k) \propto \sum_g \operatorname{top}_k \Big( \sum_{j \in g} w_{ij} 1[l_{ij} = k] \Big)

    where top is 1 for the class most named, parts of 1 for classes that tie, and annotators of no group are one each.
    O(votes + items x classes), and what finding groups costs. `MajorityVote(weights="groups")` divides a group's vote
    among its members instead.

    by, groups: as in `GroupDawidSkene`. ties: as in `MajorityVote`.

    Reference: Traganitis & Giannakis, Asilomar 2022 (group-aware majority vote).

    >>> from crowdwise import Crowd, GroupVote
    >>> said = {"ann": "cat", "bob": "cat", "cy": "dog", "dee": "dog", "eve": "dog"}
    >>> people = {"item": [1] * 5, "annotator": list(said), "label": list(said.values())}
    >>> crowd = Crowd.from_columns(**people, annotator_extra={"office": ["a", "b", "c", "c", "c"]})
    >>> GroupVote(by="office").fit(crowd).labels.tolist()
    ['cat']
    """

    name: ClassVar[str] = "group-vote"
    by: str = ""
    groups: Natural = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_weights(self.name, self.weights)

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        group = groups_of(ops, self.by, self.groups, known, self.seed)
        ops.kept[self] = Grouped(ops, group)
        solution = super().solve(ops, known, start, callback)
        return solution._replace(params={**solution.params, "group": group})

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        votes: Grouped = ops.kept.get(self) or Grouped(ops, params["group"])
        return votes.votes(ops)
