"""Group-aware Dawid-Skene: groups of annotators who see the class through one hidden opinion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....errors import how_many
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known
from .grouped import Grouped
from .grouped_em import GroupedEM

OPINION = (1.0, 2.0)  # pseudo-votes of a group's opinion: everywhere, and besides for the true class
TRIED = tuple(range(2, 11))  # numbers of groups
SHORT = 40  # steps in which a number of groups is judged


@dataclass(frozen=True, kw_only=True)
class GroupDawidSkene(GroupedEM):
    r"""Dawid-Skene for annotators in groups: a group has a hidden opinion, and its members vote on that.

    Item :math:`i` has class :math:`y_i \sim \pi`; group :math:`g` holds it for :math:`z_{ig} \sim \Xi_g[y_i]`; its
    members see nothing else of the class: they vote as in `DawidSkene`, given the opinion. Annotators of no group vote
    given the class.

    .. math::
        q_i(y) \propto \pi_y \prod_{j \text{ alone}} A_j[y, l_{ij}]
        \prod_g \sum_z \Xi_g[y, z] \prod_{j \in g} A_j[z, l_{ij}]

    by EM over classes and opinions. A group is one witness, as good as its opinion, however many its members are.
    Without groups it is `DawidSkene`. O(votes x classes + items x groups x classes^2) a step. Use it where annotators
    share a source, a training set or, as judges of one family of models, failures; where they copy each other to the
    letter, see `FollowDawidSkene`.

    by: a column of the annotators that names the group of each ("family"). Without it, groups: how many, by second
    moments (`crowdwise.moments.spectral_groups`), or 0: none, or two to ten, whichever has the highest evidence after
    a short fit, less :math:`\frac{1}{2} K (K - 1) \log N` for each opinion. Where there are two sides only, either may
    be the group and the other the independent annotators; the side whose members agree more is taken for the group.
    smoothing, right: as in `DawidSkene`. The other parameters are those of every EM.

    Reference: Traganitis & Giannakis, Asilomar 2022 (the model); Jaffe, Fetaya, Nadler, Jiang & Kluger, AISTATS 2016
    (the groups).

    >>> from crowdwise import GroupDawidSkene, simulate
    >>> people = simulate.one_coin(6, 2, 0.75) + simulate.correlated_group(5, 2, accuracy=0.6, follow=0.9)
    >>> made = simulate.crowd(people, n_items=1000, graph="dense", seed=0)
    >>> GroupDawidSkene().fit(made.crowd).params["group"].tolist()
    [-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0]
    """

    name: ClassVar[str] = "group-dawid-skene"
    structures: ClassVar[tuple[str, ...]] = ("independent",)
    params: ClassVar[Mapping[str, Axes]] = {
        **GroupedEM.params,
        "member_counts": Axes(("member", "true", "given"), "positive"),
    }

    def opinions(self, votes: Grouped, params: Params) -> tuple[Array, Array]:
        said = votes.scores(np.log(params["own_confusion"][votes.members]))  # of each opinion
        log_both = np.log(params["opinion"])[votes.of] + said[:, None, :]
        return np.logaddexp.reduce(log_both, axis=2), log_both

    def member_counts(self, votes: Grouped, both: Array) -> Array:
        return votes.counts(both.sum(axis=1))

    def estimate(self, statistics: Params, params: Params) -> Params:
        own = statistics["counts"] + self.pseudo(statistics["counts"].shape[1])
        own[statistics["members"]] += statistics["member_counts"]
        opinion = statistics["opinion_counts"] + _opinion_votes(own.shape[1])
        return {
            "own_confusion": own / own.sum(axis=2, keepdims=True),
            "opinion": opinion / opinion.sum(axis=2, keepdims=True),
        }

    def log_prior(self, params: Params) -> float:
        n = params["prior"].size
        own = float((self.pseudo(n) * np.log(params["own_confusion"])).sum())
        return own + float((_opinion_votes(n) * np.log(params["opinion"])).sum())

    def overall(self, params: Params, group: Array) -> Params:
        itself = np.eye(params["prior"].size)[None]  # the "opinion" of those who are alone
        return {"confusion": np.concatenate([params["opinion"], itself])[group] @ params["own_confusion"]}

    def groups_in(self, ops: NumpyEngine, known: Known | None) -> tuple[Array, tuple[str, ...]]:
        if self.by or self.groups:
            return super().groups_in(ops, known)
        from ..moments.spectral_groups import spectral_partitions, tighter_side

        alone = np.full(ops.n_annotators, -1)
        found = [alone, *spectral_partitions(ops.crowd, TRIED, seed=self.seed)]
        sides = [tighter_side(ops.crowd, group) for group in found]
        different = {group.tobytes(): group for group in sides}.values()
        group = max((one for one in different if _is_told(one)), key=lambda one: self._worth(ops, one, known))
        several = int(group.max()) + 1
        said = f"{int((group >= 0).sum())} annotators in {how_many(several, 'groups')} share opinions"
        one_side = "; one side could be the group as well as the other: the one that agrees more was taken"
        return group, ((said + (one_side if several == 1 else ""),) if several else ())

    def _worth(self, ops: NumpyEngine, group: Array, known: Known | None) -> float:
        """What speaks for groups: how likely they make the votes, less what their opinions cost."""
        brief = replace(self, max_iter=SHORT, tol=1e-5)
        solution = brief.solve_groups(ops, group, known, None, None)
        evidence = brief.sweep(ops, solution.params, known)[1]
        n = ops.n_classes
        return float(evidence) - 0.5 * (int(group.max()) + 1) * n * (n - 1) * float(np.log(max(ops.n_items, 2)))

    @property
    def load(self) -> int:
        return 4

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 2 * n_items * (n_classes + n_classes**2) + 3 * n_annotators * n_classes**2


def _opinion_votes(n_classes: int) -> Array:
    return OPINION[0] + OPINION[1] * np.eye(n_classes)


def _is_told(group: Array) -> bool:
    """Whether the class can be told from the opinions: that takes three witnesses, or no groups."""
    several = int(group.max()) + 1
    return several == 0 or several + int((group < 0).sum()) >= 3
