"""How much structured answers agree, beside what answers to different questions have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import OptionError
from ...votes.table import Table
from .likeness import ALIGNED, MEASURES, likeness

METRICS = ("exact", "aligned")


def structured_agreement(
    votes: Any, *, metric: str = "exact", level: float = 0.9, draws: int = 200, seed: int = 0
) -> Table:
    """One row: the mean likeness of two answers to a unit, by chance, and corrected for that, with an interval.

    Corrected is 1 - (1 - observed) / (1 - by chance), as in Krippendorff's alpha. The interval is a bootstrap over
    units.

    metric: "exact", or "aligned" for spans: those of two annotators are laid side by side, a span that is moved costs
    its move, squared and in parts of the lengths, another type costs 1, and so does a span left alone (as in gamma:
    Mathet, Widlöcher & Métivier 2015, with two annotators at a time).

    >>> from crowdwise import simulate
    >>> table = structured_agreement(simulate.texts(n_items=30, n_annotators=6, per_item=4, seed=0).texts)
    >>> table["measure"].tolist(), bool(table["low"][0] < table["agreement"][0] < table["high"][0])
    (['1 - edits'], True)
    """
    if not 0.0 < level < 1.0:
        raise OptionError(f"level={level} must lie between 0 and 1")
    if metric not in METRICS:
        raise OptionError(f"metric={metric!r}: choose {' or '.join(METRICS)}")
    aligned = metric == "aligned"
    found = likeness(votes, aligned=aligned)
    n = len(found.units)
    total, count = np.bincount(found.unit, found.alike, n), np.bincount(found.unit, minlength=n)
    some = count > 0
    mean, pairs = total[some] / count[some], float(count.sum())
    rng = np.random.default_rng(seed)

    def corrected(observed: Any) -> Any:
        return 1.0 - (1.0 - observed) / max(1.0 - found.chance, 1e-12)

    observed, low, high = np.nan, np.nan, np.nan
    if mean.size:
        drawn = np.array([mean[rng.integers(mean.size, size=mean.size)].mean() for _ in range(draws)])
        observed = float(mean.mean())
        low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    found_ = {"observed": observed, "by chance": found.chance, "agreement": corrected(observed)}
    found_ |= {"low": corrected(low), "high": corrected(high)}
    counts = {"units": np.array([int(some.sum())]), "pairs": np.array([int(pairs)])}
    ends = {name: np.array([value]) for name, value in found_.items()}
    return Table({"measure": np.array([ALIGNED if aligned else MEASURES[votes.kind]], object), **counts, **ends})
