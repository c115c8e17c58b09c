"""Structured answers: how alike two of them are, how much annotators agree, and what they are like."""

from .likeness import likeness
from .structured_agreement import structured_agreement
from .writers import structured_verdicts

__all__ = ["likeness", "structured_agreement", "structured_verdicts"]
