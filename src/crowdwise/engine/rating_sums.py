"""Ratings placed where their sums are computed: NumPy, the reference, and numba, one pass over the items."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np

from ..errors import OptionError
from ..votes.codes import Array
from ..votes.ratings import Ratings
from .cores import available_cores

SMALL = 200_000  # ratings, below which NumPy is done before numba is imported
ROUNDS = 3  # times that an item is found anew from ratings that count less the farther off they are


class RaterLines(NamedTuple):
    """What each annotator makes of an item: a line of mean bias and gain, and how exact it is; mu: where items lie.

    square: the mean of the squared gain; together: the covariance of bias and gain; spread: the variance of items.
    """

    bias: Array
    gain: Array
    precision: Array
    square: Array
    together: Array
    mu: float
    spread: float


class RaterSums(NamedTuple):
    """Sums over ratings by annotator: of 1, of items' means and squares, of ratings (about mu), times means, squared.

    And over items with ratings: how many, their means and squares, about where they were believed to lie. Sums of parts
    are sums of the whole.
    """

    n: Array
    x: Array
    xx: Array
    z: Array
    zx: Array
    zz: Array
    items: float
    mean: float
    square: float

    def plus(self, more: RaterSums) -> RaterSums:
        """These and those of other items."""
        pairs: Any = zip(self, more, strict=True)
        return RaterSums(*(one + other for one, other in pairs))


class RatingSums:
    """Ratings, what each counts, and one pass over them. The reference."""

    def __init__(self, ratings: Ratings):
        self.ratings, self.weight = ratings, ratings.weight
        self.believed: Array | None = None
        """Where each item is believed to lie before it is rated; None for at mu."""

    def heard(self, worth: Array) -> Self:
        """The same ratings, annotators heard so much."""
        if (worth == 1.0).all():
            return self
        made = copy(self)
        made.weight = self._weighted(worth[self.ratings.annotator])
        return made

    def by_item(self, value: Array | float = 1.0) -> Array:
        """Numbers of ratings, times what each counts, summed by item."""
        return np.bincount(self.ratings.item, self._weighted(value), self.ratings.n_items).astype(float)

    def by_annotator(self, value: Array | float = 1.0) -> Array:
        """The same by annotator."""
        return np.bincount(self.ratings.annotator, self._weighted(value), self.ratings.n_annotators).astype(float)

    def _weighted(self, value: Array | float) -> Array:
        weight = np.ones(self.ratings.n_votes) if self.weight is None else self.weight
        return weight if isinstance(value, float) else weight * value

    def sweep(self, lines: RaterLines, wild: float = np.inf) -> tuple[Array, Array, RaterSums]:
        """Means (about mu) and variances of the items, and the sums under them."""
        ratings, who, item = self.ratings, self.ratings.annotator, self.ratings.item
        bias, gain, precision, square, together = (column[who] for column in lines[:5])
        z, doubt = ratings.value - lines.mu, np.ones(ratings.n_votes)
        x = variance = np.zeros(ratings.n_items)
        before = 0.0 * x if self.believed is None else self.believed - lines.mu
        for _ in range(1 + (ROUNDS if wild < np.inf else 0)):
            variance = 1.0 / (1.0 / lines.spread + self.by_item(doubt * precision * square))
            x = variance * (self.by_item(doubt * precision * (gain * (z - bias) - together)) + before / lines.spread)
            if wild < np.inf:
                far = np.sqrt(precision) * np.abs(z - bias - gain * x[item])
                doubt = np.minimum(1.0, wild / np.maximum(far, 1e-300)) ** 2
        m, some = x[item], self.by_item() > 0.0
        n, of_x, of_xx, of_z, of_zx, of_zz = (
            self.by_annotator(doubt * column) for column in (1.0, m, m**2 + variance[item], z, z * m, z**2)
        )
        off = (x - before)[some]
        totals = (float(off.size), float(off.sum()), float((off**2 + variance[some]).sum()))
        return x, variance, RaterSums(n, of_x, of_xx, of_z, of_zx, of_zz, *totals)


class CompiledRatingSums(RatingSums):
    """The same in one compiled pass, ranges of items side by side."""

    threads = available_cores()

    def sweep(self, lines: RaterLines, wild: float = np.inf) -> tuple[Array, Array, RaterSums]:
        from .numba_engine import even_ranges, pool_of
        from .rating_kernels import rating_sweep

        ratings, threads = self.ratings, self.threads
        first = np.searchsorted(ratings.item, np.arange(ratings.n_items + 1))
        weight = np.empty(0) if self.weight is None else self.weight
        table = np.stack(lines[:5], axis=1)
        x, variance = np.empty(ratings.n_items), np.empty(ratings.n_items)
        sums, totals = np.zeros((threads, ratings.n_annotators, 6)), np.zeros((threads, 3))
        rounds = ROUNDS if wild < np.inf else 0
        before = np.empty(0) if self.believed is None else self.believed - lines.mu

        def one(t: int, low: int, high: int) -> None:
            rating_sweep(
                low, high, first, ratings.annotator, ratings.value, weight, table, lines.mu, 1.0 / lines.spread, before,
                wild, rounds, x, variance, sums[t], totals[t],
            )  # fmt: skip

        jobs = [pool_of(threads).submit(one, t, *ends) for t, ends in enumerate(even_ranges(first, threads))]
        for job in jobs:
            job.result()
        columns: Any = sums.sum(axis=0).T
        return x, variance, RaterSums(*columns, *totals.sum(axis=0).tolist())


def bind_ratings(ratings: Ratings, engine: str = "auto") -> RatingSums:
    """Ratings on the engine of that name; "auto" is numba from 200,000 ratings on."""
    name, _, detail = engine.partition(":")
    if name == "auto":
        name = "numpy" if ratings.n_votes < SMALL else "numba"
    if name == "numpy":
        return RatingSums(ratings)
    if name != "numba":
        raise OptionError(f"engine {engine!r}: ratings are summed by numpy or numba (numba:4 takes four threads)")
    made = CompiledRatingSums(ratings)
    if detail:
        if not (detail.isdecimal() and int(detail)):
            raise OptionError(f"engine {engine!r}: the number of threads must be a whole number of at least 1")
        made.threads = int(detail)
    return made
