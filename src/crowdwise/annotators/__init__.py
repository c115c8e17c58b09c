"""Know your annotators: functions of a crowd and a result that give a Table."""

from ..aggregate.spem import spammer_score
from .agreement import agreement, agreement_by, pairwise_agreement
from .information import capacity
from .quality import quality
from .verdict import prune, verdicts

__all__ = [
    "agreement",
    "agreement_by",
    "capacity",
    "pairwise_agreement",
    "prune",
    "quality",
    "spammer_score",
    "verdicts",
]
