"""Group-aware Dawid-Skene: groups of annotators who share an opinion, and annotators who do not."""

from __future__ import annotations

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

ONCE = 1.0  # pseudo-votes in which a member repeats the group's opinion, and as many in which they do not


@dataclass(frozen=True, kw_only=True)
class GroupDawidSkene(EM):
    r"""Dawid-Skene for annotators in groups: a member repeats the group's opinion, or votes on their own.

    Item :math:`i` has class :math:`y_i \sim \pi`; group :math:`g` holds it for :math:`z_{ig} \sim \Xi_g[y_i]`; its
    member :math:`j` says what the group holds with probability :math:`f_j`, and otherwise votes as in `DawidSkene`:

    .. math::
        P(l \mid y, z) = f_j 1[l = z] + (1 - f_j) A_j[y, l], \qquad
        q_i(y) \propto \pi_y \prod_g \sum_z \Xi_g[y, z] \prod_{j \in g} P(l_{ij} \mid y, z)

    by EM over class, opinion and whose word it is. Members who say little of their own are one witness together, as
    good as their opinion, however many they are. Annotators of no group are those of `DawidSkene`, and so is the
    method where there are no groups. O(votes x classes^2) a step for groups. Use it where annotators copy, share a
    source or, as judges of one family of models, share failures.

    by: a column of the annotators that names the group of each ("family"). Without it, groups: how many, by second
    moments (`crowdwise.moments.spectral_groups`), or 0: those who err together after a first fit, however many
    (`crowdwise.dependence.find_groups`). smoothing, right: as in `DawidSkene`, for members and for groups. The other
    parameters are those of every EM.

    Reference: Traganitis & Giannakis, Asilomar 2022, and Jaffe, Fetaya, Nadler, Jiang & Kluger, AISTATS 2016, whose
    members know of the class what the group's opinion tells (:math:`A_j[y, l]` the same for all y) and who fit groups
    first and fuse them afterwards.

    >>> from crowdwise import GroupDawidSkene, simulate
    >>> people = simulate.one_coin(6, 2, 0.75) + simulate.correlated_group(5, 2, accuracy=0.6, follow=0.9)
    >>> made = simulate.crowd(people, n_items=1000, graph="dense", seed=0)
    >>> result = GroupDawidSkene().fit(made.crowd)
    >>> result.params["group"].tolist(), result.params["follow"].round(1).tolist()[6:]
    ([-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0], [0.9, 0.9, 0.9, 0.9, 0.9])
    """

    name: ClassVar[str] = "group-dawid-skene"
    whole: ClassVar[str] = "groups are found in all votes"
    params: ClassVar[Mapping[str, Axes]] = {
        "own_confusion": Axes(("annotator", "true", "given"), "simplex"),
        "follow": Axes(("annotator",), "unit"),
        "opinion": Axes(("group", "true", "given"), "simplex"),
        "opinion_counts": Axes(("group", "true", "given"), "positive"),
        "members": Axes(("member",), "code"),
        "member_counts": Axes(("member", "true", "given", "given"), "positive"),
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

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        group = groups_of(ops, self.by, self.groups, known, self.seed)
        ops.kept[self] = votes = Grouped(ops, group)
        if start is None:  # a large group is right at the vote, and stays so
            shares = votes.votes(ops)
            shares[shares.sum(axis=1) <= 0.0] = ops.given.sum(axis=0)
            start = shares / shares.sum(axis=1, keepdims=True)
        solution = super().solve(ops, known, start, callback)
        return solution._replace(params={**solution.params, "group": group, **_overall(solution.params, group)})

    # -- the E-step ---------------------------------------------------------------------------------------------------

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        votes = self._grouped(ops, params)
        return self._alone(ops, votes, params) + votes.by_item(_opinions(votes, params)[0])

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        votes = self._grouped(ops, params)
        said, log_both = _opinions(votes, params)
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
        flat = both.reshape(-1, n * n)
        return {
            "counts": ops.confusion_counts(posterior) * votes.alone[:, None, None],
            "members": votes.members,
            "member_counts": votes.counts(flat).reshape(-1, n, n, n),
            "opinion_counts": votes.by_group(flat).reshape(-1, n, n),
        }

    # -- the M-step ---------------------------------------------------------------------------------------------------

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        return {
            "follow": np.full(n_annotators, 0.5),
            "own_confusion": np.full((n_annotators, n_classes, n_classes), 0.5),
        }

    def estimate(self, statistics: Params, params: Params) -> Params:
        members, said = statistics["members"], statistics["member_counts"]  # (members, true, opinion, given)
        pseudo = self._pseudo(said.shape[1])
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
        pseudo, follow = self._pseudo(params["prior"].size), params["follow"]
        rows = sum(float((pseudo * np.log(params[name])).sum()) for name in ("own_confusion", "opinion"))
        return rows + ONCE * float((np.log(follow) + np.log1p(-follow)).sum())

    def log_sums(self, statistics: Params, params: Params) -> float:
        raise AssertionError("history is refused")

    def _pseudo(self, n_classes: int) -> Array:
        return self.smoothing + self.right * np.eye(n_classes)

    @property
    def load(self) -> int:
        return 16  # every class with every opinion

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 2 * n_items * (n_classes + n_classes**2) + 4 * n_annotators * n_classes**2

    # -- groups -------------------------------------------------------------------------------------------------------

    def continues(self, start: Any) -> bool:
        return False  # groups are found anew, and opinions are theirs

    def _grouped(self, ops: NumpyEngine, params: Params) -> Grouped:
        kept: Grouped | None = ops.kept.get(self)
        return kept or Grouped(ops, params["group"])

    def _alone(self, ops: NumpyEngine, votes: Grouped, params: Params) -> Array:
        table = np.where(votes.alone[:, None, None], np.log(params["own_confusion"]), 0.0)
        return ops.item_scores(table)


def _chance(params: Params, members: Array) -> Array:
    """P(l | y, z) of each member, (members, true, opinion, given)."""
    follow = params["follow"][members][:, None, None, None]
    own = params["own_confusion"][members]
    return np.asarray(follow * np.eye(own.shape[2]) + (1.0 - follow) * own[:, :, None])


def _overall(params: Params, group: Array) -> Params:
    """How often each annotator repeats their group's opinion, and what they say of each class, whoever's word it is."""
    follow = np.where(group >= 0, params["follow"], 0.0)
    opinion = np.concatenate([params["opinion"], params["own_confusion"][:1]])[group]  # -1: any, it is not followed
    repeated = follow[:, None, None]
    return {"follow": follow, "confusion": repeated * opinion + (1.0 - repeated) * params["own_confusion"]}


def _opinions(votes: Grouped, params: Params) -> tuple[Array, Array]:
    """Log chance of a cell's votes given the class, (cells, true), and with the opinion, (cells, true, opinion)."""
    chance = _chance(params, votes.members)
    n = chance.shape[1]
    said = votes.scores(np.log(chance).reshape(len(chance), n * n, n)).reshape(-1, n, n)
    log_both = np.log(params["opinion"])[votes.of] + said
    top = log_both.max(axis=2, keepdims=True)
    return (top + np.log(np.exp(log_both - top).sum(axis=2, keepdims=True)))[:, :, 0], log_both
