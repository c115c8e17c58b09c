"""How sure: intervals for every annotator's accuracy and every item's label, from draws of what was fitted.

Three ways to draw. "posterior": the draws that a sampler kept. "imputed": classes drawn from the posterior; given
these, accuracies from Beta posteriors (Jeffreys' prior) and, for models of confusion rows, rows from their Dirichlet
posteriors. "bootstrap": the method fitted again to items drawn with replacement: for any method, and as slow as that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..engine import NumpyEngine, bind, normalise
from ..errors import InputError, OptionError
from ..fit.result import Result
from ..methods.classes.bayes.gibbs import Gibbs
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.gold import known_classes
from ..votes.known import Known
from ..votes.table import Table

WAYS = ("posterior", "imputed", "bootstrap")


class Draw(NamedTuple):
    """One draw: each annotator's accuracy, and the posterior of the classes at the drawn parameters."""

    accuracy: Array
    posterior: Array


def draws(
    crowd: Crowd,
    result: Result,
    n: int = 200,
    way: str | None = None,
    seed: int = 0,
    *,
    gold: Any = None,
    item_prior: Any = None,
) -> Iterator[Draw]:
    """Draws of a result, n of them at most, by the best way that it has unless you name one.

    `gold` and `item_prior` are those of the fit, if it had any.

    >>> from crowdwise import IBCC, simulate
    >>> made = simulate.crowd(simulate.one_coin(5, 2, 0.8), n_items=50, per_item=3, seed=0)
    >>> [draw.accuracy.shape for draw in draws(made.crowd, IBCC().fit(made.crowd), n=2)]
    [(5,), (5,)]
    """
    way = way or ("posterior" if "confusion_draws" in result.params else "imputed")
    if way not in WAYS:
        raise OptionError(f"way={way!r}: choose {', '.join(WAYS)}")
    if n < 1:
        raise InputError(f"n={n}: at least one draw is needed")
    crowd = Crowd.of(crowd).with_names(annotators=result.annotators).with_classes(result.classes)
    known = known_classes(crowd, gold, item_prior)
    if way == "posterior":
        yield from _kept(crowd, result, known, n)
    elif way == "imputed":
        yield from _imputed(crowd, result, known, n, seed)
    else:
        yield from _bootstrap(crowd, result, known, n, seed)


def annotator_intervals(
    crowd: Crowd,
    result: Result,
    level: float = 0.9,
    **drawing: Any,
) -> Table:
    """One row per annotator: accuracy (the median draw) and its central interval; options are those of `draws`."""
    crowd = Crowd.of(crowd)
    drawn = np.array([draw.accuracy for draw in draws(crowd, result, **drawing)])
    low, middle, high = _quantiles(drawn, level)
    names = crowd.with_names(annotators=result.annotators).annotators
    return Table({"annotator": names, "accuracy": middle, "low": low, "high": high})


def accuracy_intervals(crowd: Crowd, result: Result, level: float = 0.9) -> Table:
    """As `annotator_intervals`, without drawing: the Beta distribution with the mean and variance of "imputed" draws.

    A sampler's own draws are taken where there are any. O(votes).
    """
    check_level(level)
    if "confusion_draws" in result.params:
        return annotator_intervals(crowd, result, level)
    crowd, posterior = result.on(crowd)
    ops = bind(result.weighted(crowd))
    chance = posterior[ops.item, ops.label]
    votes, right = (ops.annotator_votes(value).sum(axis=1) for value in (1.0, chance))
    varies = _variance(ops, chance)
    mean = (right + 0.5) / (votes + 1.0)
    # Jeffreys' Beta at each number of right votes, and how much that number varies with the classes drawn
    spread = varies / (votes + 1.0) ** 2
    variance = (mean * (1.0 - mean) - spread) / (votes + 2.0) + spread
    low, high = beta_interval(mean, variance, level)
    return Table({"annotator": crowd.annotators, "accuracy": mean, "low": low, "high": high})


def _variance(ops: NumpyEngine, chance: Array) -> Array:
    """Variance of how many of an annotator's votes are right, by weight, when the class of each item is drawn.

    A vote that counts w times is right w times, or not at all; so is the same vote said again.
    """
    weight = np.ones(chance.size) if ops.weight is None else ops.weight
    who = ops.annotator
    if not ops.crowd.n_repeated:
        return np.bincount(who, weight**2 * chance * (1.0 - chance), ops.n_annotators)
    pair = ops.item.astype(np.int64) * ops.n_annotators + who
    said, place = np.unique(pair * ops.n_classes + ops.label, return_inverse=True)
    total, one = np.bincount(place, weight), np.empty(said.size)
    one[place] = chance
    cell, at = np.unique(said // ops.n_classes, return_inverse=True)
    varies = np.bincount(at, total**2 * one) - np.bincount(at, total * one) ** 2
    return np.bincount(cell % ops.n_annotators, varies, ops.n_annotators)


def beta_interval(mean: Array, variance: Array, level: float = 0.9) -> tuple[Array, Array]:
    """Ends of central intervals of chances with such means and variances, taken for Beta distributed.

    For an entry of a Dirichlet row, and for the accuracy of a coin, that is what they are.

    >>> low, high = beta_interval(np.array([0.5]), np.array([1 / 12]), 0.9)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.05], [0.95])
    """
    from scipy.special import betaincinv

    mean = np.clip(mean, 1e-9, 1.0 - 1e-9)
    votes = np.maximum(mean * (1.0 - mean) / np.maximum(variance, 1e-15) - 1.0, 1e-6)
    ends = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    low, high = (betaincinv(mean * votes, (1.0 - mean) * votes, end) for end in ends)
    return np.asarray(low), np.asarray(high)


def has_rows(result: Result) -> bool:
    """Whether a result knows the posterior of confusion rows, so that label intervals need no bootstrap."""
    rows = "confusion_votes" in result.params and "pseudo" in result.params
    return rows or "confusion_draws" in result.params


def label_intervals(
    crowd: Crowd,
    result: Result,
    level: float = 0.9,
    *,
    way: str | None = None,
    **drawing: Any,
) -> Table:
    """One row per item: label, confidence, its interval over draws of the annotators, and the credible set of classes.

    The set is the smallest whose probability is at least `level`, written "cat|dog": where it has several classes, the
    votes do not decide. Options are `draws`'s; without a way, samplers and `IBCC` draw from what they know; any other
    method is bootstrapped.
    """
    crowd = Crowd.of(crowd)
    way = way or (None if has_rows(result) else "bootstrap")
    own = np.arange(len(result.items)), result.label_codes
    drawn = np.array([draw.posterior[own].astype(np.float32) for draw in draws(crowd, result, way=way, **drawing)])
    low, _, high = _quantiles(drawn, level)
    return Table(
        {
            "item": result.items,
            "label": result.labels,
            "confidence": result.confidence,
            "low": low,
            "high": high,
            "credible": credible_sets(result, level),
        }
    )


def credible_sets(result: Result, level: float = 0.9) -> Array:
    """For each item the smallest set of classes whose probability is at least `level`, most probable first."""
    inside = credible(result.posterior, level)
    order = np.argsort(-result.posterior, axis=1, kind="stable")
    size = inside.sum(axis=1)
    names = np.array([str(name) for name in result.classes.tolist()], object)
    out = names[order[:, 0]].copy()
    for place in range(1, int(size.max(initial=1))):
        more = size > place
        out[more] = out[more] + "|" + names[order[more, place]]
    return out


def credible(posterior: Array, level: float) -> Array:
    """Which classes belong to each item's credible set, (items, classes).

    >>> credible(np.array([[0.6, 0.35, 0.05]]), 0.9).tolist()
    [[True, True, False]]
    """
    check_level(level)
    order = np.argsort(-posterior, axis=1, kind="stable")
    ranked = np.take_along_axis(posterior, order, axis=1)
    needed = ranked.cumsum(axis=1) - ranked < level  # what comes before does not suffice yet
    inside = np.zeros(posterior.shape, bool)
    np.put_along_axis(inside, order, needed, axis=1)
    return inside


def share_interval(right: Array, votes: Array, level: float) -> tuple[Array, Array]:
    """Ends of the central interval of a share, so many of so many, under Jeffreys' prior.

    >>> [float(end.round(2)) for end in share_interval(np.array(9.0), np.array(10.0), 0.9)]
    [0.67, 0.98]
    """
    from scipy.special import betaincinv

    a, b = right + 0.5, np.maximum(votes - right, 0.0) + 0.5
    low, high = (betaincinv(a, b, (1.0 + side * level) / 2.0) for side in (-1.0, 1.0))
    share = np.divide(right, votes, out=np.full(np.shape(votes), np.nan), where=np.asarray(votes) > 0.0)
    return np.fmin(low, share), np.fmax(high, share)  # all, or none, is within


def check_level(level: float) -> None:
    """A level of an interval lies between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise OptionError(f"level={level} must lie between 0 and 1")


def _quantiles(drawn: Array, level: float) -> Array:
    check_level(level)
    return np.asarray(np.nanquantile(drawn, [(1.0 - level) / 2.0, 0.5, (1.0 + level) / 2.0], axis=0))


def _kept(crowd: Crowd, result: Result, known: Known | None, n: int) -> Iterator[Draw]:
    if not isinstance(result.method, Gibbs):
        raise InputError(f"{result.method.name} keeps no draws: take way='imputed' or 'bootstrap', or fit gibbs")
    ops, params = bind(result.weighted(crowd)), result.params_on(crowd)
    kept = len(params["prior_draws"])
    for draw in np.linspace(0, kept - 1, min(n, kept)).astype(int):
        accuracy = np.einsum("k,jkk->j", params["prior_draws"][draw], params["confusion_draws"][draw])
        yield Draw(accuracy, result.method.infer_draw(ops, params, draw, known))


def _imputed(crowd: Crowd, result: Result, known: Known | None, n: int, seed: int) -> Iterator[Draw]:
    ops, rng = bind(result.weighted(crowd)), np.random.default_rng(seed)
    cumulative = np.cumsum(result.posterior_of(crowd, np.full((1, crowd.n_classes), 1.0 / crowd.n_classes)), axis=1)
    rows, votes = result.params.get("pseudo"), ops.given.sum(axis=1)
    learned = getattr(result.method, "class_prior", "learned") == "learned"
    class_pseudo = getattr(result.method, "class_pseudo", 1.0)
    for _ in range(n):
        drawn = (cumulative < rng.random((ops.n_items, 1)) * cumulative[:, -1:]).sum(axis=1)
        right = ops.annotator_votes((drawn[ops.item] == ops.label).astype(float)).sum(axis=1)
        accuracy = rng.beta(0.5 + right, 0.5 + np.maximum(votes - right, 0.0))
        if rows is None:
            yield Draw(accuracy, result.posterior)
            continue
        certain = np.eye(ops.n_classes)[drawn]
        prior = rng.standard_gamma(class_pseudo + certain.sum(axis=0)) if learned else result.params["prior"]
        confusion = np.maximum(rng.standard_gamma(rows + ops.confusion_counts(certain)), 1e-300)
        log_confusion = np.log(confusion / confusion.sum(axis=2, keepdims=True))
        yield Draw(accuracy, ops.posterior(log_confusion, np.log(prior / prior.sum()), known)[0])


def _bootstrap(crowd: Crowd, result: Result, known: Known | None, n: int, seed: int) -> Iterator[Draw]:
    if getattr(result.method, "history", 0.0):
        raise InputError("a fit with history cannot be bootstrapped, its past items are gone: take way='imputed'")
    if getattr(result.method, "structure", "independent") != "independent":
        raise InputError("items that follow each other cannot be drawn one by one: take way='imputed'")
    own = None if known is None else normalise(known.dense(crowd.n_items))[0]
    rng = np.random.default_rng(seed)
    first = np.searchsorted(crowd.item, np.arange(crowd.n_items + 1))
    for _ in range(n):
        item = np.sort(rng.integers(crowd.n_items, size=crowd.n_items))
        count = first[item + 1] - first[item]
        begin = np.concatenate([[0], np.cumsum(count)[:-1]])
        votes = np.repeat(first[item] - begin, count) + np.arange(count.sum())
        drawn = np.repeat(np.arange(crowd.n_items), count)
        again = crowd.take(votes).derive(item=drawn, items=np.arange(crowd.n_items))
        fitted = result.method.fit(again, item_prior=None if own is None else own[item])
        right = bind(again).annotator_votes(fitted.posterior[again.item, again.label]).sum(axis=1)
        heard = again.annotator_weight()
        accuracy = np.where(heard > 0.0, right / np.maximum(heard, 1e-300), np.nan)
        yield Draw(accuracy, fitted.predict(crowd, item_prior=own).posterior)
