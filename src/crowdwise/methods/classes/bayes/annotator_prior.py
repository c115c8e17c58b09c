"""Priors over an annotator's confusion matrix: by name, as a mixture of named ones, or as samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....votes.codes import Array
from . import prior_points as points
from .dirichlet import diagonal_prior

KINDS = ("one-coin", "two-coin", "dirichlet")
Part = tuple[float, str, float, float]
"""A share of a mixture, the kind of prior, and its two numbers."""
# Priors with a name of their own: what is assumed, in a word.
NAMED: dict[str, tuple[Part, ...]] = {
    "weak": ((1.0, "dirichlet", 2.0, 1.0),),  # hardly better than guessing; with even rows nobody could name classes
    "better-than-chance": ((1.0, "dirichlet", 5.0, 2.0),),  # Li et al.'s BayesDGC
    "reliable": ((1.0, "one-coin", 8.0, 2.0),),
    "polarised": ((1.0, "one-coin", 0.5, 0.25),),  # knows it, or says the contrary
    "some-spam": ((0.7, "one-coin", 8.0, 2.0), (0.3, "one-coin", 1.0, 1.0)),  # reliable ones, and anybody
}


@dataclass(frozen=True, kw_only=True)
class AnnotatorPrior(Aggregator):
    """What belief propagation and mean field assume of annotators before they have seen a vote.

    prior: "one-coin" (one accuracy, Beta), "two-coin" (an accuracy for each class, Beta), "dirichlet" (a row for each
    class), one of `NAMED`, the Dirichlet's votes (true, given) by themselves, a tuple of (share, kind, right, wrong)
    that are mixed, or samples of confusion matrices (samples, true, given). right, wrong: the Beta's two numbers, or
    those of a Dirichlet on and off the diagonal; a named prior has its own.
    """

    prior: Any = "one-coin"
    right: float = 2.0
    wrong: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.prior, str) and self.prior in NAMED:
            parts = NAMED[self.prior]
            single = {"prior": parts[0][1], "right": parts[0][2], "wrong": parts[0][3]}
            for name, value in (single if len(parts) == 1 else {"prior": parts}).items():
                object.__setattr__(self, name, value)
        elif isinstance(self.prior, str):
            _check_kind(self.prior)
        elif _is_mixture(self.prior):
            object.__setattr__(self, "prior", tuple(_checked_part(*part) for part in self.prior))
        else:
            try:
                samples = np.asarray(self.prior, float)
            except (TypeError, ValueError):
                samples = np.empty(0)
            square = samples.ndim in (2, 3) and samples.shape[-2] == samples.shape[-1] and samples.size > 0
            are_votes = square and samples.ndim == 2 and bool((samples > 0).all() and np.isfinite(samples).all())
            are_rows = square and bool((samples >= 0).all()) and np.allclose(samples.sum(axis=-1), 1.0)
            if not (are_votes or (are_rows and samples.ndim == 3)):
                raise InputError(
                    "prior: votes, (true, given), must be a square of positive numbers"
                    if samples.ndim == 2
                    else "prior: samples of confusion matrices, (samples, true, given), need rows that sum to 1"
                    if samples.ndim == 3
                    else "prior: a name, positive votes (true, given), a mixture of (share, kind, right, wrong), or "
                    "samples of confusion matrices, (samples, true, given)"
                )
            object.__setattr__(self, "prior", _as_tuples(samples.tolist()))

    def parts(self) -> tuple[Part, ...]:
        """The named priors that are mixed, with their shares; none where there are votes or samples."""
        if isinstance(self.prior, str):
            return ((1.0, self.prior, self.right, self.wrong),)
        return self.prior if _is_mixture(self.prior) else ()

    @property
    def by_rows(self) -> bool:
        """Whether every row of a matrix has a Dirichlet of its own."""
        return self.prior == "dirichlet" or (not self.parts() and isinstance(self.prior[0][0], float))

    def row_votes(self, n_classes: int) -> Array:
        """The Dirichlets' votes, (true, given), of a prior that is by rows."""
        if isinstance(self.prior, str):
            return diagonal_prior(n_classes, self.right, self.wrong)
        return self._given(n_classes)

    def nodes(self, n_classes: int, n_votes: int, n_samples: int, counts: Array | None = None) -> tuple[Array, Array]:
        """The prior as points: log weights (points,) and chances (points, true, given).

        One coin: the nodes of Gauss-Jacobi quadrature, with which the mean of a polynomial of degree n is exact from
        n / 2 + 1 nodes on, and an annotator's factor is a polynomial in the accuracy of degree `n_votes`. Two coins:
        products of these for two classes, as long as they are few. Otherwise samples, drawn by the seed: of Dirichlet
        rows, half of them near matrices that fit expected `counts`, (annotators, true, given), weighted accordingly.
        """
        rng, parts = np.random.default_rng(self.seed), self.parts()
        if n_classes == 1:
            made = [(np.ones(1), np.ones((1, 1, 1)))]
        elif self.by_rows:
            made = [_by_rows(rng, self.row_votes(n_classes), n_votes, n_samples, counts)]
        elif parts:
            total = sum(part[0] for part in parts)
            each = [_points(rng, part, n_classes, n_votes, n_samples, counts) for part in parts]
            made = [(part[0] / total * weight, chance) for part, (weight, chance) in zip(parts, each, strict=True)]
        else:
            given = self._given(n_classes)
            made = [(np.full(len(given), 1.0 / len(given)), given)]
        weight, chance = (np.concatenate(each) for each in zip(*made, strict=True))
        chance = np.maximum(chance, 1e-12)
        return np.log(np.maximum(weight, 1e-300)), chance / chance.sum(axis=2, keepdims=True)

    def samples_of(self, n_classes: int) -> Array:
        """Samples of matrices, where they are the prior."""
        chance = np.maximum(self._given(n_classes), 1e-12)
        return np.asarray(chance / chance.sum(axis=2, keepdims=True))

    def _given(self, n_classes: int) -> Array:
        """Votes or samples, as they were given."""
        values = np.asarray(self.prior, float)
        if values.shape[-1] != n_classes:
            what = "samples have" if values.ndim == 3 else "the matrix has"
            raise InputError(f"prior: {what} {values.shape[-1]} classes, the votes {n_classes}")
        return values


def _is_mixture(prior: Any) -> bool:
    return isinstance(prior, tuple | list) and len(prior) > 0 and all(
        isinstance(part, tuple | list) and len(part) == 4 and isinstance(part[1], str) for part in prior
    )  # fmt: skip


def _checked_part(share: Any, kind: str, right: Any, wrong: Any) -> Part:
    if kind not in KINDS:
        raise InputError(f"prior: {kind!r} in a mixture: choose {', '.join(KINDS)}, with right and wrong")
    try:
        numbers = float(share), float(right), float(wrong)
    except (TypeError, ValueError):
        numbers = (np.nan,) * 3
    if not all(0.0 < number < np.inf for number in numbers):
        raise InputError(f"prior: share, right and wrong of {kind} must be positive numbers")
    return numbers[0], kind, numbers[1], numbers[2]


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        names = ", ".join((*KINDS, *NAMED))
        raise InputError(f"prior={kind!r}: choose {names}, a mixture of (share, kind, right, wrong), or samples")


def _as_tuples(nested: Any) -> Any:
    return tuple(map(_as_tuples, nested)) if isinstance(nested, list) else nested


def _points(
    rng: np.random.Generator, part: Part, n_classes: int, n_votes: int, n_samples: int, counts: Array | None
) -> tuple[Array, Array]:
    _, kind, right, wrong = part
    if kind == "one-coin":
        return points.one_coin(n_classes, n_votes, right, wrong)
    if kind == "two-coin" and n_classes > 2:
        return points.two_coins(rng, n_classes, n_samples, right, wrong)
    return _by_rows(rng, diagonal_prior(n_classes, right, wrong), n_votes, n_samples, counts)


def _by_rows(
    rng: np.random.Generator, votes: Array, n_votes: int, n_samples: int, counts: Array | None
) -> tuple[Array, Array]:
    exact = points.two_by_two(n_votes, votes) if len(votes) == 2 else None
    if exact is not None:
        return exact
    if counts is None or not len(counts):
        return points.dirichlet_rows(rng, votes, n_samples)
    return points.near(rng, votes, counts, n_samples)
