"""Priors over confusion matrices as points with weights: quadrature where it is exact, draws where it is not.

Everywhere weights are (points,) and sum to one, chances (points, true, given).
"""

from __future__ import annotations

import numpy as np

from ....votes.codes import Array
from .dirichlet import log_beta

MOST_NODES = 4_000  # of a product rule; above that, samples
MOST_CENTRES = 100  # annotators whose posteriors samples are drawn near
WIDE = 0.5  # how much their counts count there, so that other posteriors are covered too


def one_coin(n_classes: int, n_votes: int, right: float, wrong: float) -> tuple[Array, Array]:
    """One accuracy, Beta(right, wrong): exact for annotators of so many votes."""
    weight, accuracy = _beta_rule(n_votes, right, wrong)
    return weight, _coins(np.repeat(accuracy[:, None], n_classes, axis=1))


def two_coins(
    rng: np.random.Generator, n_classes: int, n_samples: int, right: float, wrong: float
) -> tuple[Array, Array]:
    """An accuracy for each class, drawn from Beta(right, wrong)."""
    return np.full(n_samples, 1.0 / n_samples), _coins(rng.beta(right, wrong, (n_samples, n_classes)))


def two_by_two(n_votes: int, votes: Array) -> tuple[Array, Array] | None:
    """Two Dirichlet rows of two classes: products of nodes, exact for so many votes; None where they are too many."""
    first = _beta_rule(n_votes, votes[0, 0], votes[0, 1])
    second = _beta_rule(n_votes, votes[1, 1], votes[1, 0])
    if len(first[0]) * len(second[0]) > MOST_NODES:
        return None
    both = np.meshgrid(first[1], second[1], indexing="ij")
    return np.outer(first[0], second[0]).ravel(), _coins(np.stack([node.ravel() for node in both], axis=1))


def dirichlet_rows(rng: np.random.Generator, votes: Array, n_samples: int) -> tuple[Array, Array]:
    """Draws of matrices whose rows are Dirichlet, votes (true, given)."""
    return np.full(n_samples, 1.0 / n_samples), _drawn(rng, np.broadcast_to(votes, (n_samples, *votes.shape)))


def near(rng: np.random.Generator, votes: Array, counts: Array, n_samples: int) -> tuple[Array, Array]:
    """Draws from Dirichlet rows and from wide posteriors of some annotators, weighted so that they are the prior's.

    counts: of their votes, (annotators, true, given). With many votes hardly a draw from the prior fits; these do.
    """
    centres = votes + counts[rng.permutation(len(counts))[:MOST_CENTRES]] * WIDE
    n_near = n_samples // 2
    plain = np.broadcast_to(votes, (n_samples - n_near, *votes.shape))
    chance = _drawn(rng, np.concatenate([plain, centres[rng.integers(len(centres), size=n_near)]]))
    log = np.log(chance)

    def log_density(of: Array) -> Array:
        return np.tensordot(log, of - 1.0, axes=([1, 2], [-2, -1])) - log_beta(of).sum(axis=-1)

    prior, each = log_density(votes), log_density(centres)  # (samples,), (samples, centres)
    high = np.maximum(prior, each.max(axis=1))
    near_share = n_near / n_samples  # of the mixture that was drawn from
    mixed = (1.0 - near_share) * np.exp(prior - high) + near_share * np.exp(each - high[:, None]).mean(axis=1)
    weight = np.exp(prior - high) / mixed
    return weight / weight.sum(), chance


def _drawn(rng: np.random.Generator, votes: Array) -> Array:
    draw = np.maximum(rng.standard_gamma(votes), 1e-300)
    draw = np.maximum(draw / draw.sum(axis=2, keepdims=True), 1e-12)
    return np.asarray(draw / draw.sum(axis=2, keepdims=True))


def _beta_rule(n_votes: int, right: float, wrong: float) -> tuple[Array, Array]:
    """Weights and nodes for Beta(right, wrong): exact for polynomials of degree n_votes + 1, or close enough.

    A factor of many votes is a peak of width 1 / sqrt(n), which far fewer nodes resolve to all digits.
    """
    from scipy.special import roots_jacobi

    n = min(n_votes // 2 + 2, int(8.0 * np.sqrt(n_votes)) + 16)
    node, weight = roots_jacobi(n, wrong - 1.0, right - 1.0)
    return weight / weight.sum(), (1.0 + node) / 2.0


def _coins(accuracy: Array) -> Array:
    """Confusion matrices of accuracies (points, classes), errors spread evenly."""
    n_classes = accuracy.shape[1]
    error = (1.0 - accuracy)[:, :, None] / (n_classes - 1)
    return np.where(np.eye(n_classes, dtype=bool), accuracy[:, :, None], error)
