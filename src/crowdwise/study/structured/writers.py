"""Annotators of structured answers: whose answers are like the others', whose are not, and who copies whom."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from ...errors import OptionError
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.table import Table
from .likeness import Likeness, likeness, unit_of

RANK = ("copier", "spammer", "undecided", "fine")
ENOUGH = 4  # units with others, below which nothing is said
COPIED = 8  # units that two annotators share, at least, before one is said to copy
ALIKE = 0.98  # of the answers of two annotators, which are then the same
LESS = 0.5  # of what the crowd has beyond chance: who has surely less is no help


def structured_verdicts(
    votes: Any, result: Result | None = None, *, level: float = 0.9, false_discoveries: float = 0.05
) -> Table:
    """One row per annotator, worst first: answers, likeness to the others' with an interval, verdict, reason.

    Each annotator is held against what the others answered to the same units; theirs counts once a unit. "copier": the
    same as somebody else's nearly always, on eight units or more, where the others differ from them. "spammer": the
    upper end of the interval is below half of what the crowd has in common beyond chance. "undecided": few units, or an
    interval that reaches down to chance. "fine": the rest. Intervals are normal, over units.

    >>> from crowdwise import simulate
    >>> made = simulate.texts(n_items=60, n_annotators=8, per_item=5, spammers=2, seed=0)
    >>> table = structured_verdicts(made.texts)
    >>> table["verdict"].tolist()[:3], sorted(table["annotator"].tolist()[:2])
    (['spammer', 'spammer', 'fine'], [6, 7])
    """
    if not 0.0 < level < 1.0:
        raise OptionError(f"level={level} must lie between 0 and 1")
    found, n = likeness(votes), votes.n_annotators
    _, who, alike = _by_unit(found, n)
    units = np.bincount(who, minlength=n)
    mean = np.divide(np.bincount(who, alike, n), units, out=np.full(n, np.nan), where=units > 0)
    square = np.bincount(who, (alike - mean[who]) ** 2, n)
    pooled = float(square.sum() / max(alike.size - n, 1)) if alike.size else 0.0
    spread = np.sqrt((square + pooled * 2.0) / np.maximum(units + 1.0, 1.0))  # one annotator's few borrow from all
    half = NormalDist().inv_cdf(0.5 + level / 2.0) * spread / np.sqrt(np.maximum(units, 1))
    low, high = np.clip(mean - half, 0.0, 1.0), np.clip(mean + half, 0.0, 1.0)
    usual = float(np.nanmedian(mean)) if np.isfinite(mean).any() else np.nan
    bar = found.chance + LESS * (usual - found.chance)
    few = units < ENOUGH
    copies, group = _copiers(found, n, mean)
    verdict = np.select(
        [copies, ~few & (high < bar), few | (low <= found.chance)], ["copier", "spammer", "undecided"], "fine"
    ).astype(object)
    ends = [np.char.mod("%.2f", np.nan_to_num(end)).astype(object) for end in (low, high)]
    like = "alike with the others " + ends[0] + " to " + ends[1]
    reasons = np.select(
        [verdict == "copier", verdict == "spammer", (verdict == "undecided") & few, verdict == "undecided"],
        ["the same answers as another annotator, where others differ", like + f", the crowd {usual:.2f}",
         "too few units beside others' to tell", like + ": no more than by chance"], "",
    )  # fmt: skip
    columns = {
        "annotator": votes.annotators, "answers": _answered(votes), "units": units, "alike": mean,
        "alike_low": np.where(units > 0, low, np.nan), "alike_high": np.where(units > 0, high, np.nan),
        "verdict": verdict, "group": group, "reason": reasons,
    }  # fmt: skip
    order = np.lexsort((np.nan_to_num(mean, nan=2.0), np.array([RANK.index(one) for one in verdict.tolist()])))
    return Table(columns).take(order)


def _by_unit(found: Likeness, n: int) -> tuple[Array, Array, Array]:
    """Unit, annotator, and the mean likeness of their answer to the others' there."""
    unit = np.concatenate([found.unit, found.unit]).astype(np.int64)
    who = np.concatenate([found.one, found.other]).astype(np.int64)
    key, own = np.unique(unit * n + who, return_inverse=True)
    alike = np.bincount(own, np.concatenate([found.alike, found.alike])) / np.maximum(np.bincount(own), 1)
    return key // n, key % n, alike


def _copiers(found: Likeness, n: int, mean: Array) -> tuple[Array, Array]:
    """Who is the same as somebody again and again though both differ from the others; and in which group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    one, other = np.minimum(found.one, found.other).astype(np.int64), np.maximum(found.one, found.other)
    key, pair = np.unique(one * n + other, return_inverse=True)
    shared, same = np.bincount(pair), np.bincount(pair, found.alike >= ALIKE)
    a, b = np.divmod(key, n)
    usual = np.minimum(mean[a], mean[b])
    linked = (shared >= COPIED) & (same >= ALIKE * shared) & (usual < 0.9)
    graph = coo_array((np.ones(int(linked.sum())), (a[linked], b[linked])), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    copies = np.bincount(component)[component] > 1
    return copies, np.where(copies, np.unique(component, return_inverse=True)[1], -1)


def _answered(votes: Any) -> Array:
    """How many units each annotator answered."""
    key = np.unique(unit_of(votes).astype(np.int64) * votes.n_annotators + votes.annotator)
    return np.bincount(key % votes.n_annotators, minlength=votes.n_annotators)
