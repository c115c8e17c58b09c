"""Know your annotators: functions of a crowd and a result that give a Table."""

from ...methods.classes.em.spem import spammer_score
from ...methods.classes.honest import honest_result
from .adversaries import adversaries
from .agreement import agreement, agreement_by, pairwise_agreement
from .agreement_rank import agreement_colluders
from .attack import attack
from .colluders import attacked_items, colluders, copying_pairs
from .groups import effective_number
from .information import capacity
from .items import repeated, review
from .quality import confusion, quality, quality_by_class
from .spammers import covariance_spammers, eliminated
from .timing import over_time, timing, with_timing
from .verdict import prune, verdicts

__all__ = [
    "adversaries",
    "agreement",
    "agreement_by",
    "agreement_colluders",
    "attack",
    "attacked_items",
    "capacity",
    "colluders",
    "confusion",
    "copying_pairs",
    "covariance_spammers",
    "effective_number",
    "eliminated",
    "honest_result",
    "over_time",
    "pairwise_agreement",
    "prune",
    "quality",
    "quality_by_class",
    "repeated",
    "review",
    "spammer_score",
    "timing",
    "verdicts",
    "with_timing",
]
