"""Whether a model calls classes by each other's names: some objectives know classes up to their names only."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...votes.codes import Array, shown

GAIN = 0.05  # of the items: so many more would be called as the votes call them


def renamed(posterior: Array, votes: Array, classes: Array) -> tuple[str, ...]:
    """A sentence if other names for a model's classes would fit the votes better; posterior, votes: (items, classes).

    >>> sure = np.eye(3)[[0, 0, 1, 1, 2]]
    >>> renamed(sure[:, [1, 0, 2]], sure, np.array(["cat", "dog", "owl"]))[0].partition(";")[0]
    "the model may have exchanged classes: 'dog' is mostly what votes call 'cat', 'cat' is mostly what votes call 'dog'"
    """
    together = votes.T @ posterior  # (called by votes, called by the model)
    called, by_model = linear_sum_assignment(-together)
    if together[called, by_model].sum() - np.trace(together) <= GAIN * len(posterior):
        return ()
    pairs = [
        f"{shown(classes[k])} is mostly what votes call {shown(classes[v])}"
        for v, k in zip(called, by_model, strict=True)
        if v != k
    ]
    told = ", ".join(pairs[:3]) + (f" and {len(pairs) - 3} more" if len(pairs) > 3 else "")
    return (
        f"the model may have exchanged classes: {told}; look at some items, and try another seed or objective if it "
        "has",
    )
