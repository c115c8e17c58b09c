"""Know your annotators: functions of a crowd and a result that give a Table."""

from .agreement import agreement, agreement_by, pairwise_agreement
from .quality import quality

__all__ = ["agreement", "agreement_by", "pairwise_agreement", "quality"]
