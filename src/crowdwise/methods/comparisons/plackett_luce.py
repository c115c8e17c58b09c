"""PlackettLuce: scores from whole lists, each place given to one of those that are left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...fit.method import Watch
from ...fit.options import AnyNumber
from ...votes.codes import Array, encode
from ...votes.comparisons import Comparisons
from .comparison_method import ComparisonMethod, Found
from .pairs import STEPS, about_mean

CONTEXT = "context"
ROUNDS = 20
SETTLED = 1e-10


class Lists(NamedTuple):
    """Lists of one length, best first, (lists, length), and how much each counts."""

    order: Array
    weight: Array


@dataclass(frozen=True, kw_only=True)
class PlackettLuce(ComparisonMethod):
    r"""The best of a list is item i with chance :math:`e^{s_i} / \sum_k e^{s_k}`, then the best of the others, and on.

    A list is what one annotator said of one context, each two of its items compared once and in one order
    (`Comparisons.from_rankings`); other comparisons are lists of two, a tie half of each order: of pairs alone, this is
    `bradley-terry`. Pairs of one list are not independent, and `bradley-terry` is too sure of them. O(lists x
    length^2 + items^3), a step.

    ridge: how strongly scores are drawn to 0; None learns it from their spread.

    Reference: Plackett, Applied Statistics 24, 1975; Hunter, Annals of Statistics 32, 2004.

    >>> from crowdwise import Comparisons, PlackettLuce
    >>> said = Comparisons.from_rankings([["a", "b", "c"], ["a", "c", "b"], ["b", "a"]], ["x", "y", "z"])
    >>> PlackettLuce().fit(said).estimate.columns()["rank"].tolist()
    [1, 2, 3]
    """

    name: ClassVar[str] = "plackett-luce"
    ridge: AnyNumber | None = None

    def find(self, votes: Comparisons, watch: Watch) -> Found:
        lists, n = list(lists_of(votes)), votes.n_items
        ridge = 0.5 if self.ridge is None else self.ridge
        score, trace = np.zeros(n), [-np.inf]
        variance = np.full(n, 1.0 / ridge)
        for _ in range(ROUNDS):
            score, value, variance = _climbed(lists, score, ridge)
            trace.append(value)
            found = ridge if self.ridge is not None else 1.0 / max(float((score**2 + variance).mean()), 1e-3)
            if watch(len(trace) - 1, value) or abs(found - ridge) <= 1e-4 * ridge:
                break
            ridge = found
        return Found(score, about_mean(variance, ridge), {})


def lists_of(votes: Comparisons) -> Iterator[Lists]:
    """The lists that comparisons are of, by their length."""
    weight, n = votes._weight(), votes.n_votes
    context = votes.extra.get(CONTEXT)
    code = np.zeros(n, np.int64) if context is None else encode(context)[1].astype(np.int64)
    _, group = np.unique(code * votes.n_annotators + votes.annotator, return_inverse=True)
    wins = np.concatenate([votes.label == 0, votes.label == 1])  # of each item in each of its comparisons
    who = np.concatenate([votes.item, votes.other]).astype(np.int64)
    key, place = np.unique(np.tile(group, 2) * votes.n_items + who, return_inverse=True)
    place_wins, its_group = np.bincount(place, wins).astype(np.int64), key // votes.n_items
    length = np.bincount(its_group)
    # A list of k has each two once, no tie, and one item with k - 1 wins, one with k - 2, and so on.
    in_order = np.lexsort((-place_wins, its_group))
    rank = np.arange(key.size) - np.repeat(np.cumsum(length) - length, length)
    right = place_wins[in_order] == length[its_group[in_order]] - 1 - rank
    size, own = np.bincount(group), np.bincount(group, weight) / np.bincount(group)
    whole = (np.bincount(its_group[in_order], ~right) == 0) & (size == length * (length - 1) // 2) & (size > 1)
    whole &= (np.bincount(group, votes.label == 2) == 0) & (np.bincount(group, np.abs(weight - own[group])) < 1e-9)
    items = (key % votes.n_items)[in_order]
    for k in np.unique(length[whole]).tolist():
        of_k = whole & (length == k)
        yield Lists(items[of_k[its_group[in_order]]].reshape(-1, k), own[of_k])
    rest = ~whole[group]
    pair = np.stack([votes.item[rest], votes.other[rest]], axis=1).astype(np.int64)
    won, counts, orders = votes.won[rest], weight[rest], np.concatenate([pair, pair[:, ::-1]])
    shares = np.concatenate([counts * won, counts * (1.0 - won)])
    if (shares > 0.0).any():
        yield Lists(orders[shares > 0.0], shares[shares > 0.0])


def _climbed(lists: list[Lists], score: Array, ridge: float) -> tuple[Array, float, Array]:
    """The likeliest scores under a ridge, by Newton's method with halved steps; the objective, and variances."""
    from scipy.linalg import cho_factor, cho_solve

    value, slope, curve = _objective(lists, score, ridge)
    for _ in range(STEPS):
        move = cho_solve(cho_factor(curve), slope)
        before = value
        for _ in range(20):
            value, slope, curve = _objective(lists, score + move, ridge)
            if value >= before - 1e-12 * abs(before):
                break
            move = move / 2.0
        score = score + move
        if value - before <= SETTLED * max(abs(value), 1.0):
            break
    return score, value, np.diag(np.linalg.inv(curve))


def _objective(lists: list[Lists], score: Array, ridge: float) -> tuple[float, Array, Array]:
    """Log chance of all lists and of the scores, its slope, and its curve (turned positive)."""
    n = score.size
    value, slope, curve = -ridge / 2.0 * float(score @ score), -ridge * score, ridge * np.eye(n)
    for order, weight in lists:
        own = score[order]
        for place in range(order.shape[1] - 1):
            left = order[:, place:]
            log = own[:, place:] - own[:, place:].max(axis=1, keepdims=True)
            chance = np.exp(log)
            total = chance.sum(axis=1, keepdims=True)
            chance /= total
            value += float(weight @ (log[:, 0] - np.log(total[:, 0])))
            slope += np.bincount(left[:, 0], weight, n)
            slope -= np.bincount(left.ravel(), (weight[:, None] * chance).ravel(), n)
            curve[np.diag_indices(n)] += np.bincount(left.ravel(), (weight[:, None] * chance).ravel(), n)
            both = (weight[:, None, None] * chance[:, :, None] * chance[:, None, :]).ravel()
            at = (left[:, :, None] * n + left[:, None, :]).ravel()
            curve -= np.bincount(at, both, n * n).reshape(n, n)
    return value, slope, curve
