"""Dawid-Skene whose annotators may treat items otherwise by an attribute of the item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ....engine import NumpyEngine
from ....fit.em import EM
from ....fit.options import NonNegative
from ....fit.params import Axes, Params
from ....fit.structure import Structure
from ....votes.attributes import groups_of_items
from ....votes.codes import Array
from .group_shares import GroupShares

TINY = 1e-9  # votes: no row is empty


@dataclass(frozen=True, kw_only=True)
class AttributeDawidSkene(EM):
    r"""A confusion matrix for each annotator and each group of items, drawn to the annotator's own over all items.

    Item :math:`i` belongs to group :math:`z_i`, by its race or its source, say; annotator :math:`j` says l of class k
    with chance :math:`A_{jz}[k, l]` there. With expected counts n and pseudo-counts as in `DawidSkene`,

    .. math::
        A_{jz}[k] \propto n_{jz}[k] + c \, M_{jz}[k], \qquad
        M_{jz}[k, l] \propto A_j[k, l] \left(\frac{B_z[k, l]}{B[k, l]}\right)^{[\text{shift}]}

    :math:`A_j` being the annotator's matrix over all groups, :math:`B_z` and :math:`B` those of the crowd. c without
    end is `DawidSkene`, and so is a single group. Rows are drawn to what moves with every step, so that the objective
    may fall a little near the end. A bias that all annotators share looks like a difference of the groups' base rates,
    and no votes can tell the two apart: without gold, the classes have the same shares in all groups (`shares`).

    by: a column of the items; without one, all items are one group. pool: c, votes. pooling: "shift", to the annotator
    moved by what the group does to all, or "own". shares: of the classes, "one", or "own", for each group.
    smoothing, right: as in `DawidSkene`. The other parameters are those of every EM. O(votes x classes) a step. Test
    first (`crowdwise.fairness.biased_annotators`), and use it if the test speaks.

    Reference: crowdwise; annotators' bias by a protected attribute: Guo et al., AAAI 2023.

    >>> from crowdwise import AttributeDawidSkene, Crowd
    >>> crowd = Crowd.from_columns(["i", "i", "k"], ["a", "b", "a"], [0, 1, 1], item_extra={"site": ["x", "x", "y"]})
    >>> AttributeDawidSkene(by="site").fit(crowd).params["by_group"].shape
    (2, 2, 2, 2)
    """

    name: ClassVar[str] = "attribute-dawid-skene"
    by_items: ClassVar[bool] = True
    """`by` names a column of the items, where other methods' names one of the annotators."""
    whole: ClassVar[str] = "what a group does to all annotators is counted over all items"
    params: ClassVar[Mapping[str, Axes]] = {
        **EM.params,
        "by_group": Axes(("annotator", "group", "true", "given"), "simplex"),
        "group_shares": Axes(("group", "true"), "simplex"),
        "groups": Axes(("group",), "code"),
        "group_counts": Axes(("annotator", "group", "true", "given"), "positive"),
        "group_states": Axes(("group", "true"), "positive"),
    }
    by: str = ""
    pool: NonNegative = 30.0
    pooling: Literal["shift", "own"] = "shift"
    shares: Literal["one", "own"] = "one"
    smoothing: float = 0.01
    right: NonNegative = 0.2

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        places = self._places(ops, params)
        table = np.log(params["by_group"])[:, places]
        return self._split(ops).item_scores(table.reshape(-1, *table.shape[2:]))

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        counts = self._split(ops).confusion_counts(posterior)
        return {"group_counts": counts.reshape(ops.n_annotators, -1, *counts.shape[1:])}

    def estimate(self, statistics: Params, params: Params) -> Params:
        n = statistics["group_counts"]
        own = n.sum(axis=1) + self._pseudo(n.shape[3])
        own /= own.sum(axis=2, keepdims=True)
        if n.shape[1] == 1:
            return {"confusion": own, "by_group": own[:, None]}
        toward = np.broadcast_to(own[:, None], n.shape)
        if self.pooling == "shift":
            everybody = n.sum(axis=0) + 1.0
            of_all = everybody.sum(axis=0)
            moved = everybody / everybody.sum(axis=2, keepdims=True) / (of_all / of_all.sum(axis=1, keepdims=True))
            toward = toward * moved
            toward = toward / toward.sum(axis=3, keepdims=True)
        rows = n + self.pool * toward + TINY
        return {"confusion": own, "by_group": rows / rows.sum(axis=3, keepdims=True)}

    def log_prior(self, params: Params) -> float:
        return float((self._pseudo(params["confusion"].shape[2]) * np.log(params["confusion"])).sum())

    def log_sums(self, statistics: Params, params: Params) -> float:
        return float((statistics["group_counts"] * np.log(params["by_group"])).sum())

    @property
    def independent(self) -> Structure:
        if self.shares == "one":
            return super().independent
        return GroupShares(self.by, self.class_prior, self.class_smoothing)

    def maximise(self, sums: Params, params: Params) -> Params:
        return {**super().maximise(sums, params), "groups": params["groups"]}

    def begin(self, ops: NumpyEngine) -> Params:
        return {**super().begin(ops), "groups": groups_of_items(ops.crowd, self.by).hashes}

    def class_scores(self, params: Params) -> Array:
        return np.log(params["prior"])

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 3 * n_items * n_classes + 6 * n_annotators * n_classes**2

    @property
    def load(self) -> int:
        return 3

    def _pseudo(self, n_classes: int) -> Array:
        return self.smoothing + self.right * np.eye(n_classes)

    def _places(self, ops: NumpyEngine, params: Params) -> Array:
        """Where the groups of these votes stand among those that were fitted."""
        return groups_of_items(ops.crowd, self.by).among(params["groups"])

    def _split(self, ops: NumpyEngine) -> NumpyEngine:
        """The same votes, an annotator being another one in each group."""
        key: Any = (type(self), self.by)
        if key not in ops.kept:
            groups = groups_of_items(ops.crowd, self.by)
            who = ops.crowd.annotator.astype(np.int64) * groups.names.size + groups.code[ops.crowd.item]
            people = np.arange(ops.n_annotators * groups.names.size)
            ops.kept[key] = ops.over(ops.crowd.derive(annotator=who, annotators=people))
        split: NumpyEngine = ops.kept[key]
        return split
