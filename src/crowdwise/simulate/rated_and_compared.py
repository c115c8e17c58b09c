"""Ratings and comparisons drawn from a known truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..votes.codes import Array
from ..votes.comparisons import Comparisons
from ..votes.ratings import Ratings


class RatedItems(NamedTuple):
    """Ratings, the items' true values, and each annotator's bias, gain and spread."""

    ratings: Ratings
    truth: Array
    bias: Array
    gain: Array
    spread: Array


def ratings(
    *,
    n_items: int,
    n_annotators: int,
    per_item: int = 5,
    bias: float = 0.3,
    gain: float = 0.2,
    spread: tuple[float, float] = (0.3, 1.2),
    spammers: int = 0,
    flippers: int = 0,
    constant: int = 0,
    copies: int = 0,
    wild: float = 0.0,
    seed: int = 0,
) -> RatedItems:
    """Values from a standard normal, annotators with biases, gains and spreads of their own.

    The last annotators are the odd ones: `spammers` rate without looking, `flippers` reverse the scale, `constant`
    ones always say the same, `copies` repeat the first annotator. wild: a share of all ratings that are anything.

    >>> ratings(n_items=30, n_annotators=5, per_item=3).ratings
    Ratings(90 votes, 30 items, 5 annotators)
    """
    if spammers + flippers + constant + copies >= n_annotators or per_item > n_annotators:
        raise InputError(f"n_annotators={n_annotators} are too few for so many odd ones, or for {per_item} an item")
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_items)
    biases, gains = rng.normal(0.0, bias, n_annotators), rng.normal(1.0, gain, n_annotators)
    spreads = rng.uniform(*spread, n_annotators)
    kinds = np.repeat(
        [0, 1, 2, 3, 4], [n_annotators - spammers - flippers - constant - copies, spammers, flippers, constant, copies]
    )
    gains = np.select([kinds == 1, kinds == 2, kinds == 3], [0.0, -gains, 0.0], gains)
    spreads = np.where(kinds == 1, 1.0, np.where(kinds == 3, 0.0, spreads))
    item = np.repeat(np.arange(n_items), per_item)
    annotator = np.argsort(rng.random((n_items, n_annotators)), axis=1)[:, :per_item].ravel()
    noise = rng.normal(size=(n_items, n_annotators))
    noise[:, kinds == 4] = noise[:, :1]
    source = np.where(kinds[annotator] == 4, 0, annotator)
    value = biases[source] + gains[source] * truth[item] + spreads[source] * noise[item, annotator]
    odd = rng.random(value.size) < wild
    value[odd] = rng.normal(0.0, 8.0, int(odd.sum()))
    said = Ratings(
        item=item, annotator=annotator, value=value, items=np.arange(n_items), annotators=np.arange(n_annotators)
    )
    return RatedItems(said, truth, biases, gains, spreads)


class ComparedItems(NamedTuple):
    """Comparisons, the items' true scores, and each annotator's reliability (1: honest, 0: a coin, -1: a flipper)."""

    comparisons: Comparisons
    truth: Array
    reliability: Array


def comparisons(
    *,
    n_items: int,
    n_annotators: int,
    per_annotator: int = 50,
    spread: float = 1.5,
    ties: float = 0.0,
    spammers: int = 0,
    flippers: int = 0,
    left: int = 0,
    copies: int = 0,
    wild: float = 0.0,
    seed: int = 0,
) -> ComparedItems:
    """Pairs drawn at random; the left item wins with the logistic of the difference of scores.

    The last annotators are the odd ones: `spammers` toss a coin, `flippers` say the other item, `left` ones nearly
    always say left, `copies` say what the first annotator said of the same pairs. ties: a share of the comparisons that
    are called a tie; wild: a share of the answers that are given without a look, whoever gives them.

    >>> comparisons(n_items=9, n_annotators=4, per_annotator=20).comparisons
    Comparisons(80 votes, 9 items, 4 annotators, 3 classes)
    """
    odd = spammers + flippers + left + copies
    if odd >= n_annotators or n_items < 2:
        raise InputError(
            f"n_annotators={n_annotators} are too few for so many odd ones, or there is nothing to compare"
        )
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.0, spread, n_items)
    n = n_annotators * per_annotator
    annotator = np.repeat(np.arange(n_annotators), per_annotator)
    one = rng.integers(n_items, size=n)
    other = (one + rng.integers(1, n_items, size=n)) % n_items
    kinds = np.repeat(range(5), [n_annotators - odd, spammers, flippers, left, copies])[annotator]
    sign = np.select([kinds == 1, kinds == 2], [0.0, -1.0], 1.0)
    chance = 1.0 / (1.0 + np.exp(-sign * (truth[one] - truth[other])))
    chance = np.where(kinds == 3, 0.95, chance)
    label = np.where(rng.random(n) < chance, 0, 1)
    label[rng.random(n) < ties] = 2
    careless = rng.random(n) < wild
    label[careless] = rng.integers(2, size=int(careless.sum()))
    copied = kinds == 4
    for column in (one, other, label):
        column[copied] = np.tile(column[:per_annotator], copies)
    said = Comparisons(
        item=one, other=other, annotator=annotator, label=label, items=np.arange(n_items),
        annotators=np.arange(n_annotators), classes=np.array(["left", "right", "tie"], object),
    )  # fmt: skip
    reliability = np.zeros(n_annotators)
    reliability[annotator] = np.where(kinds == 3, 0.0, sign)
    return ComparedItems(said, truth, reliability)
