"""Scatter: whether pairs of annotators alone identify a crowd."""

from __future__ import annotations

import numpy as np

from ...votes.codes import Array

MOST_ROWS, MOST_DIRECTIONS = 2000, 30


def scatter(rows: Array, tries: int = 10, seed: int = 0) -> float:
    r"""How far :math:`\{y : H y \ge 0, 1^\top y = 1\}` reaches: 1 where the rows of H are sufficiently scattered.

    The rows' cone must contain the second-order cone, that is, its dual may not reach beyond the unit vectors. The
    largest length over that polytope is sought by linear programs from several directions: a number above 1 proves
    that the condition fails, 1 that no failure was found. Of very many rows the outermost are taken.

    >>> scatter(np.eye(3)), scatter(np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])) > 1.5
    (1.0, True)
    """
    from scipy.optimize import linprog

    n_classes = rows.shape[1]
    if n_classes == 1:
        return 1.0
    rng, longest = np.random.default_rng(seed), 1.0
    if len(rows) > MOST_ROWS:
        rows = rows[np.unique((rows @ rng.standard_normal((n_classes, MOST_ROWS))).argmax(axis=0))]
    away = -np.eye(n_classes)[: max(1, MOST_DIRECTIONS - tries)]
    for direction in [*away, *rng.standard_normal((tries, n_classes))]:
        towards, length = direction, 0.0
        for _ in range(20):
            found = linprog(
                -towards, A_ub=-rows, b_ub=np.zeros(len(rows)), A_eq=np.ones((1, n_classes)), b_eq=[1.0],
                bounds=(-10.0, 10.0),
            )  # fmt: skip
            reached = float(np.linalg.norm(found.x)) if found.success else 0.0
            if reached <= length + 1e-9:
                break
            towards, length = found.x, reached
        longest = max(longest, length)
    return round(longest, 6)
