"""What annotators are worth without truth: scores that nobody has who does not look."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.keyed import keyed_uniform
from ...votes.table import Table

LEAST = 2  # items of a half, below which nothing is scored
SPLITS = 10


def determinant_information(crowd: Crowd, *, seed: int = 0) -> Table:
    r"""Determinant mutual information: one row per annotator, score and items.

    The items that an annotator shares with others are cut into two halves; in each, the joint table T of their label
    and those of the others there is counted, and the score is :math:`\det T_1 \det T_2`, normalised by the halves'
    sizes and brought back to the scale of one determinant. In expectation it is zero for whatever does not depend on
    the item, and telling the truth is best whatever others do. Its sign says nothing: who always lies is as telling.

    Reference: Kong, SODA 2020.

    >>> from crowdwise import simulate
    >>> made = simulate.crowd(simulate.one_coin(8, 2, 0.9) + simulate.one_class(2, 2), n_items=400, per_item=5, seed=0)
    >>> table = determinant_information(made.crowd)
    >>> bool(table["score"][:8].min() > table["score"][8:].max())
    True
    """
    crowd = Crowd.of(crowd)
    k, n = crowd.n_classes, crowd.n_annotators
    product, heard = np.zeros(n), np.zeros((2, n))
    for split in range(SPLITS):
        half = (keyed_uniform(seed * SPLITS + split, crowd.item_hash)[crowd.item] < 0.5).astype(np.int64)
        tables = np.stack([_beside_others(crowd, half == side) for side in (0, 1)])
        size = tables.sum(axis=(2, 3))
        product += np.linalg.det(tables / np.maximum(size, 1.0)[:, :, None, None]).prod(axis=0) / SPLITS
        heard += size / SPLITS
    score = np.sign(product) * np.abs(product) ** 0.5 * k**k  # 1 for who always agrees on even classes
    score = np.where((heard >= LEAST).all(axis=0), score, np.nan)
    return Table({"annotator": crowd.annotators, "score": score, "items": np.round(heard.sum(axis=0)).astype(np.int64)})


def correlated_agreement(crowd: Crowd) -> Table:
    r"""Correlated agreement: one row per annotator, score and items.

    Pays for pairs of labels that occur together more often than by chance, and charges what chance gives:
    :math:`\sum_{kl} (P_{kl} - P_k P_l) 1[\Delta_{kl} > 0]`, :math:`\Delta` being the crowd's.

    Reference: Shnayder, Agarwal, Frongillo & Parkes, EC 2016.

    >>> from crowdwise import simulate
    >>> made = simulate.crowd(simulate.one_coin(8, 2, 0.9) + simulate.spammers(2, 2), n_items=300, per_item=5, seed=0)
    >>> table = correlated_agreement(made.crowd)
    >>> bool(table["score"][:8].min() > table["score"][8:].max())
    True
    """
    crowd = Crowd.of(crowd)
    tables = _beside_others(crowd, np.ones(crowd.n_votes, bool))
    size = tables.sum(axis=(1, 2))
    share = tables / np.maximum(size, 1.0)[:, None, None]
    excess = share - share.sum(axis=2, keepdims=True) * share.sum(axis=1, keepdims=True)
    whole = tables.sum(axis=0) / max(tables.sum(), 1.0)
    together = whole - whole.sum(axis=1, keepdims=True) * whole.sum(axis=0, keepdims=True) > 0.0
    score = np.where(size >= LEAST, (excess * together).sum(axis=(1, 2)), np.nan)
    return Table({"annotator": crowd.annotators, "score": score, "items": size.astype(np.int64)})


def surprisingly_popular(crowd: Crowd, others: Any) -> Table:
    """The label that is more popular than people think it is: one row per item, label and surprise.

    others: for each vote, the share of people that its annotator thinks will give the last of the two classes. Right
    where most people are wrong, and know that most people say so.

    Reference: Prelec, Seung & McCoy, Nature 541, 2017.

    >>> crowd = Crowd.from_triples([("capital?", "a", "no"), ("capital?", "b", "yes"), ("capital?", "c", "yes")])
    >>> surprisingly_popular(crowd, [0.9, 0.95, 0.95])["label"].tolist()
    ['no']
    """
    if crowd.n_classes != 2:
        raise InputError(f"two classes are needed, and there are {crowd.n_classes}")
    guess = np.asarray(others, float)
    if guess.shape != (crowd.n_votes,) or not ((guess >= 0.0) & (guess <= 1.0)).all():
        raise InputError(f"others: a share between 0 and 1 is needed for each of the {crowd.n_votes} votes")
    n = np.maximum(np.bincount(crowd.item, minlength=crowd.n_items), 1)
    share = np.bincount(crowd.item, crowd.label == 1, crowd.n_items) / n
    expected = np.bincount(crowd.item, guess, crowd.n_items) / n
    surprise = share - expected
    return Table({"item": crowd.items, "label": crowd.classes[(surprise > 0.0).astype(int)], "surprise": surprise})


def _beside_others(crowd: Crowd, some: Array) -> Array:
    """For each annotator how often each label of theirs stands beside which of the others', by some of the votes: each
    vote counts once, shared among the others on its item; (annotators, own, others')."""
    k, n = crowd.n_classes, crowd.n_annotators
    item, who, label = (np.asarray(column, np.int64) for column in (crowd.item, crowd.annotator, crowd.label))
    counts = np.bincount(item * k + label, minlength=crowd.n_items * k).reshape(-1, k).astype(float)
    others = counts[item]
    others[np.arange(label.size), label] -= 1.0
    total = others.sum(axis=1, keepdims=True)
    others = others / np.maximum(total, 1.0) * some[:, None]
    cell = who * k + label
    return np.stack([np.bincount(cell, column, n * k).reshape(n, k) for column in others.T], axis=2)
