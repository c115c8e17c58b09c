"""How much ratings of the same item, or answers to the same pair, agree."""

from __future__ import annotations

from typing import Any

from ...study.annotators import agreement
from ...study.numbers import answers_alike, reliability
from ...study.structured import structured_agreement
from ...votes.comparisons import Comparisons
from ...votes.crowd import Crowd
from ...votes.ratings import Ratings
from ...votes.table import Table
from ...votes.votes import Votes
from ..plain_report import AboutNumbers


def section(about: AboutNumbers) -> dict[str, Any]:
    """The coefficients."""
    votes = about.votes
    tables = agreement_of(votes, level=about.level, seed=about.seed)
    if isinstance(votes, Comparisons):
        text = "Two answers to the same pair, and how often they are the same."
    elif not isinstance(votes, Ratings):
        text = "Two answers to the same unit, beside answers to different ones; agreement is corrected for these."
    elif tables:
        text = "1 is perfect agreement, 0 what chance gives. ICC(k) is of the mean of an item's ratings, ICC(1) of one."
    else:
        text = "Agreement counts ratings, and these have weights: none is told."
    return {"text": [text], "tables": tables}


def agreement_of(votes: Votes, **how: Any) -> dict[str, Table]:
    """The coefficients of answers of any kind, as a table with its title; none where weights leave them without
    meaning."""
    if isinstance(votes, Crowd):
        return {"Agreement": agreement(votes, **how)}
    if isinstance(votes, Comparisons):
        return {"Agreement": answers_alike(votes, **how)}
    if not isinstance(votes, Ratings):
        return {"Agreement": structured_agreement(votes, **how)}
    weighed = votes.weight is not None and bool((votes.weight % 1.0).any())
    return {} if weighed else {"Agreement": reliability(votes, **how)}
