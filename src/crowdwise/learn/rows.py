"""Rows of features and the items that they are of: matched by name, never by accident of order."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..base import as_crowd
from ..codes import Array, find, names_array, shown
from ..crowd import Crowd
from ..errors import InputError


def as_features(x: Any) -> Tensor:
    """(rows, features ...) as single-precision numbers; every one finite."""
    if hasattr(x, "toarray"):  # sparse text features
        x = x.toarray()
    x = torch.as_tensor(np.asarray(x) if not isinstance(x, Tensor) else x, dtype=torch.float32)
    if x.ndim < 2 or not len(x):
        raise InputError(f"X must have rows and columns, not the shape {tuple(x.shape)}")
    bad = ~torch.isfinite(x.reshape(len(x), -1)).all(dim=1)
    if bad.any():
        raise InputError(f"X, row {int(bad.nonzero()[0, 0])}: a number is missing or infinite")
    return x


def as_votes(votes: Any) -> Crowd:
    """A Crowd, a frame of votes, or an (items, annotators) matrix with -1 for no vote."""
    if isinstance(votes, np.ndarray) and votes.ndim == 2:
        return Crowd.from_matrix(votes)
    return as_crowd(votes)


def matched(x: Tensor, crowd: Crowd, items: Any = None) -> Array:
    """The item of each row of X, as a code, -1 where nobody voted on it.

    `items` names the rows; without it, items must be named 0..n-1.
    """
    if items is None:
        names = np.arange(len(x))
        strange = find(crowd.items, names) < 0
        if strange.any():
            raise InputError(
                f"item {shown(crowd.items[strange][0])} is no row number of X (0..{len(x) - 1}): name the rows, items="
            )
    else:
        names = names_array(items)
        if len(names) != len(x):
            raise InputError(f"items: {len(names)} names for {len(x)} rows of X")
        if len(np.unique(names)) < len(names):
            raise InputError("items: a name comes twice; every row of X must have its own")
        missing = find(crowd.items, names) < 0
        if missing.any():
            raise InputError(
                f"item {shown(crowd.items[missing][0])} has votes but no row in X ({int(missing.sum())} such items)"
            )
    return np.asarray(find(names, crowd.items))
