"""How good every annotator is, by what a result takes for true, and by gold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import bind
from ...fit.result import Result
from ...methods.classes.em.spem import spammer_score
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.table import Table
from ...votes.ties import shared
from ..uncertainty import accuracy_intervals, check_level, share_interval
from .information import capacity


def quality(crowd: Crowd, result: Result, *, level: float | None = None, gold: Any = None) -> Table:
    """One row per annotator, worst first: votes, expected accuracy, agreement with the labels, favourite and bias.

    `accuracy` is the mean probability, under the result's posterior, that a vote of this annotator is right, and
    `consensus` how often it is the result's label; NaN without votes. `favourite` is the label given most, and how
    often; `bias` the class that they name more often, by `excess`, than their items are of it. `spammer_score` is
    Raykar and Yu's, 0 for a spammer, 1 for an expert; `capacity` the bits that a vote could tell at most, if classes
    were as common as suits them best, less what few votes add to it by chance.

    With a level, also the ends of the accuracy's interval (`crowdwise.uncertainty`). With gold, votes
    on gold items and accuracy on them, `gold_votes`, `gold_accuracy` and, with a level, its ends. Where annotators were
    found to err together, `group` tells who with whom, -1 nobody; where machines vote too, `kind` tells who is one.

    >>> from crowdwise import MajorityVote
    >>> crowd = Crowd.from_mapping({i: {"ann": "cat", "bob": "cat", "cy": "dog"} for i in range(4)})
    >>> [(row[0], round(row[2], 2)) for row in quality(crowd, MajorityVote().fit(crowd)).rows()]
    [('cy', 0.33), ('ann', 0.67), ('bob', 0.67)]
    """
    crowd, posterior = result.on(crowd)
    ops = bind(crowd)
    counts = ops.confusion_counts(posterior)
    given, met = counts.sum(axis=1), counts.sum(axis=2)
    votes = given.sum(axis=1)
    heard = votes > 0.0
    some = np.maximum(votes, 1e-300)

    def mean(right: Array) -> Array:
        return np.where(heard, right / some, np.nan)

    columns: dict[str, Any] = {
        "annotator": crowd.annotators,
        **{name: column for name, column in crowd.annotator_extra.items() if name == "kind"},
        "votes": np.bincount(crowd.annotator, minlength=crowd.n_annotators),
        **({} if crowd.weight is None else {"weight": votes}),
        "accuracy": mean(np.einsum("jkk->j", counts)),
    }
    if level is not None:
        bounds = accuracy_intervals(crowd, result, level)
        accuracy = columns["accuracy"]
        columns["low"] = np.fmin(np.where(heard, bounds["low"], np.nan), accuracy)
        columns["high"] = np.fmax(np.where(heard, bounds["high"], np.nan), accuracy)
    columns["consensus"] = mean(ops.annotator_votes(shared(posterior)[crowd.item, crowd.label]).sum(axis=1))
    columns["favourite"] = crowd.classes[given.argmax(axis=1)]
    columns["favourite_share"] = given.max(axis=1) / some
    columns["bias"] = crowd.classes[(given - met).argmax(axis=1)]
    columns["excess"] = mean((given - met).max(axis=1))
    rows = (counts + 0.5 / crowd.n_classes) / (met + 0.5)[:, :, None]
    columns["spammer_score"] = np.where(heard, spammer_score(rows), np.nan)
    by_chance = (crowd.n_classes - 1.0) ** 2 / (2.0 * np.log(2.0) * some)  # what counting alone adds
    told = np.maximum(capacity(rows, tolerance=1e-3) - by_chance, 0.0)
    columns["capacity"] = np.where(heard, told, np.nan)
    if gold is not None:
        columns |= _on_gold(crowd, gold, level)
    if "group" in result.params:
        columns["group"] = result.params_on(crowd)["group"]
    order = np.argsort(columns["accuracy"], kind="stable")
    return Table(columns).take(order)


def quality_by_class(crowd: Crowd, result: Result, *, level: float = 0.9) -> Table:
    """One row per annotator and class: how often they are right about it, with an interval, and how often they name it.

    `votes` is how many of their votes are on items of the class, expected under the posterior, `accuracy` the share of
    these that name it, `low` and `high` its interval (Jeffreys' prior); `true_share` and `given_share` how much of
    their votes are on the class and name it, and `bias` the difference.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.class_biased(2, 2, 0.9, 0.5), n_items=500, per_item=2, seed=0)
    >>> found = quality_by_class(made.crowd, DawidSkene().fit(made.crowd, gold=dict(enumerate(made.truth))))
    >>> [(row[1], bool(row[8] > 0.1)) for row in found.rows() if row[0] == 0]
    [(0, True), (1, False)]
    """
    check_level(level)
    crowd, posterior = result.on(crowd)
    counts = bind(crowd).confusion_counts(posterior)
    met, given = counts.sum(axis=2), counts.sum(axis=1)
    right = np.einsum("jkk->jk", counts)
    total = np.maximum(met.sum(axis=1, keepdims=True), 1e-300)
    low, high = share_interval(right, met, level)
    nothing = met < 1e-9
    columns = {
        "accuracy": np.where(nothing, np.nan, right / np.maximum(met, 1e-300)),
        "low": np.where(nothing, np.nan, low),
        "high": np.where(nothing, np.nan, high),
        "true_share": met / total,
        "given_share": given / total,
        "bias": (given - met) / total,
    }
    names = {
        "annotator": np.repeat(crowd.annotators, crowd.n_classes),
        "class": np.tile(crowd.classes, crowd.n_annotators),
        "votes": met.ravel(),
    }
    return Table({**names, **{name: value.ravel() for name, value in columns.items()}})


def confusion(crowd: Crowd, result: Result) -> Table:
    """One row per annotator, true class and given label: expected votes, and the share of the class's votes."""
    crowd, posterior = result.on(crowd)
    counts = bind(crowd).confusion_counts(posterior)
    n, n_classes = crowd.n_annotators, crowd.n_classes
    met = counts.sum(axis=2, keepdims=True)
    return Table(
        {
            "annotator": np.repeat(crowd.annotators, n_classes**2),
            "true": np.tile(np.repeat(crowd.classes, n_classes), n),
            "given": np.tile(crowd.classes, n * n_classes),
            "votes": counts.ravel(),
            "share": np.divide(counts, met, out=np.full(counts.shape, np.nan), where=met > 1e-9).ravel(),
        }
    )


def _on_gold(crowd: Crowd, gold: Any, level: float | None) -> dict[str, Array]:
    known = gold_codes(crowd, gold)
    of_gold = bind(crowd.take(known[crowd.item] >= 0))
    votes = of_gold.given.sum(axis=1)
    right = of_gold.annotator_votes((of_gold.label == known[of_gold.item]).astype(float)).sum(axis=1)
    columns = {"gold_votes": votes, "gold_accuracy": np.where(votes > 0.0, right / np.maximum(votes, 1e-300), np.nan)}
    if level is not None:
        low, high = share_interval(right, votes, level)
        columns["gold_low"] = np.where(votes > 0.0, low, np.nan)
        columns["gold_high"] = np.where(votes > 0.0, high, np.nan)
    return columns
