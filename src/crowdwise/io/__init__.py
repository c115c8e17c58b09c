"""Files to crowds and tables to files: the only place that knows CSV, Parquet, Label Studio and the others."""

from .export import LABELS_TO, VOTES_TO, check_target, write_labels, write_votes
from .features import Features, read_features
from .formats import FORMATS
from .known_labels import read_labels
from .outgoing import Labels
from .read import Reading, read_votes, without_annotators
from .write import write_table

__all__ = [
    "FORMATS",
    "LABELS_TO",
    "VOTES_TO",
    "Features",
    "Labels",
    "Reading",
    "check_target",
    "read_features",
    "read_labels",
    "read_votes",
    "without_annotators",
    "write_labels",
    "write_table",
    "write_votes",
]
