"""Files to votes and tables to files: the only place that knows CSV, Parquet, Label Studio and the others."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .formats import FORMATS, label_formats, read_formats, vote_formats

if TYPE_CHECKING:
    # names: written by `make names`
    from .export import check_target as check_target
    from .export import write_labels as write_labels
    from .export import write_votes as write_votes
    from .features import Features as Features
    from .features import read_features as read_features
    from .known_labels import read_labels as read_labels
    from .outgoing import Labels as Labels
    from .read import Reading as Reading
    from .read import read_votes as read_votes
    from .read import without_annotators as without_annotators
    from .write import write_table as write_table
    # end

OTHERS = {
    "Features": "features",
    "Labels": "outgoing",
    "Reading": "read",
    "check_target": "export",
    "read_features": "features",
    "read_labels": "known_labels",
    "read_votes": "read",
    "without_annotators": "read",
    "write_labels": "export",
    "write_table": "write",
    "write_votes": "export",
}
__all__ = ["FORMATS", "label_formats", "read_formats", "vote_formats", *OTHERS]


def __getattr__(name: str) -> Any:
    """Arrow is loaded when something is read or written."""
    if name not in OTHERS:
        raise AttributeError(f"module 'crowdwise.io' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{OTHERS[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
