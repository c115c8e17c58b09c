"""Auto: a committee of different models on votes weighted for dependence; no truth and no choice needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ...engine import NumpyEngine
from ...errors import InputError
from ...fit.aggregator import Aggregator
from ...fit.method import Callback, Solution, Watch
from ...fit.options import AnyNumber
from ...fit.params import Params
from ...votes.codes import Array
from ...votes.known import Known
from ...votes.ties import shared
from .. import make

COMMITTEE = ("ibcc", "mace", "community-bcc", "confusion-vector", "crh")
RICHER = "ebcc"


@dataclass(frozen=True, kw_only=True)
class Auto(Aggregator):
    r"""A committee of five different models, on votes shared among annotators who err together. The default.

    1. Annotators whose errors go together form groups, and a group's votes on an item count as one
       (`crowdwise.dependence`): the largest lever there is, and what copies and doubled accounts are caught by.
    2. Confusion rows (`IBCC`), spammers (`MACE`), communities of annotators (`CommunityBCC`), accuracies by class
       (`ConfusionVector`) and a robust weighted vote (`CRH`) are fitted to these votes. No score that can be had
       without truth tells which of them is right here, so they vote: each gives half of its say by its label and half
       by its posterior,

       .. math:: q_i(k) = \frac{1}{2 M} \sum_m \left(q_i^m(k) + 1[k = \arg\max q_i^m]\right)

    3. Where items of one class fall into kinds, `EBCC` is right and the five are not; it alone decides where its
       evidence lower bound is above that of `IBCC` less `gate` nats an item.

    `Result.notes` says what was found and who decided. Seven fits: some ten times the cost of `DawidSkene`. Use it
    where you do not know which method to use; take a single model where you need its parameters.

    gate: nats an item; a large negative number leaves `EBCC` out.

    Reference: crowdwise; the evidence gate and the vote follow trials on 25 sets (docs: how Auto was chosen).

    >>> from crowdwise import Auto, simulate
    >>> made = simulate.crowd(simulate.dirichlet(20, 3, seed=1), n_items=300, per_item=6, seed=0)
    >>> result = Auto().fit(made.crowd)
    >>> result.notes[0]
    'no annotators were found to err together'
    >>> bool((result.labels == made.truth).mean() > 0.85)
    True
    """

    name: ClassVar[str] = "auto"
    unit: ClassVar[str] = "log-odds"
    weights: Literal["given", "groups"] = "groups"
    gate: AnyNumber = 0.03

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError("auto fits several methods, each from its own start: leave start out")
        watch = Watch(callback)
        fitted: dict[str, Solution[Array]] = {}
        for name in (*COMMITTEE, RICHER):
            if make(name).fits(ops.crowd) and not watch.stopped:
                fitted[name] = make(name, seed=self.seed).solve(ops, known, None, watch)
        deciding, notes = self._deciding(ops, fitted)
        params = {f"{name}.{key}": value for name in deciding for key, value in fitted[name].params.items()}
        converged = all(solution.converged for solution in fitted.values()) and not watch.stopped
        return Solution(self.infer(ops, params, known), params, {}, converged=converged, notes=notes)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        posteriors = [make(name).infer(ops, own, known) for name, own in _by_member(params).items()]
        if len(posteriors) == 1:
            return posteriors[0]
        return sum((posterior + shared(posterior) for posterior in posteriors), np.zeros(1)) / (2.0 * len(posteriors))

    @property
    def load(self) -> int:
        return 10

    def _deciding(
        self, ops: NumpyEngine, fitted: Mapping[str, Solution[Array]]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Who decides, and why."""
        committee = tuple(name for name in COMMITTEE if name in fitted)
        notes = []
        if missing := [name for name in (*COMMITTEE, RICHER) if name not in fitted]:
            notes.append(f"{', '.join(missing)} left out: no memory for so many classes, or stopped early")
        if "ibcc" in fitted and RICHER in fitted:
            ahead = (fitted[RICHER].trace[-1] - fitted["ibcc"].trace[-1]) / ops.n_items
            side = "above" if ahead > 0.0 else "below"
            notes.append(f"{RICHER}'s evidence is {abs(ahead):.3f} nats an item {side} that of ibcc")
            if ahead > -self.gate:
                return (RICHER,), (*notes, f"items of a class come in kinds: {RICHER} decides")
        labels = np.array([fitted[name].found.argmax(axis=1) for name in committee])
        united = float((labels == labels[0]).all(axis=0).mean())
        return committee, (*notes, f"{', '.join(committee)} vote, and agree on {united:.1%} of the items")


def _by_member(params: Params) -> dict[str, Params]:
    """Parameters of each member, in the order in which they were kept: "ibcc.confusion" is ibcc's confusion."""
    members: dict[str, Params] = {}
    for name, value in params.items():
        member, dot, own = name.partition(".")
        if dot:
            members.setdefault(member, {})[own] = value
    return members
