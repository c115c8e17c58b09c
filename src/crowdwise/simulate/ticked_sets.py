"""Label sets and similarities drawn from a known truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..votes.codes import Array
from ..votes.label_sets import SEPARATOR, LabelSets
from ..votes.similarities import Similarities


class TickedSets(NamedTuple):
    """Answers, the true set of each item (labels joined by |), and each annotator's chance to see a label."""

    sets: LabelSets
    truth: Array
    sees: Array


class PairedItems(NamedTuple):
    """Answers, the true cluster of each item, and each annotator's chance to see that two are the same."""

    similarities: Similarities
    truth: Array
    sees: Array


def label_sets(
    *,
    n_items: int,
    n_annotators: int,
    per_item: int = 5,
    labels: tuple[str, ...] = ("sea", "sky", "sun", "town"),
    share: float = 0.3,
    sees: tuple[float, float] = (0.5, 0.95),
    makes_up: float = 0.05,
    spammers: int = 0,
    seed: int = 0,
) -> TickedSets:
    """Sets in which the first two labels go together; annotators overlook labels, and make some up.

    The last annotators, `spammers`, tick at random.

    >>> label_sets(n_items=50, n_annotators=8, per_item=4).sets.n_votes
    800
    """
    if per_item > n_annotators or spammers >= n_annotators:
        raise InputError(f"n_annotators={n_annotators} are too few for so many spammers, or for {per_item} an item")
    rng = np.random.default_rng(seed)
    true = rng.random((n_items, len(labels))) < share
    true[:, 1] = np.where(rng.random(n_items) < 0.7, true[:, 0], true[:, 1])
    skill = rng.uniform(*sees, (n_annotators, len(labels)))
    item = np.repeat(np.arange(n_items), per_item)
    who = np.concatenate([rng.permutation(n_annotators)[:per_item] for _ in range(n_items)])
    chance = np.where(true[item], skill[who], makes_up)
    chance = np.where((who >= n_annotators - spammers)[:, None], 0.5, chance)
    said = rng.random(chance.shape) < chance
    texts = [_joined(row, labels) for row in said]
    made = LabelSets.from_columns(item, who, texts, options=labels)
    return TickedSets(made, np.array([_joined(row, labels) for row in true], object), skill.mean(axis=1))


def similarities(
    *,
    n_items: int,
    n_annotators: int,
    n_votes: int,
    n_clusters: int = 4,
    sees: tuple[float, float] = (0.6, 0.95),
    parts: tuple[float, float] = (0.7, 0.95),
    spammers: int = 0,
    seed: int = 0,
) -> PairedItems:
    """Pairs drawn at random, half of them within a cluster; annotators see same and different, each in their own way.

    The last annotators, `spammers`, toss a coin.

    >>> similarities(n_items=50, n_annotators=8, n_votes=400).similarities.n_votes
    400
    """
    if n_clusters > n_items or spammers >= n_annotators:
        raise InputError(f"n_clusters={n_clusters} for {n_items} items, or {spammers} spammers, are too many")
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n_items) % n_clusters)
    left = rng.integers(n_items, size=4 * n_votes)
    right = rng.integers(n_items, size=4 * n_votes)
    same = truth[left] == truth[right]
    keep = (left != right) & (rng.random(left.size) < np.where(same, 1.0, 1.0 / max(n_clusters - 1, 1)))
    keep = np.flatnonzero(keep)[:n_votes]
    left, right, same = left[keep], right[keep], same[keep]
    a, b = rng.uniform(*sees, n_annotators), rng.uniform(*parts, n_annotators)
    a[n_annotators - spammers :] = b[n_annotators - spammers :] = 0.5
    who = rng.integers(n_annotators, size=left.size)
    yes = rng.random(left.size) < np.where(same, a[who], 1.0 - b[who])
    made = Similarities.from_columns(left, right, who, yes, items=range(n_items))
    return PairedItems(made, truth, a)


def _joined(ticked: Array, labels: tuple[str, ...]) -> str:
    return SEPARATOR.join(label for label, yes in zip(labels, ticked.tolist(), strict=True) if yes)
