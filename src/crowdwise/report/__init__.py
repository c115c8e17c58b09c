"""The report: everything that is known about a crowd, as one page that opens offline, as data, or as a short text."""

from .anonymous import anonymised
from .content import Report, report
from .plain_report import report_of_numbers

__all__ = ["Report", "anonymised", "report", "report_of_numbers"]
