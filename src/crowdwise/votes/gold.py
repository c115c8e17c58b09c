"""Gold labels and priors of items, checked, as what is known beforehand."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..errors import DataWarning, InputError, how_many
from .codes import Array, find, shown
from .crowd import Crowd
from .frames import labels_by_item
from .known import Known

FEWEST_KNOWN = 20  # items, from which it can be told whether their labels are those of others
AGREED = 0.1  # beyond chance, of pairs of votes on an item: the votes agree with each other


def gold_codes(crowd: Crowd, gold: Any) -> Array:
    """The class code of each item, -1 where it is not known.

    >>> crowd = Crowd.from_matrix([[0, 1], [1, 1]])
    >>> gold_codes(crowd, {1: 0}).tolist()
    [-1, 0]
    """
    items, labels = labels_by_item(gold)
    place, code = find(items, crowd.items), find(labels, crowd.classes)
    strange = place < 0
    if strange.any():
        count, first = how_many(int(strange.sum()), "items"), shown(items[strange][0])
        text = f"gold names {count} without votes, such as {first}; left out"
        warnings.warn(text, DataWarning, stacklevel=2)
    place, code, labels = place[~strange], code[~strange], labels[~strange]
    if (code < 0).any():
        wrong = int((code < 0).argmax())
        raise InputError(
            f"gold label {shown(labels[wrong])} of item {shown(crowd.items[place[wrong]])} is not among the classes "
            f"{crowd.classes.tolist()}; add it with crowd.with_names(classes=...)"
        )
    out = np.full(crowd.n_items, -1)
    out[place] = code
    if (out[place] != code).any():
        twice = crowd.items[place[int((out[place] != code).argmax())]]
        raise InputError(f"gold has several labels for item {shown(twice)}")
    return out


def against_votes(crowd: Crowd, gold: Any) -> tuple[str, ...]:
    """A sentence if known labels contradict the votes on their items: are they of other items, or codes?

    Either nearly all votes, or as many as labels of other items would, though the votes agree with each other.

    >>> crowd = Crowd.from_matrix([[k % 2] * 5 for k in range(20)])
    >>> against_votes(crowd, {k: 1 - k % 2 for k in range(20)})[0].partition(":")[0]
    'the known labels contradict 100 of 100 votes on their items'
    >>> against_votes(crowd, {k: k % 2 for k in range(20)})
    ()
    """
    if gold is None:
        return ()
    told = gold_codes(crowd, gold)[crowd.item]
    voted, known = crowd.label[told >= 0], told[told >= 0]
    if not known.size:
        return ()
    shares = [np.bincount(codes, minlength=crowd.n_classes) / known.size for codes in (voted, known)]
    chance, right = float((shares[0] * shares[1]).sum()), int((voted == known).sum())
    guessed = chance * known.size
    against = f"{known.size - right:,} of {how_many(known.size, 'votes')}"
    if right <= min(guessed / 2, guessed - 3.0 * np.sqrt(guessed)):  # not by accident
        return (f"the known labels contradict {against} on their items: are items or labels mixed up?",)
    if _as_by_chance(crowd, gold_codes(crowd, gold)):
        return (
            f"the known labels contradict {against} on their items, as labels of other items would, though the votes "
            "agree with each other: are items mixed up?",
        )
    return ()


def _as_by_chance(crowd: Crowd, told: Array) -> bool:
    """Whether known labels agree with votes no better than by chance where votes agree with each other."""
    votes = np.zeros((crowd.n_items, crowd.n_classes))
    np.add.at(votes, (crowd.item, crowd.label), 1.0)
    total = votes.sum(axis=1)
    several = (told >= 0) & (total > 1)
    votes, total, known = votes[several], total[several], told[several]
    if known.size < FEWEST_KNOWN:
        return False
    right = votes[np.arange(known.size), known] / total
    alike = (votes * (votes - 1.0)).sum(axis=1) / (total * (total - 1.0))
    share = votes.sum(axis=0) / total.sum()
    chance = float((share * np.bincount(known, minlength=share.size)).sum() / known.size)
    error = max(float(right.std()), 0.1) / np.sqrt(known.size)
    return bool(right.mean() < chance + 2.0 * error and alike.mean() - (share**2).sum() > max(6.0 * error, AGREED))


def distributions(name: str, crowd: Crowd, values: Any) -> Array:
    """An (items, classes) array of probabilities, rows made to sum to 1; anything else is an error that says why."""
    if hasattr(values, "columns"):
        raise InputError(f"{name} must be an array in the order of crowd.items and crowd.classes, not a frame")
    try:
        rows = np.array(values, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an (items, classes) array of numbers") from error
    if rows.shape != (crowd.n_items, crowd.n_classes):
        raise InputError(f"{name} is {rows.shape}; it needs {(crowd.n_items, crowd.n_classes)}")
    bad = ~(np.isfinite(rows) & (rows >= 0.0)).all(axis=1) | (rows.sum(axis=1) <= 0.0)
    if bad.any():
        raise InputError(f"{name} of item {shown(crowd.items[int(bad.argmax())])} is no distribution")
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def known_classes(crowd: Crowd, gold: Any, item_prior: Any) -> Known | None:
    """What gold and a prior of the items say, as logs; None where nothing is known."""
    if gold is None and item_prior is None:
        return None
    code = np.full(crowd.n_items, -1) if gold is None else gold_codes(crowd, gold)
    if item_prior is None:
        item = np.flatnonzero(code >= 0)
        log_rows = np.zeros((item.size, crowd.n_classes))
    else:
        item = np.arange(crowd.n_items)
        with np.errstate(divide="ignore"):
            log_rows = np.log(distributions("item_prior", crowd, item_prior))
    sure = np.flatnonzero(code[item] >= 0)
    log_rows[sure] = -np.inf
    log_rows[sure, code[item][sure]] = 0.0
    return Known(item, log_rows)
