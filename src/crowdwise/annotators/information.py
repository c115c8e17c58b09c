"""Information: how many bits an annotator's vote can tell of an item's class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..codes import Array
from ..crowd import Crowd
from ..engine import bind, normalise

USUAL = 4.0  # votes' worth of the crowd's mean confusion in each row of an annotator's
FAR = 1_000.0  # statistics above which the noncentral chi-squared distribution is taken for a normal one's square
TOLERANCE = 1e-7  # nats between the bounds of a capacity
MOST_STEPS = 2_000
BLOCK = 1_000_000  # items times classes looked at together


def capacity(confusion: Array) -> Array:
    r"""Bits a vote of each annotator can tell at most: the capacity of the channel from class to label.

    .. math:: C = \max_\pi \sum_{k l} \pi_k A[k, l] \log_2 \frac{A[k, l]}{\sum_c \pi_c A[c, l]}

    by Blahut and Arimoto's iteration, for confusion matrices (..., true, given). 0 for whoever says the same of every
    class, log2 K for an expert, and for an adversary who can be turned around as much as for an honest annotator.

    >>> flip, guess = [[0.1, 0.9], [0.9, 0.1]], [[0.7, 0.3], [0.7, 0.3]]
    >>> capacity(np.array([flip, guess, np.eye(2)])).round(3).tolist()
    [0.531, 0.0, 1.0]
    """
    matrix = np.asarray(confusion, float)
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    n_classes = flat.shape[1]
    share = np.full(flat.shape[:2], 1.0 / n_classes)
    log_a = np.log(np.maximum(flat, 1e-300))
    bits, left = np.zeros(len(flat)), np.arange(len(flat))
    for _ in range(MOST_STEPS):
        a, some = flat[left], share[left]
        said = np.einsum("mk,mkl->ml", some, a)
        gain = np.einsum("mkl,mkl->mk", a, log_a[left] - np.log(np.maximum(said, 1e-300))[:, None])  # KL of each row
        low = (some * gain).sum(axis=1)
        bits[left] = low
        weight = some * np.exp(gain - gain.max(axis=1, keepdims=True))
        share[left] = weight / weight.sum(axis=1, keepdims=True)
        left = left[gain.max(axis=1) - low > TOLERANCE]
        if not left.size:
            break
    return np.maximum(bits, 0.0).reshape(matrix.shape[:-2]) / np.log(2.0)


class Informed(NamedTuple):
    """What votes tell of classes, annotator by annotator, (annotators,) each: bits a vote, and what that rests on.

    bits: corrected for chance, no less than 0; statistic: the likelihood-ratio statistic of "says nothing"; freedom:
    its degrees of freedom; votes: how many, as far as the others know the classes that they are judged by.
    """

    bits: Array
    statistic: Array
    freedom: Array
    votes: Array

    def bound(self, chance: float) -> Array:
        """Bits that are exceeded, were they true, by what was seen with such a chance: .95 a lower, .05 an upper bound.

        The statistic of N votes that tell I nats each has a noncentral chi-squared distribution, about 2 N I.
        """
        from scipy.special import chndtrinc, ndtri

        # Less than chance alone would make is no evidence that he tells less than nothing.
        seen = np.maximum(self.statistic, self.freedom if chance < 0.5 else 1e-3)
        exact = seen < FAR
        away = np.where(exact, 0.0, np.maximum(np.sqrt(seen) - ndtri(chance), 0.0) ** 2)
        away[exact] = chndtrinc(seen[exact], self.freedom[exact], chance)
        return np.maximum(np.nan_to_num(away), 0.0) / np.maximum(2.0 * self.votes, 1e-300) / np.log(2.0)

    def chance_of(self, bits: float) -> Array:
        """The chance of seeing so little, did every vote tell `bits`."""
        from scipy.special import chndtr, ndtr

        seen = np.maximum(self.statistic, self.freedom)
        away = 2.0 * self.votes * bits * np.log(2.0)
        chance = ndtr(np.sqrt(seen) - np.sqrt(away + self.freedom))
        exact = np.maximum(away, seen) < FAR
        chance[exact] = chndtr(seen[exact], self.freedom[exact], away[exact])
        return chance


class Others(NamedTuple):
    """What each annotator's votes are beside what the others take for true, (annotators, ...) each.

    counts: votes by class and label, (annotators, true, given), each class without the annotator's own word for it.
    known: how much of the classes of his items the others know, 0 to 1: their variance over that of certain classes.
    value: bits by which the labels would be less certain without him, in all.
    """

    counts: Array
    known: Array
    value: Array


def informed(crowd: Crowd, others: Others) -> Informed:
    r"""How much each annotator's votes tell of what the others take for true.

    With n the annotator's votes by class and label, classes by a posterior from which his own votes are taken out,
    :math:`G = 2 \sum_{k l} n_{kl} \log \frac{n_{kl} N}{n_k n_l}`, of which chance alone makes as much as there are
    degrees of freedom; the rest is 2 N r times the mutual information. r, the share of the classes' variance that the
    others know, is what judging by uncertain classes leaves of it.
    """
    counts, known, _ = others
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    votes = rows.sum(axis=1)
    expected = rows[:, :, None] * columns[:, None] / np.maximum(votes, 1e-300)[:, None, None]
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=counts > 1e-12)
    statistic = np.maximum(2.0 * (counts * np.log(ratio)).sum(axis=(1, 2)), 0.0)
    freedom = np.maximum(((rows > 1.0).sum(axis=1) - 1.0) * ((columns > 0.5).sum(axis=1) - 1.0), 1.0)
    bits = np.maximum(statistic - freedom, 0.0) / np.maximum(2.0 * votes * known, 1e-300) / np.log(2.0)
    return Informed(bits, statistic, freedom, votes * known)


def beside_others(crowd: Crowd, posterior: Array, engine: str = "auto") -> Others:
    """Every annotator beside what the others take for true: his votes' words are taken out of the posterior."""
    n, n_classes = crowd.n_annotators, crowd.n_classes
    counts = bind(crowd, engine).confusion_counts(posterior)
    crowds = counts.sum(axis=0) + 1.0 / n_classes
    filled = counts + USUAL * crowds / crowds.sum(axis=1, keepdims=True)
    log_word = np.log(filled / filled.sum(axis=2, keepdims=True))
    beside, square, value = np.zeros(n * n_classes * n_classes), np.zeros(n), np.zeros(n)
    ends = np.searchsorted(crowd.item, np.arange(0, crowd.n_items, max(1, BLOCK // n_classes)))  # whole items
    for low, high in zip(ends, [*ends[1:], crowd.n_votes], strict=True):
        votes = slice(low, high)
        item, who, label = (code[votes].astype(np.int64) for code in (crowd.item, crowd.annotator, crowd.label))
        weight = np.ones(item.size) if crowd.weight is None else crowd.weight[votes]
        own = log_word[who, :, label] * weight[:, None]
        pair, place = np.unique(item * n + who, return_inverse=True)
        if pair.size < item.size:  # all that he said of the item
            own = np.stack([np.bincount(place, column, pair.size) for column in own.T], axis=1)[place]
        now = posterior[item]
        without = normalise(np.log(np.maximum(now, 1e-9)) - own)[0]
        for k in range(n_classes):
            cell = (who * n_classes + k) * n_classes + label
            beside += np.bincount(cell, weight * without[:, k], beside.size)
        square += np.bincount(who, weight * (without**2).sum(axis=1), n)
        once = np.unique(place, return_index=True)[1]
        value += np.bincount(who[once], (_bits(without) - _bits(now))[once], n)
    counts = beside.reshape(n, n_classes, n_classes)
    total = np.maximum(counts.sum(axis=(1, 2)), 1e-300)
    spread = ((counts.sum(axis=2) / total[:, None]) ** 2).sum(axis=1)
    known = np.clip((square / total - spread) / np.maximum(1.0 - spread, 1e-9), 1e-6, 1.0)
    return Others(counts, known, value)


def _bits(posterior: Array) -> Array:
    """Entropy of each row."""
    return np.asarray(-(posterior * np.log2(np.maximum(posterior, 1e-300))).sum(axis=1))
