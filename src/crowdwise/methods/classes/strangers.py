"""Strangers: how sure votes can make anybody who knows nothing of the annotators, and when a model may be surer."""

from __future__ import annotations

import numpy as np

from ...engine import NumpyEngine
from ...votes.codes import Array
from ...votes.known import Known
from ...votes.ties import tied

USUAL, STRENGTH = 0.7, 8.0  # how often a stranger is right, and how many votes that belief is worth
MISLED = 0.1  # of the items mislead everybody: agreement on them says nothing, and votes do not show which they are
ACQUAINTED = 10.0  # votes beside others' that make a model's word of an annotator worth half
KNOWS = (np.arange(24) + 0.5) / 24  # chance that a voter knows the answer to an item
MEANS = (np.arange(12) + 0.5) / 12  # of that chance, over items
SPREADS = np.array([0.05, 0.1, 0.2, 0.35, 0.5])  # how far items differ in it
BLOCK = 4_000_000  # numbers held at once


def population(counts: Array) -> Array:
    r"""What votes say of the crowd that they came from: a distribution over a grid of populations.

    counts: of the votes on each item, (items, classes). Voters on item i know the answer with chance :math:`a_i`, and
    guess otherwise; :math:`a_i` is drawn from a Beta of mean :math:`\mu` and intra-class correlation :math:`\rho`. Of
    :math:`\mu` it is believed beforehand, with the worth of eight votes, that strangers are right .7 of the time. Votes
    that meet no other vote say nothing of their crowd, and that is all that is left.
    """
    n_classes = counts.shape[1]
    if n_classes == 1:
        return np.full(_grid().shape[1], 1.0 / _grid().shape[1])
    least, most = 0.1, 0.9
    knows = np.clip((USUAL - 1.0 / n_classes) / ((1.0 - MISLED) * (1.0 - 1.0 / n_classes)), least, most)
    log = (STRENGTH * knows - 1.0) * np.log(MEANS) + (STRENGTH * (1.0 - knows) - 1.0) * np.log1p(-MEANS)
    log = np.repeat(log, SPREADS.size)
    pattern, _, times = _patterns(np.sort(counts, axis=1))
    for some, many in _blocks(pattern, times):
        log += many @ np.log(_chances(some).sum(axis=1))
    chance = np.exp(log - log.max())
    return np.asarray(chance / chance.sum())


def strangers_say(counts: Array, crowd: Array) -> Array:
    """A distribution over classes for each item, by its votes, whoever gave them, and what `population` found."""
    n_classes = counts.shape[1]
    order = np.argsort(counts, axis=1, kind="stable")
    pattern, which, _ = _patterns(np.take_along_axis(counts, order, axis=1))
    said = np.empty(pattern.shape)
    low = 0
    for some, _ in _blocks(pattern, np.ones(len(pattern))):
        chance = _chances(some)
        said[low : low + len(some)] = (chance / chance.sum(axis=1, keepdims=True)) @ crowd
        low += len(some)
    said = (1.0 - MISLED) * said + MISLED / n_classes
    out = np.empty(counts.shape)
    np.put_along_axis(out, order, said[which], axis=1)
    return out


def acquaintance(ops: NumpyEngine) -> Array:
    """How many votes of each annotator stand beside others' votes: whole numbers, (annotators,)."""
    return np.round(ops.annotator_votes(_met(ops)).sum(axis=1)).astype(np.int64)


def supported(ops: NumpyEngine, posterior: Array, crowd: Array, heard: Array, known: Known | None) -> Array:
    r"""A model's posterior, as far as the votes support it: labels stay, confidence may fall.

    A model that has seen little of an item's annotators is believed little: with g other votes of an annotator beside
    others' votes, :math:`g / (g + 10)`, the mean of an item's annotators; the rest is what strangers' votes say.
    crowd: from `population`; heard: from `acquaintance`, -1 for somebody who was not there.
    """
    counts = ops.item_votes()
    others = np.maximum(heard[ops.annotator] - _met(ops), 0.0)
    total = counts.sum(axis=1)
    trust = ops.item_votes(others / (others + ACQUAINTED)).sum(axis=1) / np.where(total > 0.0, total, 1.0)
    trust = np.maximum(trust, 1e-3)[:, None]
    said = strangers_say(counts, crowd)
    said = said if known is None else known.obeyed(said)
    top = tied(posterior)  # nothing may overtake the label
    label = (said * top).sum(axis=1, keepdims=True) / top.sum(axis=1, keepdims=True)
    humble = np.where(top, label, np.minimum(said, label))
    return np.asarray(trust * posterior + (1.0 - trust) * humble / humble.sum(axis=1, keepdims=True))


def humbled(ops: NumpyEngine, posterior: Array) -> Array:
    """A posterior that is no surer than these votes support: for what is put together of several fits."""
    return supported(ops, posterior, population(ops.item_votes()), acquaintance(ops), None)


def _met(ops: NumpyEngine) -> Array:
    """1 for each vote on an item that others voted on too."""
    return (np.bincount(ops.item, minlength=ops.n_items) > 1)[ops.item].astype(float)


def _grid() -> Array:
    """Chances of `KNOWS` in each population, (nodes, populations)."""
    size = 1.0 / SPREADS - 1.0
    right, wrong = (np.outer(mean, size).ravel() for mean in (MEANS, 1.0 - MEANS))
    log = np.outer(np.log(KNOWS), right - 1.0) + np.outer(np.log1p(-KNOWS), wrong - 1.0)
    chance = np.exp(log - log.max(axis=0))
    return np.asarray(chance / chance.sum(axis=0))


def _chances(counts: Array) -> Array:
    """How likely some items' votes are if each class is true, up to a factor: (items, classes, populations)."""
    n_classes = counts.shape[1]
    log = counts.sum(axis=1)[:, None, None] * np.log1p(-KNOWS)
    log = log + counts[:, :, None] * np.log1p(n_classes * KNOWS / (1.0 - KNOWS))
    return np.asarray(np.exp(log - log.max(axis=(1, 2), keepdims=True)) @ _grid())


def _patterns(rows: Array) -> tuple[Array, Array, Array]:
    """Rows that are alike once: the rows, which of them each one is, and how often each is there."""
    # Two drawn projections tell rows apart, and are sorted far faster than rows.
    key = np.round(rows @ np.random.default_rng(0).random((rows.shape[1], 2)), 9)
    _, first, which, times = np.unique(
        key[:, 0] + 1j * key[:, 1], return_index=True, return_inverse=True, return_counts=True
    )
    return rows[first], which, times


def _blocks(rows: Array, times: Array) -> list[tuple[Array, Array]]:
    step = max(1, BLOCK // (rows.shape[1] * KNOWS.size))
    return [(rows[low : low + step], times[low : low + step]) for low in range(0, len(rows), step)]
