"""Ratings and comparisons: what their annotators are like, how much they agree, and how surely items stand in order."""

from .answerers import verdicts
from .comparers import comparer_verdicts
from .ranking import chance_to_win, next_pairs, rank_intervals, ranking_parts
from .raters import rater_verdicts
from .reliability import answers_alike, reliability

__all__ = [
    "answers_alike",
    "chance_to_win",
    "comparer_verdicts",
    "next_pairs",
    "rank_intervals",
    "ranking_parts",
    "rater_verdicts",
    "reliability",
    "verdicts",
]
