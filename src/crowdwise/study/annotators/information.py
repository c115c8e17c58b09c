"""Information: how many bits an annotator's vote can tell of an item's class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...engine import bind, normalise
from ...votes.codes import Array
from ...votes.crowd import Crowd

USUAL = 4.0  # votes' worth of the crowd's mean confusion in each row of an annotator's
FAR = 1_000.0  # statistics above which the noncentral chi-squared distribution is approximated
HALVINGS = 60  # towards a bound
MOST_STEPS = 2_000
LEAST_STEPS, MOST_WORK = 20, 2_000_000_000  # steps, and numbers looked at: a thousand classes end at the lower bound
ENOUGH = 5.0  # votes for each degree of freedom of a table of classes and labels
BLOCK = 1_000_000  # items times classes looked at together


def capacity(confusion: Array, tolerance: float = 1e-7) -> Array:
    r"""Bits a vote of each annotator can tell at most: the capacity of the channel from class to label.

    .. math:: C = \max_\pi \sum_{k l} \pi_k A[k, l] \log_2 \frac{A[k, l]}{\sum_c \pi_c A[c, l]}

    by Blahut and Arimoto's iteration, for confusion matrices (..., true, given). 0 for whoever says the same of every
    class, log2 K for an expert, and for an adversary who can be turned around as much as for an honest annotator.
    tolerance: nats between its bounds at which the iteration ends.

    >>> flip, guess = [[0.1, 0.9], [0.9, 0.1]], [[0.7, 0.3], [0.7, 0.3]]
    >>> capacity(np.array([flip, guess, np.eye(2)])).round(3).tolist()
    [0.531, 0.0, 1.0]
    """
    matrix = np.asarray(confusion, float)
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    steps = min(MOST_STEPS, max(LEAST_STEPS, MOST_WORK // max(flat.size, 1)))
    nats = np.concatenate([np.empty(0), *(_capacity(flat[some], tolerance, steps) for some in _blocks(flat.shape))])
    return np.maximum(nats, 0.0).reshape(matrix.shape[:-2]) / np.log(2.0)


def _blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Annotators whose tables of classes and labels are looked at together."""
    step = max(1, BLOCK // max(shape[1] * shape[2], 1))
    return (slice(low, low + step) for low in range(0, shape[0], step))


def _capacity(flat: Array, tolerance: float, steps: int) -> Array:
    share = np.full(flat.shape[:2], 1.0 / flat.shape[1])
    log_a = np.log(np.maximum(flat, 1e-300))
    bits, left = np.zeros(len(flat)), np.arange(len(flat))
    for _ in range(steps):
        a, some = flat[left], share[left]
        said = np.einsum("mk,mkl->ml", some, a)
        gain = np.einsum("mkl,mkl->mk", a, log_a[left] - np.log(np.maximum(said, 1e-300))[:, None])  # KL of each row
        low = (some * gain).sum(axis=1)
        bits[left] = low
        weight = some * np.exp(gain - gain.max(axis=1, keepdims=True))
        share[left] = weight / weight.sum(axis=1, keepdims=True)
        left = left[gain.max(axis=1) - low > tolerance]
        if not left.size:
            break
    return bits


class Informed(NamedTuple):
    """What votes tell of classes, annotator by annotator, (annotators,) each: bits per vote, and what that rests on.

    bits: corrected for chance, no less than 0; worth: bits that their items' classes are worth, their entropy;
    statistic: the likelihood-ratio statistic of "says nothing"; freedom: its degrees of freedom; votes: how many, as
    far as the others know the classes that they are judged by; nothing: the chance of what was seen, if their votes
    told nothing; by_right: labels were taken for right or wrong, no more; better: share of right votes beyond that of a
    guess; guess: that; rightness: the statistic of right or wrong alone, at one degree of freedom.
    """

    bits: Array
    worth: Array
    statistic: Array
    freedom: Array
    votes: Array
    nothing: Array
    by_right: Array
    better: Array
    guess: Array
    rightness: Array

    def bound(self, chance: float) -> Array:
        """Bits that are exceeded, were they true, by what was seen with such a chance: .95 a lower, .05 an upper bound.

        The statistic of N votes that tell I nats each has a noncentral chi-squared distribution, about 2 N I.
        """
        # Less than chance alone would make is no evidence that they tell less than nothing.
        seen = np.maximum(self.statistic, self.freedom if chance < 0.5 else 1e-3)
        low, high = np.zeros(len(seen)), 4.0 * seen + 100.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            further = chance_below(seen, self.freedom, middle) > chance
            low, high = np.where(further, middle, low), np.where(further, high, middle)
        return np.minimum(low / np.maximum(2.0 * self.votes, 1e-300) / np.log(2.0), self.worth)

    def chance_of(self, bits: Array) -> tuple[Array, Array]:
        """The chance of seeing so little, did every vote tell `bits`: by being right or wrong, and by all labels.

        Being right is one direction, in which few votes show much; all labels are (K - 1)^2 directions.
        """
        away, one = 2.0 * self.votes * bits * np.log(2.0), np.ones(len(bits))
        return (
            chance_below(np.maximum(self.rightness, one), one, away),
            chance_below(np.maximum(self.statistic, self.freedom), self.freedom, away),
        )


def chance_below(seen: Array, freedom: Array, away: Array) -> Array:
    """P(statistic <= seen) of a noncentral chi-squared distribution; far out by Sankaran's approximation (1963).

    >>> ends = chance_below(np.array([990.0, 1010.0]), np.array([900.0, 900.0]), np.array([50.0, 50.0]))
    >>> ends.round(2).tolist()
    [0.82, 0.91]
    """
    from scipy.special import chndtr, ndtr

    mean, twice = freedom + away, freedom + 2.0 * away
    h = 1.0 - 2.0 / 3.0 * mean * (freedom + 3.0 * away) / twice**2
    p, m = twice / mean**2, (h - 1.0) * (1.0 - 3.0 * h)
    middle = 1.0 + h * p * (h - 1.0 - 0.5 * (2.0 - h) * m * p)
    chance = ndtr(((seen / mean) ** h - middle) / (h * np.sqrt(2.0 * p) * (1.0 + 0.5 * m * p)))
    exact = np.maximum(away, seen) < FAR
    chance[exact] = chndtr(seen[exact], freedom[exact], away[exact])
    return np.asarray(chance)


class Others(NamedTuple):
    """What each annotator's votes are beside what the others take for true, (annotators, ...) each.

    counts: votes by class and label, (annotators, true, given), each class without the annotator's own word for it.
    known: how much of the classes of their items the others know, 0 to 1: their variance over that of certain classes.
    value: bits by which the labels would be less certain without them, in all.
    """

    counts: Array
    known: Array
    value: Array


def informed(others: Others) -> Informed:
    r"""How much each annotator's votes tell of what the others take for true.

    With n the annotator's votes by class and label, classes by a posterior from which their own votes are taken out,
    :math:`G = 2 \sum_{k l} n_{kl} \log \frac{n_{kl} N}{n_k n_l}`, of which chance alone makes as much as there are
    degrees of freedom; the rest is 2 N r times the mutual information. r, the share of the classes' variance that the
    others know, is what judging by uncertain classes leaves of it.

    Where there are fewer than five votes for each degree of freedom, labels are right or wrong, no more: G then
    compares how often they are right with a guess that has their and the classes' shares, at one degree of freedom.
    What that tells is no more than what the votes tell, and nearly all of it unless they confuse classes in a way of
    their own.
    """
    counts, known, _ = others
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    votes = rows.sum(axis=1)
    some = np.maximum(votes, 1e-300)
    usual = columns / some[:, None]
    full = [_surprise(counts[b], rows[b, :, None] * usual[b, None]).sum(axis=(1, 2)) for b in _blocks(counts.shape)]
    freedom = np.maximum(((rows > 1.0).sum(axis=1) - 1.0) * ((columns > 0.5).sum(axis=1) - 1.0), 1.0)
    right, guess = np.einsum("jkk->j", counts), (rows * usual).sum(axis=1)
    by_right = np.maximum(_surprise(right, guess) + _surprise(votes - right, votes - guess), 0.0)
    thin = votes * known < ENOUGH * freedom
    by_labels = np.maximum(np.concatenate([np.empty(0), *full]), 0.0)
    statistic, freedom = np.where(thin, by_right, by_labels), np.where(thin, 1.0, freedom)
    worth = _bits(rows / some[:, None])
    bits = np.maximum(statistic - freedom, 0.0) / np.maximum(2.0 * votes * known, 1e-300) / np.log(2.0)
    return Informed(
        bits=np.minimum(bits, worth),
        worth=worth,
        statistic=statistic,
        freedom=freedom,
        votes=votes * known,
        nothing=1.0 - chance_below(statistic, freedom, np.zeros(len(votes))),
        by_right=thin,
        better=(right - guess) / some,
        guess=guess / some,
        rightness=by_right,
    )


def _surprise(seen: Array, expected: Array) -> Array:
    """2 n log(n / e), 0 where nothing was seen."""
    ratio = np.divide(seen, expected, out=np.ones(seen.shape), where=(seen > 1e-12) & (expected > 0.0))
    return np.asarray(2.0 * seen * np.log(ratio))


def beside_others(
    crowd: Crowd,
    posterior: Array,
    *,
    group: Array | None = None,
    certain: Array | None = None,
    engine: str = "auto",
) -> Others:
    """Every annotator beside what the others take for true.

    Confusion matrices are counted under the posterior; with these, what all but one say of an item is what all say less
    their words. group: codes, -1 alone; members are no judges of one another, their words are left out together.
    certain: (items,), where the posterior is known whatever anybody says: gold.
    """
    n, n_classes = crowd.n_annotators, crowd.n_classes
    ops = bind(crowd, engine)
    counts = ops.confusion_counts(posterior)
    crowds = counts.sum(axis=0) + 1.0 / n_classes
    filled = counts + USUAL * crowds / crowds.sum(axis=1, keepdims=True)
    log_word = np.log(filled / filled.sum(axis=2, keepdims=True))
    log_all = ops.item_scores(log_word) + np.log(posterior.mean(axis=0) + 1e-9)  # (items, true)
    circle = np.arange(n) if group is None else np.where(group < 0, n + np.arange(n), group)
    beside, square, value = np.zeros((n, n_classes, n_classes)), np.zeros(n), np.zeros(n)
    ends = np.searchsorted(crowd.item, np.arange(0, crowd.n_items, max(1, BLOCK // n_classes)))  # whole items
    for low, high in zip(ends, [*ends[1:], crowd.n_votes], strict=True):
        votes = slice(low, high)
        item, who, label = (code[votes].astype(np.int64) for code in (crowd.item, crowd.annotator, crowd.label))
        weight = np.ones(item.size) if crowd.weight is None else crowd.weight[votes]
        word = log_word[who, :, label] * weight[:, None]
        own, first = _together(word, item * n + who)
        theirs = own if group is None else _together(word, item * 2 * n + circle[who])[0]
        now, alone, without = (normalise(log_all[item] - less)[0] for less in (0.0, own, theirs))
        if certain is not None:
            now, alone, without = (
                np.where(certain[item, None], posterior[item], rows) for rows in (now, alone, without)
            )
        said, order, begin = _sorted_by(who * n_classes + label)
        told = np.add.reduceat((weight[:, None] * without)[order], begin, axis=0)
        beside[said // n_classes, :, said % n_classes] += told
        square += np.bincount(who, weight * (without**2).sum(axis=1), n)
        value += np.bincount(who[first], (_bits(alone) - _bits(now))[first], n)
    total = np.maximum(beside.sum(axis=(1, 2)), 1e-300)
    spread = ((beside.sum(axis=2) / total[:, None]) ** 2).sum(axis=1)
    known = np.clip((square / total - spread) / np.maximum(1.0 - spread, 1e-9), 1e-6, 1.0)
    return Others(beside, known, value)


def _sorted_by(key: Array) -> tuple[Array, Array, Array]:
    """The distinct keys, an order that brings the same ones together, and where each begins in it."""
    order = np.argsort(key, kind="stable")
    begin = np.flatnonzero(np.diff(key[order], prepend=-1))
    return key[order][begin], order, begin


def _together(word: Array, key: Array) -> tuple[Array, Array]:
    """Each vote's words, and those of all votes with the same key; and the first vote of each key."""
    keys, first, place = np.unique(key, return_index=True, return_inverse=True)
    if keys.size == key.size:
        return word, first
    return np.stack([np.bincount(place, column, keys.size) for column in word.T], axis=1)[place], first


def _bits(posterior: Array) -> Array:
    """Entropy of each row."""
    return np.asarray(-(posterior * np.log2(np.maximum(posterior, 1e-300))).sum(axis=1))
