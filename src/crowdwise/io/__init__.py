"""Files to crowds and tables to files: the only place that knows CSV, Parquet and JSON lines."""

from .labels import read_labels
from .votes import Reading, read_votes
from .write import write_table

__all__ = ["Reading", "read_labels", "read_votes", "write_table"]
