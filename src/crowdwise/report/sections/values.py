"""The items' values: how far they spread, and how surely each is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import how_many
from ...votes.table import Table
from ..plain_report import AboutNumbers


def section(about: AboutNumbers) -> dict[str, Any]:
    """Sentences, and the items with the highest and lowest values."""
    result, votes = about.result, about.votes
    mean, sd = about.estimate.mean, about.estimate.sd
    low, high = about.estimate.interval(about.level)
    n = np.bincount(votes.item, minlength=votes.n_items)
    order = np.argsort(-mean, kind="stable")
    table = Table({"item": result.items, "value": mean, "low": low, "high": high, "ratings": n}).take(order)
    half = max(about.items // 2, 1)
    kept = np.arange(len(table)) if len(table) <= about.items else np.r_[:half, len(table) - half : len(table)]
    within = float(np.median(sd))
    text = [
        f"{how_many(votes.n_items, 'items')} have values from {mean.min():.4g} to {mean.max():.4g}; half of them are "
        f"known to within {within:.3g} (one standard deviation).",
        f"Values of items differ by {float(mean.std()):.3g} (one standard deviation)"
        + (": less than they are known to; take them with care." if mean.std() < within else "."),
        *result.notes,
    ]
    if (lone := int((n == 1).sum())) > 0:
        text.append(f"{how_many(lone, 'items')} with a single rating.")
    caption = "Values" if kept.size == len(table) else f"The {half} highest and the {half} lowest values"
    return {"text": text, "tables": {caption: table.take(kept)}}
