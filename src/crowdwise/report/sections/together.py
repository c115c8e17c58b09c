"""Annotators beside each other: how much they agree, and who errs with whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...study.annotators import agreement, pairwise_agreement
from ...votes.codes import find
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
    """Agreement of two by two: members of groups, side by side, and then the busiest; 100 in all.

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
    return {"annotators": names, "grouped": grouped, "agreement": same, "shared": shared}
