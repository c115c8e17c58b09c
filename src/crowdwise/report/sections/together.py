"""Annotators beside each other: how much they agree, and who errs with whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...study.annotators import agreement, pairwise_agreement
from ...votes.codes import Array, find
from ...votes.crowd import Crowd
from ...votes.table import Table
from ..about import About

MOST = 100  # annotators of the heat map


def section(about: About) -> dict[str, Any]:
    """Coefficients for all, and a heat map of two by two."""
    about.tell("agreement")
    seed = about.result.method.seed
    found = coefficients(about.crowd, level=about.level, seed=seed, engine=about.engine)
    return {**found, "heat_map": heat_map(about.crowd, about.judged)}


def coefficients(crowd: Crowd, *, level: float, seed: int, engine: str) -> dict[str, Any]:
    """The coefficients of agreement, or why there are none; soft votes count whole."""
    if crowd.weight is not None and (crowd.weight % 1.0).any():
        crowd = crowd.with_weight(None)
    try:
        return {"coefficients": agreement(crowd, level=level, seed=seed, engine=engine), "reason": None}
    except InputError as error:
        return {"coefficients": None, "reason": str(error)}


def heat_map(crowd: Crowd, found: Table) -> dict[str, Any]:
    """Agreement of two by two: of members of groups and of the busiest, 100 in all; those who agree stand together.

    `grouped` tells whether there are groups. NaN where two share no item.
    """
    heard = np.flatnonzero(found["votes"] > 0)
    alone = found["group"][heard] < 0
    chosen = heard[np.lexsort((-found["votes"][heard], found["group"][heard], alone))][:MOST]
    names = found["annotator"][chosen]
    pairs = pairwise_agreement(crowd.subset(annotators=names))
    first, second = (find(pairs[name], names) for name in ("first", "second"))
    same = np.full((names.size, names.size), np.nan)
    shared = np.zeros((names.size, names.size))
    for a, b in ((first, second), (second, first)):
        same[a, b], shared[a, b] = pairs["agreement"], pairs["shared"]
    grouped = bool((found["group"][chosen] >= 0).any())
    order = similar_order(same)
    both = np.ix_(order, order)
    return {"annotators": names[order], "grouped": grouped, "agreement": same[both], "shared": shared[both]}


def similar_order(agreement: Array) -> Array:
    """An order in which those who agree with the same people stand side by side; NaN: nothing is known.

    >>> apart = np.kron(np.eye(2), np.ones((2, 2)))[[0, 2, 1, 3]][:, [0, 2, 1, 3]]
    >>> (similar_order(apart) % 2).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    n = len(agreement)
    if n < 3 or np.isnan(agreement).all():
        return np.arange(n)
    known = np.where(np.isnan(agreement), np.nanmean(agreement), agreement)
    first, second = np.triu_indices(n, 1)
    return np.asarray(leaves_list(linkage(1.0 - known[first, second], "average", optimal_ordering=True)))
