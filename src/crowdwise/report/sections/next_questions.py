"""Where one more answer would tell most."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...study.numbers import next_pairs
from ...votes.ratings import Ratings
from ...votes.table import Table
from ..plain_report import AboutNumbers

MOST = 20


def section(about: AboutNumbers) -> dict[str, Any] | None:
    """The items whose values are known least, or the pairs whose comparison would tell most."""
    result, votes = about.result, about.votes
    if isinstance(votes, Ratings):
        order = np.argsort(-about.estimate.sd, kind="stable")[: min(MOST, about.items)]
        n = np.bincount(votes.item, minlength=votes.n_items)
        low, high = about.estimate.interval(about.level)
        table = Table({"item": result.items, "value": about.estimate.mean, "low": low, "high": high, "ratings": n})
        return {"text": ["These values are known least."], "tables": {"Ask for more ratings": table.take(order)}}
    if votes.n_items < 2:
        return None
    text = ["The next comparison tells most where scores are vague and the outcome is open."]
    return {"text": text, "tables": {"Pairs to ask": next_pairs(result, min(MOST, max(about.items, 1)))}}
