"""Know your annotators: functions of a crowd and a result that give a Table."""

from .quality import quality

__all__ = ["quality"]
