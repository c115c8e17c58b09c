"""Scores from won, lost and tied pairs as they were shown: links, ties that are outcomes of their own, and sides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ...engine.comparison_sums import Pairs, sigmoid
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from .pairs import STEPS, Laplacian, about_mean

ROUNDS = 50
SETTLED = 1e-9
LARGEST = 1e3  # weight of ties; where everything is a tie, more of it says nothing
FEWEST = 1e-9  # of them


class Outcomes(NamedTuple):
    """By pair, items low < high, and by which of the two was shown on the left (sign 1: low): what was said of it.

    wins: of the item on the left; losses: of it; ties. They add.
    """

    low: Array
    high: Array
    sign: Array
    wins: Array
    losses: Array
    ties: Array

    @classmethod
    def of(cls, votes: Comparisons) -> Outcomes:
        """Those of comparisons."""
        left, right, n = votes.item.astype(np.int64), votes.other.astype(np.int64), votes.n_items
        at, place = np.unique(left * n + right, return_inverse=True)
        weight = votes._weight()
        said = [np.bincount(place, weight * (votes.label == side), at.size) for side in range(3)]
        left, right = at // n, at % n
        return cls(np.minimum(left, right), np.maximum(left, right), np.where(left < right, 1.0, -1.0), *said)


class Link(ABC):
    """The chance of each outcome by how far the left item is above the right one; and of ties, by a weight of theirs.

    `ties` tells whether the weight is learned: otherwise a tie is half a win and half a loss.
    """

    ties = False

    @abstractmethod
    def likely(self, gap: Array, said: Outcomes, tie: float) -> tuple[Array, Array, Array]:
        """Log chances of what was said of each pair, their slopes in the gap, and their curves (turned positive)."""


class Logistic(Link):
    """Bradley and Terry's: P(left) = sigma(gap)."""

    def likely(self, gap: Array, said: Outcomes, tie: float) -> tuple[Array, Array, Array]:
        wins, losses, p = said.wins + said.ties / 2.0, said.losses + said.ties / 2.0, sigmoid(gap)
        value = -wins * np.logaddexp(0.0, -gap) - losses * np.logaddexp(0.0, gap)
        return value, wins - (wins + losses) * p, (wins + losses) * p * (1.0 - p)


class Davidson(Link):
    r"""P(left), P(right), P(tie) are as :math:`e^{g / 2}, e^{-g / 2}, \nu` (Davidson, JASA 65, 1970)."""

    ties = True

    def likely(self, gap: Array, said: Outcomes, tie: float) -> tuple[Array, Array, Array]:
        n = said.wins + said.losses + said.ties
        total = np.logaddexp(np.logaddexp(gap / 2.0, -gap / 2.0), np.log(tie))
        left, right = np.exp(gap / 2.0 - total), np.exp(-gap / 2.0 - total)
        net = (said.wins - said.losses) / 2.0
        value = net * gap + said.ties * np.log(tie) - n * total
        mean = (left - right) / 2.0
        return value, net - n * mean, n * ((left + right) / 4.0 - mean**2)


class RaoKupper(Link):
    """P(left) = sigma(gap - log t), P(right) = sigma(-gap - log t), t = 1 + weight (Rao & Kupper, JASA 62, 1967)."""

    ties = True

    def likely(self, gap: Array, said: Outcomes, tie: float) -> tuple[Array, Array, Array]:
        wins, losses, shift = said.wins + said.ties, said.losses + said.ties, float(np.log1p(tie))
        left, right = sigmoid(gap - shift), sigmoid(-gap - shift)
        # A tie's chance is that of both, times t^2 - 1.
        value = -wins * np.logaddexp(0.0, shift - gap) - losses * np.logaddexp(0.0, shift + gap)
        value = value + said.ties * np.log(tie * (tie + 2.0))
        slope = wins * (1.0 - left) - losses * (1.0 - right)
        return value, slope, wins * left * (1.0 - left) + losses * right * (1.0 - right)


class Normal(Link):
    """Thurstone's: P(left) = Phi(gap)."""

    def likely(self, gap: Array, said: Outcomes, tie: float) -> tuple[Array, Array, Array]:
        from scipy.special import log_ndtr

        wins, losses = said.wins + said.ties / 2.0, said.losses + said.ties / 2.0
        log_density = -0.5 * gap**2 - 0.5 * np.log(2.0 * np.pi)
        up, down = log_ndtr(gap), log_ndtr(-gap)
        for_left, for_right = np.exp(log_density - up), np.exp(log_density - down)
        value = wins * up + losses * down
        curve = wins * for_left * (gap + for_left) + losses * for_right * (for_right - gap)
        return value, wins * for_left - losses * for_right, curve


class Standing(NamedTuple):
    """Scores with standard deviations; what a side is worth, and the weight of ties; the ridge; the climb."""

    score: Array
    sd: Array
    side: float
    tie: float
    ridge: float
    trace: tuple[float, ...]
    converged: bool


def stand(said: Outcomes, n: int, link: Link, ridge: float | None, sides: bool) -> Standing:
    """Scores under which what was said is likeliest, by Newton's method; ties and sides in turn with them.

    ridge: of the scores' prior; None learns it. sides: whether the left side may be worth something by itself.
    """
    score, side, tie, own = np.zeros(n), 0.0, 0.5, 0.5 if ridge is None else ridge
    trace: list[float] = []
    curve, settled = np.zeros(said.low.size), False
    met, place = np.unique(said.low * n + said.high, return_inverse=True)  # whichever stood left
    pairs = Pairs(met // n, met % n, np.bincount(place, said.wins), np.bincount(place, said.losses))

    def matrix(curve: Array) -> Laplacian:
        return Laplacian(pairs, np.bincount(place, curve), own, n)

    def at(score: Array, side: float, tie: float) -> tuple[float, Array, Array]:
        value, slope, curve = link.likely(said.sign * (score[said.low] - score[said.high]) + side, said, tie)
        return float(value.sum()) - own / 2.0 * float(score @ score) - side**2 / 2.0, slope, curve

    for _ in range(ROUNDS):
        value, slope, curve = at(score, side, tie)
        for _ in range(STEPS):
            up = said.sign * slope
            by_item = np.bincount(said.low, up, n) - np.bincount(said.high, up, n) - own * score
            move = matrix(curve).solve(by_item)
            before = value
            for _ in range(20):
                value, slope, curve = at(score + move, side, tie)
                if value >= before - 1e-12 * abs(before):
                    break
                move = move / 2.0
            score = score + move
            if value - before <= SETTLED * max(abs(value), 1.0):
                break
        side, tie = _others(at, score, side, tie, link, sides)
        value, _, curve = at(score, side, tie)
        variance = matrix(curve).variances()
        found = own if ridge is not None else 1.0 / max(float((score**2 + variance).mean()), 1e-3)
        still = bool(trace) and abs(value - trace[-1]) <= 1e-7 * max(abs(value), 1.0)
        settled = still and abs(found - own) <= 1e-4 * own
        trace.append(value)
        own = found
        if settled or not (link.ties or sides or ridge is None):
            break
    variance = matrix(curve).variances()
    kept = tuple(trace) if ridge is not None else ()  # of one objective
    return Standing(score, about_mean(variance, own), side, tie, own, kept, settled or not (link.ties or sides))


def _others(at: object, score: Array, side: float, tie: float, link: Link, sides: bool) -> tuple[float, float]:
    """The likeliest worth of a side, and weight of ties, at these scores."""
    from scipy.optimize import minimize_scalar

    assert callable(at)
    if sides:
        side = float(minimize_scalar(lambda x: -at(score, x, tie)[0], bounds=(-5.0, 5.0), method="bounded",
                                     options={"xatol": 1e-7}).x)  # fmt: skip
    if link.ties:
        bounds = (float(np.log(FEWEST)), float(np.log(LARGEST)))
        tie = float(np.exp(minimize_scalar(lambda x: -at(score, side, float(np.exp(x)))[0], bounds=bounds,
                                           method="bounded", options={"xatol": 1e-7}).x))  # fmt: skip
    return side, tie
