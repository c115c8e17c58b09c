"""Dawid-Skene for annotators who repeat what their group holds, or vote on their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.params import Axes, Params
from ....votes.codes import Array
from .grouped import Grouped
from .grouped_em import GroupedEM

ONCE = 1.0  # pseudo-votes in which a member repeats the group's opinion, and as many in which they do not


@dataclass(frozen=True, kw_only=True)
class FollowDawidSkene(GroupedEM):
    r"""Dawid-Skene for annotators in groups: a member repeats the group's opinion, or votes on their own.

    Item :math:`i` has class :math:`y_i \sim \pi`; group :math:`g` holds it for :math:`z_{ig} \sim \Xi_g[y_i]`; its
    member :math:`j` says what the group holds with probability :math:`f_j`, and otherwise votes as in `DawidSkene`:

    .. math::
        P(l \mid y, z) = f_j 1[l = z] + (1 - f_j) A_j[y, l], \qquad
        q_i(y) \propto \pi_y \prod_g \sum_z \Xi_g[y, z] \prod_{j \in g} P(l_{ij} \mid y, z)

    by EM over class, opinion and whose word it is. Members who say little of their own are one witness together, as
    good as their opinion, however many they are. Annotators of no group are those of `DawidSkene`, and so is the
    method where there are no groups. O(votes x classes^2) a step for groups. Use it where annotators copy each other or
    a source; where members see a shared opinion through errors of their own, `GroupDawidSkene` is the model.

    by: a column of the annotators that names the group of each ("family"). Without it, groups: how many, by second
    moments (`crowdwise.moments.spectral_groups`), or 0: those who err together after a first fit, however many
    (`crowdwise.dependence.find_groups`). smoothing, right: as in `DawidSkene`, for members and for groups. The other
    parameters are those of every EM.

    Reference: crowdwise; after Traganitis & Giannakis, Asilomar 2022, whose members see the opinion only
    (`GroupDawidSkene`).

    >>> from crowdwise import FollowDawidSkene, simulate
    >>> people = simulate.one_coin(6, 2, 0.75) + simulate.correlated_group(5, 2, accuracy=0.6, follow=0.9)
    >>> made = simulate.crowd(people, n_items=1000, graph="dense", seed=0)
    >>> result = FollowDawidSkene().fit(made.crowd)
    >>> result.params["group"].tolist(), result.params["follow"].round(1).tolist()[6:]
    ([-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0], [0.9, 0.9, 0.9, 0.9, 0.9])
    """

    name: ClassVar[str] = "follow-dawid-skene"
    structures: ClassVar[tuple[str, ...]] = ("independent", "graph")
    params: ClassVar[Mapping[str, Axes]] = {
        **GroupedEM.params,
        "follow": Axes(("annotator",), "unit"),
        "member_counts": Axes(("member", "true", "given", "given"), "positive"),
    }

    def opinions(self, votes: Grouped, params: Params) -> tuple[Array, Array]:
        chance = _chance(params, votes.members)
        n = chance.shape[1]
        said = votes.scores(np.log(chance).reshape(len(chance), n * n, n)).reshape(-1, n, n)
        log_both = np.log(params["opinion"])[votes.of] + said
        return np.logaddexp.reduce(log_both, axis=2), log_both

    def member_counts(self, votes: Grouped, both: Array) -> Array:
        n = both.shape[1]
        return votes.counts(both.reshape(-1, n * n)).reshape(-1, n, n, n)

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        return {
            "follow": np.full(n_annotators, 0.5),
            "own_confusion": np.full((n_annotators, n_classes, n_classes), 0.5),
        }

    def estimate(self, statistics: Params, params: Params) -> Params:
        members, said = statistics["members"], statistics["member_counts"]  # (members, true, opinion, given)
        pseudo = self.pseudo(said.shape[1])
        same = np.einsum("jkll->jkl", said)
        word = params["follow"][members][:, None, None] / np.einsum("jkll->jkl", _chance(params, members))
        repeated = same * word  # how often a label that is the opinion was the opinion's word
        own = statistics["counts"] + pseudo
        own[members] += said.sum(axis=2) - repeated
        follow = params["follow"].copy()
        follow[members] = (repeated.sum(axis=(1, 2)) + ONCE) / (said.sum(axis=(1, 2, 3)) + 2.0 * ONCE)
        opinion = statistics["opinion_counts"] + pseudo
        return {
            "follow": follow,
            "own_confusion": own / own.sum(axis=2, keepdims=True),
            "opinion": opinion / opinion.sum(axis=2, keepdims=True),
        }

    def log_prior(self, params: Params) -> float:
        pseudo, follow = self.pseudo(params["prior"].size), params["follow"]
        rows = sum(float((pseudo * np.log(params[name])).sum()) for name in ("own_confusion", "opinion"))
        return rows + ONCE * float((np.log(follow) + np.log1p(-follow)).sum())

    def overall(self, params: Params, group: Array) -> Params:
        follow = np.where(group >= 0, params["follow"], 0.0)
        opinion = np.concatenate([params["opinion"], params["own_confusion"][:1]])[group]  # -1: any, it is not followed
        repeated = follow[:, None, None]
        return {"follow": follow, "confusion": repeated * opinion + (1.0 - repeated) * params["own_confusion"]}

    @property
    def load(self) -> int:
        return 16  # every class with every opinion

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 2 * n_items * (n_classes + n_classes**2) + 4 * n_annotators * n_classes**2


def _chance(params: Params, members: Array) -> Array:
    """P(l | y, z) of each member, (members, true, opinion, given)."""
    follow = params["follow"][members][:, None, None, None]
    own = params["own_confusion"][members]
    return np.asarray(follow * np.eye(own.shape[2]) + (1.0 - follow) * own[:, :, None])
