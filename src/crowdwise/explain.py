"""Why an item got its label: what each vote says, in the method's own currency."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .codes import Array, find, names_array, shown
from .crowd import Crowd
from .engine import bind
from .errors import InputError
from .result import Result
from .table import Table


@dataclass(frozen=True, eq=False)
class Explanation:
    """What speaks for `label` and against `other`.

    votes: annotator, label, contribution, strongest first. unit: what contributions are. total: log P(label) / P(other)
    as the votes have it (or votes for one less the other); gold and item priors come on top. Where a method's votes add
    up (`additive`), a contribution is what the vote adds, and `before` what the class prior says; otherwise it is what
    is lost when the vote is left out, and `before` the rest.
    """

    item: Any
    label: Any
    other: Any
    unit: str
    before: float
    votes: Table
    total: float
    additive: bool


def explain(crowd: Crowd, result: Result, item: Any, against: Any = None) -> Explanation:
    """Each vote's contribution to an item's label, against the runner-up or a class of your choice.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(8, 2, accuracy=0.8), n_items=100, per_item=5, seed=0)
    >>> why = explain(made.crowd, DawidSkene().fit(made.crowd), item=3)
    >>> why.unit, bool(np.isclose(why.before + why.votes["contribution"].sum(), why.total))
    ('log-odds', True)
    """
    if len(result.classes) == 1:
        raise InputError(f"there is one class only, {shown(result.classes[0])}: nothing speaks for another")
    crowd = crowd.with_names(annotators=result.annotators).with_classes(result.classes)
    one = result.weighted(crowd).subset(items=[item])
    place = int(np.flatnonzero(result.items == one.items[0])[0])
    label = int(result.label_codes[place])
    rest = np.where(np.arange(len(result.classes)) == label, -1.0, result.posterior[place])
    other = int(rest.argmax()) if against is None else _code(result, against)
    if other == label:
        raise InputError(f"item {item!r} is labelled {against!r}: choose another class to hold against it")
    added = _added(one, result, label, other)
    says, before = added or _lost(one, result, label, other)
    order = np.argsort(-np.abs(says), kind="stable")
    votes = {
        "annotator": one.annotators[one.annotator][order],
        "label": one.classes[one.label][order],
        "contribution": says[order],
    }
    return Explanation(
        item=item,
        label=result.classes[label : label + 1].tolist()[0],
        other=result.classes[other : other + 1].tolist()[0],
        unit=result.method.unit if added else "log-odds",
        before=before,
        votes=Table(votes),
        total=before + float(says.sum()),
        additive=added is not None,
    )


def _added(one: Crowd, result: Result, label: int, other: int) -> tuple[Array, float] | None:
    """Scores add over votes: with every vote an item of its own, they are what each vote says."""
    each = replace(one, item=np.arange(one.n_votes), items=np.arange(one.n_votes))
    scores = result.method.scores(bind(each, "numpy"), result.params)
    if scores is None:
        return None
    prior = np.broadcast_to(result.method.class_scores(result.params), len(result.classes))
    return scores[:, label] - scores[:, other], float(prior[label] - prior[other])


def _lost(one: Crowd, result: Result, label: int, other: int) -> tuple[Array, float]:
    """The item as it is, and once more without each of its votes, at the fitted parameters."""
    n = one.n_votes
    item, vote = np.divmod(np.arange((n + 1) * n), max(n, 1))
    kept = item - 1 != vote  # item 0 keeps all
    copies = replace(one.take(vote[kept]), item=item[kept], items=np.arange(n + 1))
    posterior = np.maximum(result.method.infer(bind(copies, "numpy"), result.params), 1e-12)
    odds = np.log(posterior[:, label] / posterior[:, other])
    says = odds[0] - odds[1:]
    return says, float(odds[0] - says.sum())


def _code(result: Result, name: Any) -> int:
    code = int(find(names_array([name]), result.classes)[0])
    if code < 0:
        raise InputError(f"class {name!r} is not among {result.classes.tolist()}")
    return code
