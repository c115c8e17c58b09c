"""Settle: the one way from votes to a result that is believed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine import bind
from ..errors import OptionError, Undecided
from ..fit.aggregator import Aggregator
from ..fit.estimates import Classes
from ..fit.method import Callback, Method
from ..fit.result import Result
from ..methods import DEFAULTS, make
from ..methods.classes.honest import honest_result
from ..methods.classes.strangers import acquaintance, humbled, population, supported
from ..methods.spans.tagging import Tagging, least_chance
from ..votes.codes import shown
from ..votes.comparisons import EVERYBODY
from ..votes.crowd import Crowd
from ..votes.frames import known_labels, library_of
from ..votes.gold import against_votes, known_classes
from ..votes.sequences import Sequences
from ..votes.spelling import remarks
from ..votes.tags import Spans
from ..votes.ties import first_of_tied
from ..votes.votes import Votes


def settle(
    votes: Any,
    method: str | Method[Any, Any] = "auto",
    *,
    gold: Any = None,
    trusted: Iterable[Any] = (),
    item_prior: Any = None,
    start: Any = None,
    engine: str = "auto",
    callback: Callback | None = None,
    kind: str = "auto",
    **columns: Any,
) -> Result:
    """What a method finds in the votes, if it can be believed; otherwise what most annotators stand behind.

    The commands and the report take their labels from here; so does `crowdwise.scale.settle`, for votes on disk, and a
    project that collects votes, once it has two thousand, and five on an item (`Online`). The method is fitted as `fit`
    does it. Then `honest_result` looks whether annotators who work together have made a truth of their own; if so,
    trusted annotators, or gold, or most annotators by heads are believed, and `notes` says so. Where heads do not
    decide, `Undecided` asks for gold or a trusted annotator. Last, nobody is surer than the votes support: what a model
    says of annotators whom it has hardly seen counts little, and what strangers' votes are worth counts in its
    place (`strangers.py`). Labels stay, and so does the confidence of large crowds; `fit` gives the model's own.

    votes: a `Crowd`, a frame or a path; answers of other kinds are fitted, by their own "auto", and believed. kind: of
    the answers in a frame or a file, told by its columns unless it is named here.
    method: a name, or a method with options. trusted: names of annotators to believe. The others are those of `fit`;
    `result.update(more)` settles these votes and more.

    >>> from crowdwise import simulate, settle
    >>> people = simulate.one_coin(33, 3, 0.6) + simulate.colluders(27, 3, p_corr=0.9, accuracy=1.0)
    >>> made = simulate.crowd(people, n_items=2000, per_item=20, seed=0)
    >>> result = settle(made.crowd, "dawid-skene")
    >>> bool((result.labels == made.truth).mean() > 0.9)
    True
    >>> result.notes[-1].partition(": ")[2]
    'an honest majority is assumed, and they are believed'
    """
    if not isinstance(votes, Votes) and (method == "auto" or kind != "auto"):
        votes, columns = _of_kind(votes, kind, columns)
    if method == "auto" and isinstance(votes, Votes):
        method = DEFAULTS[votes.kind]
    model = make(method) if isinstance(method, str) else method() if isinstance(method, type) else method
    trusted = [trusted] if isinstance(trusted, str) else list(trusted)
    options = {"gold": gold, "item_prior": item_prior, "engine": engine}
    frame, asked = library_of(votes) or "pyarrow", votes
    votes = model.as_votes(votes, **columns)
    fitted = model.fit(votes, start=start, callback=callback, **options)
    if isinstance(fitted.estimate, Tagging):
        fitted = replace(fitted, estimate=_humble_spans(votes, fitted.estimate))
    if not isinstance(model, Aggregator) or model.takes is not Crowd:
        return replace(fitted, settled=True, frame=frame, notes=(*fitted.notes, *_alone(votes)))
    found = believed(votes, fitted, gold=gold, trusted=trusted, item_prior=item_prior)
    doubts = against_votes(votes, gold)
    if votes is not asked:  # a reader has told its own
        doubts = (*remarks(votes), *doubts)
    kept = {
        "votes": votes,
        "gold": known_labels(gold),
        "settled": True,
        "frame": frame,
        "primed": item_prior is not None,
    }
    return replace(found, notes=(*found.notes, *doubts), **kept)


def believed(
    votes: Crowd, fitted: Result, *, gold: Any = None, trusted: Iterable[Any] = (), item_prior: Any = None
) -> Result:
    """A fit of classes as it can be believed: the explanation that `honest_result` takes, and no surer than votes
    support."""
    found = honest_result(votes, fitted, trusted=trusted, gold=gold, seed=fitted.method.seed)
    if found is not fitted:  # not fitted again with gold: that might lead back to the first explanation
        found = replace(found, notes=tuple(dict.fromkeys((*fitted.notes, *found.notes))))
    return found if found.method.name == "auto" else _humble(votes, found, gold, item_prior)


def _of_kind(votes: Any, kind: str, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Answers of a frame or a file as votes of their kind; those that name classes are left to the method."""
    from ..io.kinds import KINDS, kind_of
    from ..io.read_kind import container, read_kind

    if kind not in ("auto", *KINDS):
        raise OptionError(f"kind={kind!r}: choose auto, {', '.join(KINDS)}")
    first = votes[0] if isinstance(votes, list | tuple) and votes else votes
    found = kind_of(first, {k: v for k, v in columns.items() if isinstance(v, str)})[0] if kind == "auto" else kind
    if found == "classes":
        return votes, columns
    if library_of(votes):
        return container(found).from_frame(votes, **columns), {}
    files = list(votes) if isinstance(votes, list | tuple) else [votes]
    return read_kind(found, files, **columns)[0], {}


def _alone(votes: Votes) -> tuple[str, ...]:
    """A sentence where one annotator gave all answers."""
    heard = np.flatnonzero(np.bincount(votes.annotator, minlength=votes.n_annotators))
    if heard.size != 1 or votes.n_votes == 1 or votes.annotators[heard[0]] == EVERYBODY:
        return ()
    name = shown(votes.annotators[heard[0]])
    return (f"all answers are those of {name}: with nobody beside them, nothing tells how good they are",)


def unsettled(votes: Any, method: Method[Any, Any], *, gold: Any = None, engine: str = "auto", **how: Any) -> Result:
    """As `settle`, to measure with: where two explanations contradict each other, the method's first one."""
    try:
        return settle(votes, method, gold=gold, engine=engine, **how)
    except Undecided:
        found = method.fit(votes, gold=gold, engine=engine)
        told = "the votes have two explanations that contradict each other: the one that was found first is told"
        return replace(found, notes=(*found.notes, told))


def _humble_spans(votes: Sequences, found: Tagging) -> Tagging:
    """Tags and spans no surer than the votes on their tokens support."""
    ops = bind(votes)
    posterior = humbled(ops, np.asarray(found.posterior, float))
    sure = posterior[np.arange(votes.n_items), found.chosen][votes.order.order]
    spans = Spans(found.span_first, found.span_last, np.zeros(len(found.span_first), np.int64))
    chance = np.minimum(found.span_confidence, least_chance(sure, spans))
    return replace(found, posterior=posterior, span_confidence=chance)


def _humble(votes: Crowd, result: Result, gold: Any, item_prior: Any) -> Result:
    """The result, no surer than the votes support; auto is so by itself."""
    crowd = result.weighted(votes.with_names(annotators=result.annotators).with_classes(result.classes))
    ops, known = bind(crowd), known_classes(crowd, gold, item_prior)
    posterior, label = result.on(crowd)[1], result.labels_on(crowd, result.on(crowd)[1])
    if known is not None:
        posterior = known.obeyed(posterior)
        label[known.item] = first_of_tied(posterior[known.item])
    heard = acquaintance(ops)
    if getattr(result.method, "history", 0.0):  # votes of earlier projects are votes too
        heard = heard + np.maximum(result.params["votes"] - ops.given.sum(axis=1), 0.0).astype(np.int64)
    posterior = supported(ops, posterior, population(ops.item_votes()), heard, known)
    return replace(result, items=crowd.items, estimate=Classes(posterior, result.classes, label))
