"""Verdicts on annotators whose answers are no classes: one door for every kind."""

from __future__ import annotations

from typing import Any

from ...fit.result import Result
from ...votes.comparisons import Comparisons
from ...votes.ratings import Ratings
from ...votes.table import Table
from ..structured import structured_verdicts
from .comparers import comparer_verdicts
from .raters import rater_verdicts


def verdicts(votes: Any, result: Result, *, level: float = 0.9, false_discoveries: float = 0.05) -> Table:
    """One row per annotator, worst first, as `rater_verdicts`, `comparer_verdicts` or `structured_verdicts` has it."""
    if isinstance(votes, Ratings):
        return rater_verdicts(votes, result, level=level, false_discoveries=false_discoveries)
    if isinstance(votes, Comparisons):
        return comparer_verdicts(votes, result, level=level, false_discoveries=false_discoveries)
    return structured_verdicts(votes, result, level=level, false_discoveries=false_discoveries)
