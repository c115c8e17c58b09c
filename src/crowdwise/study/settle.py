"""Settle: the one way from votes to a result that is believed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..engine import bind
from ..errors import Undecided
from ..fit.aggregator import Aggregator
from ..fit.estimates import Classes
from ..fit.method import Callback, Method
from ..fit.result import Result
from ..methods import DEFAULTS, make
from ..methods.classes.honest import honest_result
from ..methods.classes.strangers import acquaintance, population, supported
from ..votes.crowd import Crowd
from ..votes.frames import known_labels, library_of
from ..votes.gold import against_votes, known_classes
from ..votes.spelling import remarks
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
    **columns: Any,
) -> Result:
    """What a method finds in the votes, if it can be believed; otherwise what most annotators stand behind.

    Every command, the report and the service take their labels from here. The method is fitted as `fit` does it.
    Then `honest_result` looks whether annotators who work together have made a truth of their own; if so, trusted
    annotators, or gold, or most annotators by heads are believed, and `notes` says so. Where heads do not decide,
    `Undecided` asks for gold or a trusted annotator. Last, nobody is surer than the votes support: what a model
    says of annotators whom it has hardly seen counts little, and what strangers' votes are worth counts in its
    place (`strangers.py`). Labels stay, and so does the confidence of large crowds; `fit` gives the model's own.

    votes: a `Crowd`, a frame or a path; `Ratings` and `Comparisons` are fitted, by their own "auto", and believed.
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
    if method == "auto" and isinstance(votes, Votes):
        method = DEFAULTS[votes.kind]
    model = make(method) if isinstance(method, str) else method() if isinstance(method, type) else method
    trusted = [trusted] if isinstance(trusted, str) else list(trusted)
    options = {"gold": gold, "item_prior": item_prior, "engine": engine}
    frame, asked = library_of(votes) or "pyarrow", votes
    votes = model.as_votes(votes, **columns)
    fitted = model.fit(votes, start=start, callback=callback, **options)
    if not isinstance(model, Aggregator):
        return replace(fitted, settled=True, frame=frame)
    found = honest_result(votes, fitted, trusted=trusted, gold=gold, seed=model.seed)
    if found is not fitted:  # not fitted again with gold: that might lead back to the first explanation
        found = replace(found, notes=tuple(dict.fromkeys((*fitted.notes, *found.notes))))
    found = found if found.method.name == "auto" else _humble(votes, found, gold, item_prior)
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


def unsettled(votes: Any, method: Method[Any, Any], *, gold: Any = None, engine: str = "auto", **how: Any) -> Result:
    """As `settle`, to measure with: where two explanations contradict each other, the method's first one."""
    try:
        return settle(votes, method, gold=gold, engine=engine, **how)
    except Undecided:
        return method.fit(votes, gold=gold, engine=engine)


def _humble(votes: Crowd, result: Result, gold: Any, item_prior: Any) -> Result:
    """The result, no surer than the votes support; auto is so by itself."""
    crowd = result.weighted(votes.with_names(annotators=result.annotators).with_classes(result.classes))
    ops, known = bind(crowd), known_classes(crowd, gold, item_prior)
    posterior, label = result.on(crowd)[1], result.labels_on(crowd, result.on(crowd)[1])
    if known is not None:
        posterior = known.obeyed(posterior)
        label[known.item] = first_of_tied(posterior[known.item])
    posterior = supported(ops, posterior, population(ops.item_votes()), acquaintance(ops), known)
    return replace(result, items=crowd.items, estimate=Classes(posterior, result.classes, label))
