"""Pairs: who met whom, and how often each won. These sums add, and are all that Bradley and Terry's model needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...votes.codes import Array
from ...votes.comparisons import Comparisons

DENSE = 3_000  # items, up to which systems of equations are solved as matrices
FEW = 300  # items, up to which the prior is found by the evidence
RIDGES = (-5.0, 5.0)  # logarithms of the least and the most
USUAL, WIDE = 0.5, float(np.log(4.0))  # what is believed of the ridge, and how loosely, on a logarithmic scale
STEPS = 30
SETTLED = 1e-10


class Pairs(NamedTuple):
    """left < right: codes of items that met; wins and losses of the left one, ties being half of each."""

    left: Array
    right: Array
    wins: Array
    losses: Array


def pairs_of(votes: Comparisons, won: Array | None = None, weight: Array | None = None) -> Pairs:
    """The pairs of comparisons; won: how much the left item won, weight: how much a comparison counts, if not as said.

    >>> said = Comparisons.from_columns(["a", "b"], ["b", "a"], ["x", "x"], ["left", "tie"])
    >>> [column.tolist() for column in pairs_of(said)]
    [[0], [1], [1.5], [0.5]]
    """
    won = votes.won if won is None else won
    weight = (np.ones(votes.n_votes) if votes.weight is None else votes.weight) if weight is None else weight
    one, other, n = votes.item.astype(np.int64), votes.other.astype(np.int64), votes.n_items
    turned = one > other
    key = np.where(turned, other * n + one, one * n + other)
    first = np.where(turned, 1.0 - won, won)
    if n * n <= 4 * key.size + 1_000_000:
        wins, met = np.bincount(key, weight * first, n * n), np.bincount(key, weight, n * n)
        at = np.flatnonzero(met)
        wins, met = wins[at], met[at]
    else:
        at, place = np.unique(key, return_inverse=True)
        wins, met = np.bincount(place, weight * first), np.bincount(place, weight)
    return Pairs(at // n, at % n, wins, np.maximum(met - wins, 0.0))


def sigmoid(x: Array) -> Array:
    """The logistic function.

    >>> sigmoid(np.array([0.0, 800.0])).tolist()
    [0.5, 1.0]
    """
    from scipy.special import expit

    return np.asarray(expit(x))


def log_likelihood(pairs: Pairs, score: Array) -> float:
    """Log chance of all wins and losses."""
    d = score[pairs.left] - score[pairs.right]
    return -float((pairs.wins * np.logaddexp(0.0, -d) + pairs.losses * np.logaddexp(0.0, d)).sum())


class Laplacian:
    """Weights between pairs, and a ridge: the matrix of every Newton step, dense or sparse by its size."""

    def __init__(self, pairs: Pairs, weight: Array, ridge: float, n: int):
        degree = np.bincount(pairs.left, weight, n) + np.bincount(pairs.right, weight, n) + ridge
        self.n = n
        if n <= DENSE:
            matrix = np.zeros((n, n))
            matrix[pairs.left, pairs.right] = -weight
            matrix[pairs.right, pairs.left] = -weight
            matrix[np.diag_indices(n)] = degree
            self.matrix = matrix
        else:
            from scipy.sparse import coo_array

            at = np.arange(n)
            values = np.concatenate([-weight, -weight, degree])
            rows, columns = (
                np.concatenate(part) for part in ((pairs.left, pairs.right, at), (pairs.right, pairs.left, at))
            )
            self.matrix = coo_array((values, (rows, columns)), shape=(n, n)).tocsc()

    def solve(self, right: Array) -> Array:
        """x of matrix x = right."""
        if self.n <= DENSE:
            from scipy.linalg import cho_factor, cho_solve

            return np.asarray(cho_solve(cho_factor(self.matrix), right))
        from scipy.sparse.linalg import spsolve

        return np.asarray(spsolve(self.matrix, right))

    def variances(self) -> Array:
        """The diagonal of the inverse; of a large matrix, that of its diagonal, which is a little too small."""
        if self.n <= DENSE:
            from scipy.linalg.lapack import dpotrf, dpotri

            return np.diag(dpotri(dpotrf(self.matrix)[0])[0]).copy()
        return 1.0 / self.matrix.diagonal()


class Fitted(NamedTuple):
    """Scores, the pairs that they are of, the ridge, and the objective after each step."""

    score: Array
    pairs: Pairs
    ridge: float
    trace: tuple[float, ...]

    @property
    def curve(self) -> Laplacian:
        """The curve of the objective at the scores."""
        return _curve(self.pairs, self.score, self.ridge)

    @property
    def variance(self) -> Array:
        """Variances of the scores."""
        return self.curve.variances()

    @property
    def sd(self) -> Array:
        """The standard deviations of scores about their mean."""
        return about_mean(self.variance, self.ridge)


def about_mean(variance: Array, ridge: float) -> Array:
    """Standard deviations of scores about their mean, of which only the prior knows something."""
    return np.sqrt(np.maximum(variance - 1.0 / (ridge * variance.size), 0.01 * variance))


def _curve(pairs: Pairs, score: Array, ridge: float) -> Laplacian:
    chance = sigmoid(score[pairs.left] - score[pairs.right])
    return Laplacian(pairs, (pairs.wins + pairs.losses) * chance * (1.0 - chance), ridge, score.size)


def newton(pairs: Pairs, n: int, ridge: float, start: Array | None = None, steps: int = STEPS) -> Fitted:
    """The scores under which wins are likeliest, drawn to zero by the ridge, by Newton's method with halved steps."""
    score = np.zeros(n) if start is None else start
    met, trace = pairs.wins + pairs.losses, [log_likelihood(pairs, score) - ridge / 2.0 * float(score @ score)]
    for _ in range(steps):
        chance = sigmoid(score[pairs.left] - score[pairs.right])
        gain = pairs.wins - met * chance
        slope = np.bincount(pairs.left, gain, n) - np.bincount(pairs.right, gain, n) - ridge * score
        move = Laplacian(pairs, met * chance * (1.0 - chance), ridge, n).solve(slope)
        for _ in range(20):
            value = log_likelihood(pairs, score + move) - ridge / 2.0 * float((score + move) @ (score + move))
            if value >= trace[-1] - 1e-12 * abs(trace[-1]):
                break
            move = move / 2.0
        score = score + move
        trace.append(value)
        if trace[-1] - trace[-2] <= SETTLED * max(abs(trace[-1]), 1.0):
            break
    return Fitted(score, pairs, ridge, tuple(trace[1:]))


def learned(pairs: Pairs, n: int, start: Array | None = None) -> Fitted:
    r"""As `newton`, the ridge learned: the precision of the scores' prior, so that few comparisons draw scores to zero.

    The one under which wins are likeliest, scores summed out by Laplace's approximation; with many items, which have
    comparisons enough, the fixed point :math:`1 / ridge = \overline{s_i^2 + v_i}`, which draws sparse ones too much.
    """
    if n <= FEW:
        from scipy.optimize import minimize_scalar

        def cost(log_ridge: float) -> float:
            return -log_evidence(pairs, newton(pairs, n, float(np.exp(log_ridge)), start))

        best = minimize_scalar(cost, bounds=RIDGES, method="bounded", options={"xatol": 0.02})
        return newton(pairs, n, float(np.exp(best.x)), start)
    fitted = newton(pairs, n, 0.5, start)
    for _ in range(20):
        ridge = prior_of(fitted)
        if abs(ridge - fitted.ridge) <= 1e-4 * fitted.ridge:
            break
        fitted = newton(pairs, n, ridge, fitted.score)
    return fitted


def log_evidence(pairs: Pairs, fitted: Fitted) -> float:
    """Log chance of all wins with scores summed out, by Laplace's approximation, and of the ridge; but for a constant.

    Beforehand the ridge is about one half, give or take four times: one comparison does not show that all are alike.
    """
    n, score, curve = fitted.score.size, fitted.score, fitted.curve.matrix
    peak = log_likelihood(pairs, score) - fitted.ridge / 2.0 * float(score @ score)
    believed = -0.5 * float(np.log(fitted.ridge / USUAL) / WIDE) ** 2
    return believed + peak + n / 2.0 * float(np.log(fitted.ridge)) - 0.5 * float(np.linalg.slogdet(curve)[1])


def prior_of(fitted: Fitted) -> float:
    """The precision of a prior that scores of these means and variances come from."""
    return 1.0 / max(float((fitted.score**2 + fitted.variance).mean()), 1e-3)
