"""Auto: a committee of different models on votes weighted for dependence; no truth and no choice needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np

from ...engine import NumpyEngine
from ...engine.choice import first_of_tied
from ...errors import InputError, how_many
from ...fit.aggregator import Aggregator
from ...fit.method import LOG, Callback, Solution, Watch, Weighed
from ...fit.options import AnyNumber
from ...fit.params import Axes, Params
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.known import Known
from ...votes.ties import shared
from .. import make
from .gold_stack import learned, stacked
from .strangers import acquaintance, population, supported

SHARE = 0.1  # of the memory, for each member: they are held side by side
FEW = 0.5  # of the items: members who agree on fewer are told to
COMMITTEE = ("ibcc", "mace", "community-bcc", "confusion-vector", "crh")
RICHER = "ebcc"
ENOUGH = 100_000  # votes, of a sample of items, in which a larger crowd is asked whether items come in kinds
LEAST = 20  # steps after which a climb that is far behind may be given up
PATIENCE = 50  # steps, like its last one, that would not bring it level


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

    3. Where items of one class fall into kinds, `EBCC` is right and the five are not; it alone decides where the
       evidence for kinds (its lower bound above that of `IBCC`) is more than `gate` nats. On which items the five
       differ from it is told: gold for some of these would decide (`params["committee"]`). A crowd of more than
       100,000 votes is asked in a sample of its items first, with two sub-types: no evidence there, no `EBCC`.
    4. Gold teaches. The committee is fitted without it, and a regression on the gold items, with a prior at that
       committee, finds what the committee and each annotator's votes are worth (`gold_stack.py`).
    5. Nobody is surer than the votes support. What a model says of annotators whom it has hardly seen counts little,
       and what strangers' votes are worth counts in its place (`strangers.py`); labels stay.

    `Result.notes` says what was found and who decided. Six fits, a search for groups and, where there
    are no more than 100,000 votes, `EBCC`: some ten times the time of `DawidSkene`, more where votes are few. Use
    it where you do not know which method to use; take a single model where you need its parameters.

    gate: nats; a very large number leaves `EBCC` out. 3, odds of 20 to 1, is what is called strong evidence.

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
    params: ClassVar[Mapping[str, Axes]] = {
        "committee": Axes(("item",), "code"),
        "evidence": Axes(("one",), "real"),
        "kept": Axes(("one",), "real"),
        "say": Axes(("one",), "real"),
        "worth": Axes(("annotator",), "real"),
        "strangers": Axes(("population",), "simplex"),
        "heard": Axes(("annotator",), "code"),  # a code, so that whoever was not there has -1, not the mean
        **Aggregator.params,
    }

    weights: Literal["given", "groups"] = "groups"
    gate: AnyNumber = 3.0

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None and not self.continues(start):
            raise InputError("auto fits several methods, each from its own start: start from a result of auto, or not")
        before = _by_member(start.params) if start is not None else {}
        watch = Watch(callback)
        gold, rest = (None, None) if known is None else (known.gold, known.but_gold)
        fitted: dict[str, Solution[Array]] = {}
        ahead = self._evidence_before(ops, start)
        asked = [*COMMITTEE, *([] if ahead is not None and ahead < self.gate else [RICHER])]
        fitting = [name for name in asked if make(name).affordable(ops.crowd, SHARE)]
        for name in fitting or [min(COMMITTEE, key=lambda name: make(name).bytes_needed(ops.crowd))]:
            if not watch.stopped:
                member = make(name, seed=self.seed)
                known_of = replace(start, method=member, params=before[name]) if name in before else None
                begin = known_of if known_of is not None and member.continues(known_of) else None
                began = perf_counter()
                done = ops.kept.get(member) if begin is None else None  # the first fit of the search for groups
                fitted[name] = done or member.solve(ops, rest, begin, watch)
                LOG.info("auto: %s, %d steps, %.2f s", name, len(fitted[name].trace), perf_counter() - began)
        params, notes = self._deciding(ops, fitted, asked)
        if RICHER not in asked:
            params["evidence"] = np.array([ahead])
        if gold is not None and gold.item.size:
            params |= learned(ops, _joint(ops, params, rest), gold)
            notes.append(_about_gold(params, gold))
        params |= {"strangers": population(ops.item_votes()), "heard": acquaintance(ops)}
        wandering = [name for name, solution in fitted.items() if not solution.converged and not watch.stopped]
        if wandering:
            notes.append(f"{', '.join(wandering)} did not settle within the steps allowed")
        converged = not watch.stopped and 2 * len(wandering) < len(fitted)
        plain = known is None  # what the deciders found is what their parameters say
        found = _voted([fitted[name].found for name in _by_member(params)]) if plain else _joint(ops, params, known)
        return Solution(_believed(ops, found, params, known), params, {}, converged=converged, notes=tuple(notes))

    def weigh_votes(self, votes: Crowd, known: Known | None, engine: str) -> Weighed:
        return super().weigh_votes(votes, None if known is None else known.but_gold, engine)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        return _believed(ops, _joint(ops, params, known), params, known)

    def continues(self, start: Any) -> bool:
        return isinstance(start, Result) and start.method.name == self.name

    @property
    def load(self) -> int:
        return 10

    def _evidence_before(self, ops: NumpyEngine, start: Result | None) -> float | None:
        """Nats for kinds of items, if they are known before the richer model is fitted: from an earlier fit of most of
        these votes that spoke clearly against them, or from a sample of a large crowd."""
        if start is not None and "evidence" in start.params and float(start.params["evidence"][0]) < -self.gate:
            return float(start.params["evidence"][0])
        if ops.crowd.n_votes <= ENOUGH:
            return None
        some = ops.over(ops.crowd.sample(ENOUGH))
        plain = make("ibcc", max_iter=PATIENCE, seed=self.seed).solve(some, None, None, None).trace[-1]
        steps = [-np.inf]

        def far_behind(step: int, objective: float) -> bool:
            steps.append(objective)
            return step >= LEAST and objective + PATIENCE * (objective - steps[-2]) < plain

        kinds = make(RICHER, types=2, restarts=1, seed=self.seed).solve(some, None, None, far_behind)
        return float(kinds.trace[-1] - plain)

    def _deciding(
        self, ops: NumpyEngine, fitted: Mapping[str, Solution[Array]], asked: Sequence[str]
    ) -> tuple[Params, list[str]]:
        """The parameters of those who decide, and why they do."""
        committee = [name for name in COMMITTEE if name in fitted]
        notes = []
        if missing := [name for name in asked if name not in fitted]:
            notes.append(f"{', '.join(missing)} left out: too many classes for them, or stopped early")
        labels = np.array([first_of_tied(fitted[name].found) for name in committee])
        united = float((labels == labels[0]).all(axis=0).mean())
        params = _params_of(fitted, committee)
        if "ibcc" in fitted and RICHER in fitted:
            ahead = fitted[RICHER].trace[-1] - fitted["ibcc"].trace[-1]
            if ahead > self.gate:
                other = first_of_tied(_joint(ops, params, None))
                differ = int((other != first_of_tied(fitted[RICHER].found)).sum())
                notes.append(
                    f"items of a class come in kinds, which annotators see differently: {RICHER}, the model for that, "
                    f"decides; the committee of {len(committee)} others differs on {how_many(differ, 'items')}: known "
                    "labels of some of these would tell who is right"
                )
                params = _params_of(fitted, [RICHER]) | {"committee": other}
            params["evidence"] = np.array([ahead])
        if "committee" not in params:
            notes.append(f"{', '.join(committee)} vote, and agree on {united:.1%} of the items")
            if united < FEW:
                notes.append("they hardly agree: known labels of some items, or an annotator to trust, would help most")
        return params, notes


def _params_of(fitted: Mapping[str, Solution[Array]], names: Sequence[str]) -> Params:
    return {f"{name}.{key}": value for name in names for key, value in fitted[name].params.items()}


def _joint(ops: NumpyEngine, params: Params, known: Known | None) -> Array:
    """The posterior of those who decide."""
    return _voted([make(name).infer(ops, own, known) for name, own in _by_member(params).items()])


def _voted(posteriors: Sequence[Array]) -> Array:
    """Half of each one's say by their label, half by their posterior; one alone decides."""
    if len(posteriors) == 1:
        return posteriors[0]
    return sum((posterior + shared(posterior) for posterior in posteriors), np.zeros(1)) / (2.0 * len(posteriors))


def _believed(ops: NumpyEngine, found: Array, params: Params, known: Known | None) -> Array:
    """What is found, as gold taught to believe it, and no surer than the votes support."""
    if "say" in params:
        found = stacked(ops, found, params, known)
    return supported(ops, found, params["strangers"], params["heard"], known)


def _about_gold(params: Params, gold: Known) -> str:
    told = how_many(gold.item.size, "known items")
    moved = how_many(int((np.abs(params["worth"]) > 0.1).sum()), "annotators")
    kept = float(params["kept"][0])
    say = float(params["say"][0])
    if kept > 0.5 or say > 0.9:
        return f"{told} taught what to believe, and mostly confirm the models"
    because = "the models alone would be wrong too often, so that they" if say < 0.5 else "the models"
    return (
        f"{told} taught what to believe: {because} count {say:.0%} of what they would, and the votes of {moved} count "
        "by what gold says of them"
    )


def _by_member(params: Params) -> dict[str, Params]:
    """Parameters of each member, in the order in which they were kept: "ibcc.confusion" is ibcc's confusion."""
    members: dict[str, Params] = {}
    for name, value in params.items():
        member, dot, own = name.partition(".")
        if dot:
            members.setdefault(member, {})[own] = value
    return members
