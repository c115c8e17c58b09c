"""Know your annotators: functions of a crowd and a result that give a Table."""

from .agreement import agreement, agreement_by, pairwise_agreement
from .information import capacity, spammer_score
from .quality import quality

__all__ = ["agreement", "agreement_by", "capacity", "pairwise_agreement", "quality", "spammer_score"]
