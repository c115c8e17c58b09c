"""What a vote would tell: the scores by which questions are chosen, for pairs of an item and an annotator."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..votes.codes import Array

EARLY, RARE = 0.5, 0.05  # chances of a random annotator in the tutorial's rule, in its first votes and after
FIRST = 100
PAIRS = 65_536  # whose matrices are in memory at once


class Belief(NamedTuple):
    """What is believed now: classes of items, matrices of annotators, and how many votes each has.

    posterior: (items, classes); confusion: (annotators, true, given); item_votes, annotator_votes: counts; crowd: the
    matrix of a stranger; n_votes: how many there are in all.
    """

    posterior: Array
    confusion: Array
    item_votes: Array
    annotator_votes: Array
    crowd: Array
    n_votes: int


Gain = Callable[[Belief, Array, Array, np.random.Generator], Array]


def entropy(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """How little is known of the item's class, in nats; the annotator is a lot."""
    q = belief.posterior[item]
    return np.asarray(-(q * np.log(np.maximum(q, 1e-300))).sum(axis=1))


def margin(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """How near the second class of the item is to the first."""
    top = np.sort(belief.posterior[item], axis=1)
    return np.asarray(1.0 - (top[:, -1] - (top[:, -2] if top.shape[1] > 1 else 0.0)))


def joint(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    r"""Information that the vote is expected to give of the item's class, in nats.

    :math:`\sum_{kl} q_k A_j[k, l] \log (A_j[k, l] / m_l)`, with :math:`m = q A_j`.
    """
    return information(belief.posterior, belief.confusion, item, annotator)


def item_information(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """The same, of a usual annotator: who is asked is a lot."""
    return information(belief.posterior, belief.crowd[None], item, np.zeros(item.size, np.int64))


def error_reduction(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """By how much the label is expected to be right more often; where none can change it, the information decides."""
    q, a = belief.posterior[item], belief.confusion[annotator]
    best = (q[:, :, None] * a).max(axis=1).sum(axis=1)
    return np.asarray(best - q.max(axis=1) + 1e-6 * joint(belief, item, annotator, rng))


def entropy_and_skill(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """The tutorial's rule: the item of most entropy, and the best annotator but for a share of random ones."""
    skill = np.einsum("jkk->j", belief.confusion) / belief.confusion.shape[1]
    by_lot = rng.random(len(belief.posterior)) < (EARLY if belief.n_votes < FIRST else RARE)  # drawn for each question
    chosen = np.where(by_lot[item], rng.random(item.size), skill[annotator])
    return entropy(belief, item, annotator, rng) + 1e-6 * chosen


def thompson(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """The information by matrices that are drawn from what is believed of annotators."""
    votes = belief.annotator_votes[:, None, None] / belief.confusion.shape[1]
    drawn = rng.gamma(np.maximum(votes * belief.confusion + 4.0 * belief.crowd, 1e-3))
    drawn /= drawn.sum(axis=2, keepdims=True)
    return information(belief.posterior, drawn, item, annotator)


def ucb(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """Entropy times the upper end of an annotator's accuracy (Rangi & Franceschetti 2018)."""
    skill = np.einsum("jkk->j", belief.confusion) / belief.confusion.shape[1]
    width = np.sqrt(1.5 * np.log(max(belief.n_votes, 2)) / np.maximum(belief.annotator_votes, 1.0))
    return entropy(belief, item, annotator, rng) * np.minimum(skill + width, 1.0)[annotator]


def fewest(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """Items with the fewest votes first: a fixed overlap."""
    return 1.0 / (1.0 + belief.item_votes[item])


def nothing(belief: Belief, item: Array, annotator: Array, rng: np.random.Generator) -> Array:
    """No item before another."""
    return np.zeros(item.size)


def information(posterior: Array, confusion: Array, item: Array, annotator: Array) -> Array:
    """Mutual information of the class and the vote, for pairs: posterior (items, true), confusion (annotators, ...)."""
    who, rank = np.unique(annotator, return_inverse=True)
    matrix = confusion[who]
    row = (matrix * np.log(np.maximum(matrix, 1e-300))).sum(axis=2)
    told = np.empty(item.size)
    for at in range(0, item.size, PAIRS):  # some at a time: the matrices of all pairs may not fit the memory
        some = slice(at, at + PAIRS)
        q, j = posterior[item[some]], rank[some]
        m = np.einsum("vk,vkl->vl", q, matrix[j])
        told[some] = (q * row[j]).sum(axis=1) - (m * np.log(np.maximum(m, 1e-300))).sum(axis=1)
    return told


GAINS: dict[str, tuple[Gain, str]] = {
    "joint": (joint, "tells {gain:.3f} nats"),
    "error-reduction": (error_reduction, "right more often by {gain:.3f}"),
    "item-information": (item_information, "a usual vote tells {gain:.3f} nats"),
    "entropy": (entropy, "{gain:.3f} nats are not known of it"),
    "margin": (margin, "the second class is near: {gain:.2f}"),
    "entropy-skill": (entropy_and_skill, "{gain:.3f} nats are not known of it"),
    "thompson": (thompson, "may tell {gain:.3f} nats"),
    "ucb": (ucb, "may tell {gain:.3f}"),
    "overlap": (fewest, "few votes yet"),
    "random": (nothing, "by lot"),
}
