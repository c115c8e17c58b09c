"""When probabilities are equal: one rule, the same everywhere."""

from __future__ import annotations

import numpy as np

from .codes import Array

TOLERANCE = 1e-6  # what single precision cannot tell apart
FEW = 16  # columns, which are sooner compared one by one than row by row


def largest(rows: Array) -> Array:
    """The largest number of each row, as a column.

    >>> largest(np.array([[1, 3], [2, 0]])).tolist()
    [[3], [2]]
    """
    if rows.shape[1] > FEW:
        return np.asarray(rows.max(axis=1, keepdims=True))
    return np.asarray(np.maximum.reduce([*rows.T]))[:, None]


def tied(posterior: Array) -> Array:
    """Where a class has the largest probability of its item, up to 1e-6.

    >>> tied(np.array([[0.4, 0.4, 0.2]])).tolist()
    [[True, True, False]]
    """
    return np.asarray(posterior >= largest(posterior) - TOLERANCE)


def first_of_tied(posterior: Array) -> Array:
    """The first class, in the order of the classes, that has the largest probability."""
    return tied(posterior).argmax(axis=1)


def shared(posterior: Array) -> Array:
    """The largest probability made a label: 1 at its class, or parts where classes are tied."""
    top = tied(posterior)
    return np.asarray(top / top.sum(axis=1, keepdims=True))
