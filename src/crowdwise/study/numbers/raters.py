"""Raters: who follows the items, who reverses the scale, who always says the same, who copies, who is off."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...fit.result import Result
from ...methods.ratings.constant import ENOUGH, constant_raters
from ...methods.ratings.copies import find_copies
from ...votes.codes import Array
from ...votes.ratings import Ratings
from ...votes.table import Table
from ..annotators.verdict import discoveries

RANK = ("copier", "reversed", "constant", "spammer", "undecided", "biased", "fine")
LITTLE = 0.2  # correlation with the others, below which a rating is as good as none
FAR = 0.5  # of the items' spread: a bias worth a word


class Beside(NamedTuple):
    """Each rating, and what the other ratings of its item say; NaN where there are none."""

    value: Array
    others: Array
    weight: Array


def rater_verdicts(ratings: Ratings, result: Result, *, level: float = 0.9, false_discoveries: float = 0.05) -> Table:
    r"""One row per annotator, worst first: ratings, correlation with the others, bias, gain, spread, verdict, reason.

    An annotator is held against the others' ratings of the same items, corrected for bias, gain and precision where the
    result has them. "copier": the same as somebody else again and again, in errors too. "reversed": a correlation below
    -.2, and surely below zero, of those named so no more than a share `false_discoveries` by chance (Benjamini and
    Hochberg). "constant": four ratings or more, all alike. "spammer": the upper end of the correlation's interval lies
    below .2. "undecided": the interval contains zero. "biased": follows the items, but lies off by more than half of
    their spread, and by more than three standard errors. "fine": the rest. Intervals are Fisher's, of this level.

    >>> from crowdwise import AutoRatings, simulate
    >>> made = simulate.ratings(n_items=800, n_annotators=20, per_item=8, flippers=2, spammers=2, constant=1, seed=0)
    >>> table = rater_verdicts(made.ratings, AutoRatings().fit(made.ratings))
    >>> table["verdict"].tolist()[:5], sorted(table["annotator"].tolist()[:5])
    (['reversed', 'reversed', 'constant', 'spammer', 'spammer'], [15, 16, 17, 18, 19])
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} must lie between 0 and 1")
    beside, who, n = beside_the_others(ratings, result), ratings.annotator, ratings.n_annotators
    met = np.isfinite(beside.others)

    def mean(column: Array) -> Array:
        total = np.bincount(who[met], (beside.weight * column)[met], n)
        return total / np.maximum(np.bincount(who[met], beside.weight[met], n), 1e-300)

    own, theirs = mean(beside.value), mean(beside.others)
    y, x = beside.value - own[who], beside.others - theirs[who]
    yy, xx, xy = mean(y * y), mean(x * x), mean(x * y)
    heard = np.bincount(who[met], minlength=n)
    alike = np.divide(xy, np.sqrt(yy * xx), out=np.full(n, np.nan), where=(yy > 1e-300) & (xx > 1e-300))
    gain = np.divide(xy, xx, out=np.full(n, np.nan), where=xx > 1e-300)
    bias = own - theirs
    error = np.sqrt(np.maximum(mean((beside.value - beside.others - bias[who]) ** 2), 0.0))
    width = 1.0 / np.sqrt(np.maximum(heard - 3.0, 1e-300))
    z = np.arctanh(np.clip(alike, -0.999999, 0.999999))
    half = NormalDist().inv_cdf(0.5 + level / 2.0) * width
    few = (heard < ENOUGH) | np.isnan(alike)
    low, high = np.where(few, -1.0, np.tanh(z - half)), np.where(few, 1.0, np.tanh(z + half))
    below = np.where(few, 1.0, _left_tail(z / width))
    reverse = discoveries(below, false_discoveries) & ~few & (np.nan_to_num(alike) < -LITTLE)
    spread = float(np.sqrt(np.nanvar(result.estimate.main)))
    off = (np.abs(bias) > FAR * spread) & (np.abs(bias) > 3.0 * error / np.sqrt(np.maximum(heard, 1)))
    group = find_copies(ratings)
    constant = constant_raters(ratings)
    verdict = np.select(
        [group >= 0, constant, reverse, ~few & (high < LITTLE), few | (low <= 0.0), off],
        ["copier", "constant", "reversed", "spammer", "undecided", "biased"],
        default="fine",
    ).astype(object)
    columns = {
        "annotator": ratings.annotators,
        "votes": np.bincount(who, minlength=n),
        "correlation": alike,
        "correlation_low": low,
        "correlation_high": high,
        "bias": np.where(heard > 0, bias, np.nan),
        "gain": gain,
        "spread": np.where(heard > 0, error, np.nan),
        "verdict": verdict,
        "group": group,
        "reason": _reasons(verdict, (low, high), bias, group, few),
    }
    order = np.lexsort((np.nan_to_num(alike, nan=2.0), np.array([RANK.index(one) for one in verdict.tolist()])))
    return Table(columns).take(order)


def beside_the_others(ratings: Ratings, result: Result) -> Beside:
    """What each rating's item is worth by the others' ratings of it: what is believed of annotators is taken off."""
    n, params = ratings.n_annotators, result.params
    told = "gain" in params and len(params["gain"]) == n
    gain, bias = (params["gain"], params["rater_bias"]) if told else (np.ones(n), np.zeros(n))
    precision = params["precision"] * params["heard"] if told else np.ones(n)
    mu = float(params["population"][0]) if told else 0.0
    who, item, base = ratings.annotator, ratings.item, ratings._weight()
    weight = base * (precision * gain**2)[who]
    said = base * (precision * gain)[who] * (ratings.value - mu - bias[who])
    total, pull = (np.bincount(item, column, ratings.n_items)[item] - column for column in (weight, said))
    lone = np.bincount(item, minlength=ratings.n_items)[item] < 2
    usual = float(np.median(weight[weight > 0.0])) if (weight > 0.0).any() else 1.0
    others = np.where(lone | (total < 1e-6 * usual), np.nan, mu + pull / np.maximum(total, 1e-300))
    return Beside(ratings.value, others, base)


def _left_tail(z: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


def _reasons(verdict: Array, bounds: tuple[Array, Array], bias: Array, group: Array, few: Array) -> Array:
    ends = [np.char.mod("%.2f", np.nan_to_num(end)).astype(object) for end in bounds]
    follows = "correlation with the others " + ends[0] + " to " + ends[1]
    words = {
        "copier": "the same ratings as others of group " + group.astype(str).astype(object) + ", errors too",
        "reversed": follows + ": uses the scale the other way round",
        "constant": "always says the same",
        "spammer": follows + ": ratings tell next to nothing of the items",
        "undecided": np.where(few, "too few ratings beside others' to tell", follows + ": too little is known"),
        "biased": np.char.mod("lies off by %+.3g on average", np.nan_to_num(bias)).astype(object),
    }
    return np.select([verdict == name for name in words], list(words.values()), "")
