"""Comparisons placed where their sums are computed: pairs of items that met, and the answers on each pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..votes.codes import Array, smallest_int
from ..votes.comparisons import Comparisons
from .cores import available_cores

SMALL = 100_000  # pairs or answers, below which NumPy is done before numba is imported


class Pairs(NamedTuple):
    """left < right: codes of items that met; wins and losses of the left one, ties being half of each. They add."""

    left: Array
    right: Array
    wins: Array
    losses: Array


class People(NamedTuple):
    """What is believed of annotators: how often they say what they see, toss a coin, and which share of it is left."""

    honesty: Array
    coin: Array
    left_share: Array


class AnswerSums(NamedTuple):
    """By annotator: answers that were meant, reversed, tossed, and tossed to the left, expected."""

    meant: Array
    turned: Array
    tossed: Array
    left: Array


def sigmoid(x: Array) -> Array:
    """The logistic function.

    >>> sigmoid(np.array([0.0, 800.0])).tolist()
    [0.5, 1.0]
    """
    from scipy.special import expit

    return np.asarray(expit(x))


def pair_keys(votes: Comparisons) -> tuple[Array, Array]:
    """A number for each comparison's pair of items, whichever stood left; and whether the first of them stood right."""
    one, other, n = votes.item.astype(np.int64), votes.other.astype(np.int64), votes.n_items
    turned = one > other
    return np.where(turned, other * n + one, one * n + other), turned


def pairs_of(votes: Comparisons, won: Array | None = None, weight: Array | None = None) -> Pairs:
    """The pairs of comparisons; won: how much the left item won, weight: how much a comparison counts, if not as said.

    >>> said = Comparisons.from_columns(["a", "b"], ["b", "a"], ["x", "x"], ["left", "tie"])
    >>> [column.tolist() for column in pairs_of(said)]
    [[0], [1], [1.5], [0.5]]
    """
    won = votes.won if won is None else won
    weight = votes._weight() if weight is None else weight
    (key, turned), n = pair_keys(votes), votes.n_items
    first = np.where(turned, 1.0 - won, won)
    if n * n <= 4 * key.size + 1_000_000:
        wins, met = np.bincount(key, weight * first, n * n), np.bincount(key, weight, n * n)
        at = np.flatnonzero(met)
        wins, met = wins[at], met[at]
    else:
        at, place = np.unique(key, return_inverse=True)
        wins, met = np.bincount(place, weight * first), np.bincount(place, weight)
    return Pairs(at // n, at % n, wins, np.maximum(met - wins, 0.0))


def pair_pass(pairs: Pairs, score: Array) -> tuple[float, Array, Array]:
    """Log chance of all wins under Bradley and Terry's model, its slope by item, and its curve by pair."""
    n, size = score.size, pairs.left.size
    if size < SMALL:
        d, met = score[pairs.left] - score[pairs.right], pairs.wins + pairs.losses
        chance = sigmoid(d)
        gain = pairs.wins - met * chance
        slope = np.bincount(pairs.left, gain, n) - np.bincount(pairs.right, gain, n)
        likely = -float((pairs.wins * np.logaddexp(0.0, -d) + pairs.losses * np.logaddexp(0.0, d)).sum())
        return likely, slope, met * chance * (1.0 - chance)
    return compiled_pair_pass(pairs, score)


def compiled_pair_pass(pairs: Pairs, score: Array) -> tuple[float, Array, Array]:
    """The same compiled, ranges of pairs side by side."""
    from .comparison_kernels import pair_pass as compiled
    from .numba_engine import pool_of

    size, threads = pairs.left.size, available_cores()
    curve, slopes = np.empty(size), np.zeros((threads, score.size))
    ends = np.linspace(0, size, threads + 1).astype(int)

    def part(t: int) -> float:
        return float(compiled(ends[t], ends[t + 1], *pairs, score, slopes[t], curve))

    return sum(pool_of(threads).map(part, range(threads))), slopes.sum(axis=0), curve


class Answers:
    """Comparisons sorted by pair, and one pass over them through what is believed of annotators."""

    def __init__(self, votes: Comparisons):
        key, turned = pair_keys(votes)
        order = np.argsort(key, kind="stable")
        key = key[order]
        self.first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1], [True]]))
        pair = key[self.first[:-1]]
        self.left, self.right = pair // votes.n_items, pair % votes.n_items
        self.n_annotators = votes.n_annotators
        self.who = votes.annotator[order]
        self.said = (votes.label + np.where(turned, 3, 0))[order].astype(smallest_int(6))
        self.weight = np.empty(0) if votes.weight is None else votes.weight[order]

    def sweep(self, score: Array, people: People) -> tuple[Pairs, AnswerSums, float]:
        """Wins as they were meant, the sums by annotator, and the log chance of all answers."""
        return self.hear(score[self.left] - score[self.right], people)

    def hear(self, gap: Array, people: People) -> tuple[Pairs, AnswerSums, float]:
        """The same by how far the first item of each pair is above the second."""
        wins, met, sums, likely = (self._reference if self.who.size < SMALL else self.compiled)(gap, people)
        return Pairs(self.left, self.right, wins, np.maximum(met - wins, 0.0)), AnswerSums(*sums.T), likely

    def compiled(self, gap: Array, people: People) -> tuple[Array, Array, Array, float]:
        """Wins, meetings, the sums and the log chance, compiled and side by side."""
        from .comparison_kernels import answer_sweep
        from .numba_engine import even_ranges, pool_of

        threads, table = available_cores(), np.stack(people, axis=1)
        wins, met = np.empty(self.left.size), np.empty(self.left.size)
        sums = np.zeros((threads, self.n_annotators, 4))
        jobs = [
            pool_of(threads).submit(
                answer_sweep, low, high, self.first, self.who, self.said, self.weight, gap, table, wins, met, sums[t],
            )
            for t, (low, high) in enumerate(even_ranges(self.first, threads))
        ]  # fmt: skip
        likely = float(sum(job.result() for job in jobs))
        return wins, met, sums.sum(axis=0), likely

    def _reference(self, gap: Array, people: People) -> tuple[Array, Array, Array, float]:
        n, who, label, turned = self.left.size, self.who, self.said % 3, self.said >= 3
        pair = np.repeat(np.arange(n), np.diff(self.first))
        weight = self.weight if self.weight.size else np.ones(who.size)
        to_left = np.array([1.0, 0.0, 0.5])[label]
        to_first = np.where(turned, 1.0 - to_left, to_left)
        chance = sigmoid(gap)[pair]
        seen = to_first * chance + (1.0 - to_first) * (1.0 - chance)
        side = people.left_share[who]
        honesty, coin = people.honesty[who], people.coin[who]
        seen = np.where(label == 2, 0.5, seen)
        parts = np.stack(
            [
                (1.0 - coin) * honesty * seen,
                (1.0 - coin) * (1.0 - honesty) * (1.0 - seen),
                coin * np.where(label == 2, 0.5, to_left * side + (1.0 - to_left) * (1.0 - side)),
            ]
        )
        likely = parts.sum(axis=0)
        meant, reverse, tossed = parts * (weight / likely)
        wins = np.bincount(pair, meant * to_first + reverse * (1.0 - to_first), n)
        met = np.bincount(pair, meant + reverse, n)
        columns = (meant, reverse, tossed, tossed * to_left)
        sums = np.stack([np.bincount(who, column, self.n_annotators) for column in columns], axis=1)
        return wins, met, sums, float((weight * np.log(likely)).sum())
