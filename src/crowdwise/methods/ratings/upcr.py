"""UPCR: the direction in which annotators vary together is the truth's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, TooLarge
from ...fit.estimates import Values
from ...fit.method import Callback, Solution
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .one_number import mean_of, obeyed
from .rating_method import RatingMethod, by_annotator, by_item, weight_of

MOST = 5_000  # annotators: their covariances are a matrix
ROUNDS = 200
SETTLED = 1e-9


@dataclass(frozen=True, kw_only=True)
class UPCR(RatingMethod):
    r"""Unsupervised principal component regression: the leading eigenvector of annotators' covariances weighs them.

    With :math:`\mu_j` an annotator's mean, :math:`\lambda, v` the leading eigenvalue and eigenvector,

    .. math:: t_i = \mu + \sqrt{\mathrm{Var}(t) / \lambda} \sum_j v_j (y_{ij} - \mu_j)

    It wants few annotators who have rated most items. Where ratings are missing, covariances of those who share no
    item are those of one factor, found in turn with it, and an item's sum is over those who rated it, divided by
    their :math:`\sum v_j^2`. The paper is told the mean and the variance of the truth: here they are the mean of the
    items' means, and of the covariances of two annotators. O(items x annotators^2).

    Reference: Tenzer, Dror, Nadler, Bilal & Kluger, AISTATS 2022.

    >>> from crowdwise import Ratings, UPCR
    >>> value = [1.0, 1.1, 2.0, 2.0, 2.1, 1.0, 4.0, 3.9, 2.0]
    >>> said = Ratings.from_columns([0, 0, 0, 1, 1, 1, 2, 2, 2], list("abc") * 3, value)
    >>> UPCR().fit(said).params["direction"].argmin()
    np.int64(2)
    """

    name: ClassVar[str] = "u-pcr"
    params: ClassVar[Mapping[str, Axes]] = {
        "usual_rating": Axes(("annotator",), "real"),
        "direction": Axes(("annotator",), "real"),
        "rater_spread": Axes(("annotator",), "positive"),
        "whole": Axes(("one",), "real"),
    }

    def solve(self, ops: Ratings, known: KnownValues | None, start: Any, callback: Callback | None) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        if ops.n_annotators > MOST:
            raise TooLarge(f"{self.name} is for {MOST:,} annotators at most, not {ops.n_annotators:,}: choose auto")
        weight = weight_of(ops)
        given = by_annotator(ops, weight)
        usual = by_annotator(ops, weight * ops.value) / np.maximum(given, 1e-300)
        covariance, shared = _covariances(ops, weight, ops.value - usual[ops.annotator])
        value, direction = _leading(covariance, shared)
        apart = shared * (1.0 - np.eye(ops.n_annotators))
        between = float((apart * covariance).sum()) / max(float(apart.sum()), 1e-300)
        unit = float(np.diag(covariance).sum() / max((given > 0.0).sum(), 1)) or 1.0
        between = max(between, 1e-6 * unit)
        noise = np.maximum(np.diag(covariance) - value * direction**2, 1e-3 * unit)
        mean = float(mean_of(ops, weight, ops.value)[by_item(ops, weight) > 0.0].mean())
        params = {
            "usual_rating": usual,
            "direction": direction,
            "rater_spread": np.sqrt(noise),
            "whole": np.array([mean, between, np.sqrt(between / max(value, 1e-300))]),
        }
        return Solution(self.infer(ops, params, known), params, {})

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        weight, (mean, between, scale) = weight_of(ops), params["whole"]
        own = params["direction"][ops.annotator]
        square = by_item(ops, weight * own**2)
        some = np.maximum(square, 1e-9 / ops.n_annotators)
        value = mean + scale * by_item(ops, weight * own * (ops.value - params["usual_rating"][ops.annotator])) / some
        noise = by_item(ops, weight * (own * params["rater_spread"][ops.annotator]) ** 2)
        sd = np.where(square > 0.0, np.minimum(scale * np.sqrt(noise) / some, np.sqrt(between)), np.sqrt(between))
        if known is not None:
            sd[known.item] = 0.0
        return Values(obeyed(value, known), sd)


def _covariances(ops: Ratings, weight: Array, off: Array) -> tuple[Array, Array]:
    """Covariances of annotators over the items that both rated, and how many these are."""
    from scipy.sparse import coo_array

    size = (ops.n_items, ops.n_annotators)
    total, count = (
        coo_array((value, (ops.item, ops.annotator)), shape=size).tocsr() for value in (weight * off, weight)
    )
    shared = (count.T @ count).toarray()
    return (total.T @ total).toarray() / np.maximum(shared, 1e-300), shared


def _leading(covariance: Array, shared: Array) -> tuple[float, Array]:
    """The leading eigenvalue and eigenvector; covariances that nothing shows are those of that factor alone."""
    from scipy.linalg import eigh

    n, unseen = len(covariance), shared <= 0.0
    value, direction = 0.0, np.zeros(n)
    for _ in range(ROUNDS if unseen.any() else 1):
        filled = np.where(unseen, value * np.outer(direction, direction), covariance)
        values, vectors = eigh(filled, subset_by_index=[n - 1, n - 1])
        found = vectors[:, 0] * (1.0 if vectors[:, 0].sum() >= 0.0 else -1.0)
        still = abs(values[0] - value) <= SETTLED * abs(values[0]) and float(np.abs(found - direction).max()) <= SETTLED
        value, direction = float(values[0]), found
        if still:
            break
    return value, direction
