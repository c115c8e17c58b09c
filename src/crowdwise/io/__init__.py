"""Files to crowds and tables to files: the only place that knows CSV, Parquet, Label Studio and the others."""

from .features import Features, read_features
from .formats import FORMATS
from .labels import read_labels
from .votes import Reading, read_votes, without_annotators
from .write import write_table

__all__ = [
    "FORMATS",
    "Features",
    "Reading",
    "read_features",
    "read_labels",
    "read_votes",
    "without_annotators",
    "write_table",
]
