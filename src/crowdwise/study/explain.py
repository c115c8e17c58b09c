"""Why an item got its label: what each vote says, in the method's own currency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import bind
from ..errors import InputError
from ..fit.aggregator import Aggregator
from ..fit.params import Params
from ..fit.result import Result
from ..votes.codes import Array, find, names_array, shown
from ..votes.crowd import Crowd
from ..votes.table import Table

AT_ONCE = 4_000_000  # votes of copies of items, each without one of its votes


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
    return explain_all(crowd, result, [item], against)[0]


def explain_all(crowd: Crowd, result: Result, items: Sequence[Any], against: Any = None) -> list[Explanation]:
    """`explain` of several items, in their order, in one pass over their votes."""
    method = result.method
    if not isinstance(method, Aggregator):
        raise InputError(f"{method.name} finds no classes: there is no label to explain")
    if len(result.classes) == 1:
        raise InputError(f"there is only one class, {shown(result.classes[0])}: there is no other to compare with")
    crowd = Crowd.of(crowd).with_names(annotators=result.annotators).with_classes(result.classes)
    few, params = result.weighted(crowd).subset(items=items), result.params_on(crowd)
    place = find(few.items, result.items)
    label, sides = result.label_codes[place], result.posterior[place]
    runner_up = np.where(np.arange(len(result.classes)) == label[:, None], -1.0, sides).argmax(axis=1)
    other = runner_up if against is None else np.full(label.size, _code(result, against))
    if (other == label).any():
        same = few.items[int((other == label).argmax())]
        raise InputError(f"item {shown(same)} is labelled {against!r}: choose another class to compare with")
    added = _added(few, method, params, label, other)
    structure = getattr(method, "structure", "independent")
    if added is None and structure != "independent":
        raise InputError(f"{method.name} with structure={structure!r} couples items: votes cannot be told apart")
    says, before = added or _lost(few, method, params, label, other)
    first = np.searchsorted(few.item, np.arange(few.n_items + 1))
    classes = result.classes.tolist()
    why = []
    for i in find(names_array(items), few.items).tolist():
        at = np.arange(first[i], first[i + 1])
        at = at[np.argsort(-np.abs(says[at]), kind="stable")]
        votes = {
            "annotator": few.annotators[few.annotator[at]],
            "label": few.classes[few.label[at]],
            "contribution": says[at],
        }
        why.append(
            Explanation(
                item=few.items[i : i + 1].tolist()[0],
                label=classes[label[i]],
                other=classes[other[i]],
                unit=method.unit if added else "log-odds",
                before=float(before[i]),
                votes=Table(votes),
                total=float(before[i] + says[at].sum()),
                additive=added is not None,
            )
        )
    return why


def _added(few: Crowd, method: Aggregator, params: Params, label: Array, other: Array) -> tuple[Array, Array] | None:
    """Scores add over votes: with every vote an item of its own, they are what each vote says."""
    vote = np.arange(few.n_votes)
    scores = method.scores(bind(few.derive(item=vote, items=vote), "numpy"), params)
    if scores is None:
        return None
    prior = np.broadcast_to(method.class_scores(params), few.n_classes)
    return scores[vote, label[few.item]] - scores[vote, other[few.item]], prior[label] - prior[other]


def _lost(few: Crowd, method: Aggregator, params: Params, label: Array, other: Array) -> tuple[Array, Array]:
    """Each item as it is, and once more without each of its votes, at the fitted parameters; some items at a time."""
    n = np.bincount(few.item, minlength=few.n_items)
    part = np.cumsum(n * (n + 1)) // AT_ONCE
    says, before = np.zeros(few.n_votes), np.zeros(few.n_items)
    for at in (np.flatnonzero(part == one) for one in np.unique(part)):
        votes = np.flatnonzero(np.isin(few.item, at))
        size = n[at] * (n[at] + 1)
        of = np.repeat(np.arange(at.size), size)
        copy, vote = np.divmod(np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size), n[at][of])
        kept = copy - 1 != vote  # copy 0 keeps all
        begin, begin_vote = np.cumsum(n[at] + 1) - (n[at] + 1), np.cumsum(n[at]) - n[at]
        copies = few.take(votes[(begin_vote[of] + vote)[kept]]).derive(
            item=(begin[of] + copy)[kept], items=np.arange((n[at] + 1).sum())
        )
        posterior = np.maximum(method.infer(bind(copies, "numpy"), params), 1e-12)
        row = np.repeat(at, n[at] + 1)
        odds = np.log(posterior[np.arange(row.size), label[row]] / posterior[np.arange(row.size), other[row]])
        without = np.setdiff1d(np.arange(row.size), begin)
        says[votes] = np.repeat(odds[begin], n[at]) - odds[without]
        before[at] = odds[begin]
    before -= np.bincount(few.item, says, few.n_items)
    return says, before


def _code(result: Result, name: Any) -> int:
    code = int(find(names_array([name]), result.classes)[0])
    if code < 0:
        raise InputError(f"class {name!r} is not among {result.classes.tolist()}")
    return code
