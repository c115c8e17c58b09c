"""Priors over an annotator's confusion matrix: by name, as a mixture of named ones, or as samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import Aggregator
from ..codes import Array
from ..errors import InputError

KINDS = ("one-coin", "two-coin", "dirichlet")
MOST_NODES = 4_000  # of a product rule; above that, samples


@dataclass(frozen=True, kw_only=True)
class AnnotatorPrior(Aggregator):
    """What belief propagation and mean field assume of annotators before they have seen a vote.

    prior: "one-coin" (one accuracy, Beta), "two-coin" (an accuracy for each class, Beta), "dirichlet" (a row for each
    class), a tuple of (share, kind, right, wrong) that are mixed, or samples of confusion matrices (samples, true,
    given). right, wrong: the Beta's two numbers, or those of a Dirichlet on and off the diagonal.
    """

    prior: Any = "one-coin"
    right: float = 2.0
    wrong: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.prior, str):
            _check_kind(self.prior)
        elif _is_mixture(self.prior):
            object.__setattr__(self, "prior", tuple(_checked_part(*part) for part in self.prior))
        else:
            try:
                samples = np.asarray(self.prior, float)
            except (TypeError, ValueError):
                samples = np.empty(0)
            square = samples.ndim == 3 and samples.shape[1] == samples.shape[2] and samples.size > 0
            if not square or not (samples >= 0).all() or not np.allclose(samples.sum(axis=2), 1.0):
                raise InputError(
                    "prior: a name, a mixture of (share, kind, right, wrong), or samples of confusion matrices, "
                    "(samples, true, given) with rows that sum to 1"
                )
            object.__setattr__(self, "prior", tuple(tuple(map(tuple, matrix)) for matrix in samples.tolist()))

    def parts(self) -> tuple[tuple[float, str, float, float], ...]:
        """The named priors that are mixed, with their shares; none where there are samples."""
        if isinstance(self.prior, str):
            return ((1.0, self.prior, self.right, self.wrong),)
        return self.prior if _is_mixture(self.prior) else ()

    def nodes(self, n_classes: int, n_votes: int, n_samples: int) -> tuple[Array, Array]:
        """The prior as points: log weights (points,) and chances (points, true, given).

        One coin: the nodes of Gauss-Jacobi quadrature, with which the mean of a polynomial of degree n is exact from
        n / 2 + 1 nodes on, and an annotator's factor is a polynomial in the accuracy of degree `n_votes`. Two coins:
        products of these for two classes, as long as they are few. Otherwise samples, drawn by the seed.
        """
        parts = self.parts()
        if not parts:
            chance = np.asarray(self.prior, float)
            if chance.shape[1] != n_classes:
                raise InputError(f"prior: samples have {chance.shape[1]} classes, the votes {n_classes}")
            weights, chances = [np.full(len(chance), 1.0 / len(chance))], [chance]
        else:
            rng = np.random.default_rng(self.seed)
            made = [_points(rng, part, n_classes, n_votes, n_samples) for part in parts]
            total = sum(part[0] for part in parts)
            weights = [part[0] / total * weight for part, (weight, _) in zip(parts, made, strict=True)]
            chances = [chance for _, chance in made]
        chance = np.maximum(np.concatenate(chances), 1e-12)
        return np.log(np.maximum(np.concatenate(weights), 1e-300)), chance / chance.sum(axis=2, keepdims=True)


def _is_mixture(prior: Any) -> bool:
    return isinstance(prior, tuple | list) and len(prior) > 0 and all(
        isinstance(part, tuple | list) and len(part) == 4 and isinstance(part[1], str) for part in prior
    )  # fmt: skip


def _checked_part(share: Any, kind: str, right: Any, wrong: Any) -> tuple[float, str, float, float]:
    _check_kind(kind)
    try:
        numbers = float(share), float(right), float(wrong)
    except (TypeError, ValueError):
        numbers = (np.nan,) * 3
    if not all(0.0 < number < np.inf for number in numbers):
        raise InputError(f"prior: share, right and wrong of {kind} must be positive numbers")
    return numbers[0], kind, numbers[1], numbers[2]


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise InputError(
            f"prior={kind!r}: choose {', '.join(KINDS)}, a mixture of (share, kind, right, wrong), or samples"
        )


def _points(
    rng: np.random.Generator, part: tuple[float, str, float, float], n_classes: int, n_votes: int, n_samples: int
) -> tuple[Array, Array]:
    _, kind, right, wrong = part
    if n_classes == 1:
        return np.ones(1), np.ones((1, 1, 1))
    if kind == "one-coin":
        weight, accuracy = _beta_rule(n_votes, right, wrong)
        return weight, _coins(np.repeat(accuracy[:, None], n_classes, axis=1))
    weight, accuracy = _beta_rule(n_votes, right, wrong)
    if n_classes == 2 and len(weight) ** 2 <= MOST_NODES:
        first, second = np.meshgrid(accuracy, accuracy, indexing="ij")
        return np.outer(weight, weight).ravel(), _coins(np.stack([first.ravel(), second.ravel()], axis=1))
    flat = np.full(n_samples, 1.0 / n_samples)
    if kind == "two-coin":
        return flat, _coins(rng.beta(right, wrong, (n_samples, n_classes)))
    draw = rng.standard_gamma(np.where(np.eye(n_classes, dtype=bool), right, wrong), (n_samples, n_classes, n_classes))
    draw = np.maximum(draw, 1e-300)
    return flat, draw / draw.sum(axis=2, keepdims=True)


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


def over_points(counts: Array, log_weight: Array, log_chance: Array) -> Array:
    """How much of each annotator is at each point, (annotators, points), given the expected counts of their votes."""
    log_member = log_weight + np.tensordot(counts, log_chance, axes=([1, 2], [1, 2]))
    member = np.exp(log_member - log_member.max(axis=1, keepdims=True))
    return np.asarray(member / member.sum(axis=1, keepdims=True))
