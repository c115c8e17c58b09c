"""How much ratings of the same item, or answers to the same pair, agree."""

from __future__ import annotations

from typing import Any

from ...study.numbers import answers_alike, reliability
from ...study.structured import structured_agreement
from ...votes.comparisons import Comparisons
from ...votes.ratings import Ratings
from ..plain_report import AboutNumbers


def section(about: AboutNumbers) -> dict[str, Any]:
    """The coefficients."""
    votes, level, seed = about.votes, about.level, about.seed
    if not isinstance(votes, Ratings | Comparisons):
        text = ["Two answers to the same unit, beside answers to different ones; agreement is corrected for these."]
        return {"text": text, "tables": {"Agreement": structured_agreement(votes, level=level, seed=seed)}}
    if isinstance(votes, Comparisons):
        table = answers_alike(votes, level=level, seed=seed)
        return {
            "text": ["Two answers to the same pair, and how often they are the same."],
            "tables": {"Agreement": table},
        }
    if votes.weight is not None and (votes.weight % 1.0).any():
        return {"text": ["Agreement counts ratings, and these have weights: none is told."]}
    text = [
        "1 is perfect agreement, 0 what chance gives. ICC(k) is of the mean of an item's ratings, ICC(1) of one rating."
    ]
    return {"text": text, "tables": {"Agreement": reliability(votes, level=level, seed=seed)}}
