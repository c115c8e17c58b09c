"""Files to crowds and tables to files: the only place that knows CSV, Parquet, Label Studio and the others."""

from .export import check_target, write_labels, write_votes
from .features import Features, read_features
from .formats import FORMATS, label_formats, read_formats, vote_formats
from .known_labels import read_labels
from .outgoing import Labels
from .read import Reading, read_votes, without_annotators
from .write import write_table

__all__ = [
    "FORMATS",
    "Features",
    "Labels",
    "Reading",
    "check_target",
    "label_formats",
    "read_features",
    "read_formats",
    "read_labels",
    "read_votes",
    "vote_formats",
    "without_annotators",
    "write_labels",
    "write_table",
    "write_votes",
]
