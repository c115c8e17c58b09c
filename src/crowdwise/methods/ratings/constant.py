"""Annotators who always give the same rating."""

from __future__ import annotations

import numpy as np

from ...votes.codes import Array
from ...votes.ratings import Ratings

ENOUGH = 4  # ratings that are all alike: a constant annotator


def constant_raters(ratings: Ratings) -> Array:
    """Who gave four ratings or more, and always the same.

    >>> said = Ratings.from_columns([1, 2, 3, 4] * 2, ["a"] * 4 + ["b"] * 4, [5.0, 5.0, 5.0, 5.0, 1.0, 2.0, 3.0, 4.0])
    >>> constant_raters(said).tolist()
    [True, False]
    """
    low, high = np.full(ratings.n_annotators, np.inf), np.full(ratings.n_annotators, -np.inf)
    np.minimum.at(low, ratings.annotator, ratings.value)
    np.maximum.at(high, ratings.annotator, ratings.value)
    n = np.bincount(ratings.annotator, minlength=ratings.n_annotators)
    return np.asarray((n >= ENOUGH) & (high - low <= 1e-9 * max(float(np.std(ratings.value)), 1e-300)))
