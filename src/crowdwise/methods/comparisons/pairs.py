"""Scores from pairs: Bradley and Terry's model by Newton's method, its prior, and how sure scores are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.comparison_sums import Pairs, pair_pass
from ...votes.codes import Array

DENSE = 3_000  # items, up to which systems of equations are solved as matrices
FEW = 300  # items, up to which the prior is found by the evidence
SPARSE = 40  # items squared for each pair that met, from which solving by steps is faster
RIDGES = (-5.0, 5.0)  # logarithms of the least and the most
USUAL, WIDE = 0.5, float(np.log(4.0))  # what is believed of the ridge, and how loosely, on a logarithmic scale
STEPS = 30
SETTLED = 1e-10


class Laplacian:
    """Weights between pairs, and a ridge: the matrix of every Newton step, written out where it is small."""

    def __init__(self, pairs: Pairs, weight: Array, ridge: float, n: int):
        degree = np.bincount(pairs.left, weight, n) + np.bincount(pairs.right, weight, n) + ridge
        self.n, self.degree, self.links = n, degree, (pairs.left, pairs.right, weight)
        self.sparse = n > DENSE or (n > FEW and SPARSE * pairs.left.size < n * n)
        if n <= DENSE:
            self.matrix = np.zeros((n, n))
            self.matrix[pairs.left, pairs.right] = -weight  # the upper half, which is all that is looked at
            self.matrix[np.diag_indices(n)] = degree

    def solve(self, right: Array) -> Array:
        """x of matrix x = right: of many items, or few that met, by conjugate gradients."""
        if self.sparse:
            from scipy.sparse.linalg import LinearOperator, cg

            left, other, weight = self.links

            def times(x: Array) -> Array:
                out = self.degree * x - np.bincount(left, weight * x[other], self.n)
                return np.asarray(out - np.bincount(other, weight * x[left], self.n))

            shape = (self.n, self.n)
            rough = LinearOperator(shape, matvec=lambda x: x / self.degree)
            found, missed = cg(LinearOperator(shape, matvec=times), right, rtol=1e-11, atol=0.0, maxiter=2_000, M=rough)
            if not missed or self.n > DENSE:  # a step that is not quite exact is followed by another
                return np.asarray(found)
        from scipy.linalg import cho_factor, cho_solve

        return np.asarray(cho_solve(cho_factor(self.matrix), right))

    def log_determinant(self) -> float:
        """Of a matrix that is solved as one."""
        from scipy.linalg.lapack import dpotrf

        return 2.0 * float(np.log(np.diag(dpotrf(self.matrix)[0])).sum())

    def variances(self) -> Array:
        """The diagonal of the inverse; of a large matrix, that of its diagonal, which is a little too small."""
        if self.n <= DENSE:
            from scipy.linalg.lapack import dpotrf, dpotri

            return np.diag(dpotri(dpotrf(self.matrix)[0])[0]).copy()
        return 1.0 / self.degree


class Fitted(NamedTuple):
    """Scores, the pairs that they are of, the ridge, and the objective after each step."""

    score: Array
    pairs: Pairs
    ridge: float
    trace: tuple[float, ...]

    @property
    def curve(self) -> Laplacian:
        """The curve of the objective at the scores."""
        return Laplacian(self.pairs, pair_pass(self.pairs, self.score)[2], self.ridge, self.score.size)

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
    return np.sqrt(np.maximum(variance - 1.0 / (ridge * variance.size), 1e-4 * variance))


def newton(pairs: Pairs, n: int, ridge: float, start: Array | None = None, steps: int = STEPS) -> Fitted:
    """The scores under which wins are likeliest, drawn to zero by the ridge, by Newton's method with halved steps."""
    score = np.zeros(n) if start is None else start
    likely, slope, curve = pair_pass(pairs, score)
    trace = [likely - ridge / 2.0 * float(score @ score)]
    for _ in range(steps):
        move = Laplacian(pairs, curve, ridge, n).solve(slope - ridge * score)
        for _ in range(20):
            likely, slope, curve = pair_pass(pairs, score + move)
            value = likely - ridge / 2.0 * float((score + move) @ (score + move))
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
    n, score = fitted.score.size, fitted.score
    peak = pair_pass(pairs, score)[0] - fitted.ridge / 2.0 * float(score @ score)
    believed = -0.5 * float(np.log(fitted.ridge / USUAL) / WIDE) ** 2
    return believed + peak + n / 2.0 * float(np.log(fitted.ridge)) - 0.5 * fitted.curve.log_determinant()


def prior_of(fitted: Fitted) -> float:
    """The precision of a prior that scores of these means and variances come from."""
    return 1.0 / max(float((fitted.score**2 + fitted.variance).mean()), 1e-3)
