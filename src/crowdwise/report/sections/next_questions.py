"""Where one more answer would tell most."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import how_many
from ...study.numbers import next_pairs
from ...votes.ratings import Ratings
from ...votes.table import Table
from ..about import About
from ..plain_report import AboutNumbers
from .contested import settled

MOST = 20
MOST_NUMBERS = 20_000_000  # items times classes


def of_classes(about: About) -> dict[str, Any] | None:
    """Whom to ask what, and what is still needed for a promise."""
    from ...collect import Online, Plan, audits_needed

    crowd = about.crowd.once("last")
    if about.items < 1 or crowd.n_items * crowd.n_classes > MOST_NUMBERS:
        return None
    live = Online(crowd.classes.tolist(), crowd.items.tolist(), method="live")
    live.add_annotators(crowd.annotators.tolist())
    live.update(crowd)
    asked = Plan(explore=0.0).next_votes(live, min(MOST, about.items))
    needed = int((~settled(about.reviewed)).sum())
    text = [
        f"{how_many(needed, 'items')} are not settled. The next vote tells most where little is known of the item, and "
        "the annotator is good at what it may be.",
        f"How many labels are wrong, only audited items tell: {audits_needed(0.05)} of them, drawn at random and all "
        "right, promise 5 % at most (crowdwise stop).",
    ]
    return {"text": text, "tables": {"Whom to ask what": asked.take(slice(0, MOST))}}


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
