"""The numbers that the first sentences are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...methods.classes.honest import belief
from ..about import About
from ..summary import FLAGGED
from .contested import settled


def section(about: About) -> dict[str, Any]:
    """Sizes, how much is settled, who stands out, and what votes are worth."""
    crowd, reviewed, together = about.crowd, about.reviewed, about.together
    sure, verdict = int(settled(reviewed).sum()), about.judged["verdict"].astype(str)
    counts = {name: int((verdict == name).sum()) for name in np.unique(verdict).tolist()}
    return {
        "belief": belief(about.result),
        "votes": crowd.n_votes,
        "items": crowd.n_items,
        "annotators": crowd.n_annotators,
        "gold": crowd.n_items - len(reviewed),
        "settled": sure,
        "unsettled": len(reviewed) - sure,
        "expected_right": float(about.result.on(crowd)[1].max(axis=1).mean()),
        "verdicts": counts,
        "flagged": sum(counts.get(name, 0) for name in FLAGGED),
        "groups": len(together) - 1,
        "votes_per_item": float(together["votes_per_item"][0]),
        "effective_votes": float(together["effective_votes"][0]),
        "understood": about.identified.verdict,
    }
