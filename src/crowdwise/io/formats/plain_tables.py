"""Tables of our own: long, one row per vote, and wide, one column per annotator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError, TooLarge
from ...votes.crowd import Crowd
from ...votes.table import Table
from ..outgoing import Labels
from .format import Format

MOST_CELLS = 50_000_000  # of a wide table
ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")


def long_table(crowd: Crowd) -> Table:
    """One row per vote."""
    return crowd.to_table()


def label_table(labels: Labels) -> Table:
    """One row per item."""
    told = np.array(labels.labels, object)
    return Table({"item": labels.items, "label": told, "confidence": labels.confidence})


def wide_table(crowd: Crowd) -> Table:
    """One row per item, one column per annotator."""
    if crowd.n_items * crowd.n_annotators > MOST_CELLS:
        size = f"{crowd.n_items:,} rows of {crowd.n_annotators:,} columns"
        raise TooLarge(f"a wide table of {size} is too large: write a long one")
    cells = np.full((crowd.n_items, crowd.n_annotators), None, object)
    texts = np.array([str(name) for name in crowd.classes.tolist()], object)
    cells[crowd.item, crowd.annotator] = texts[crowd.label]
    names = [str(name) for name in crowd.annotators.tolist()]
    if "item" in names:
        raise InputError("annotator 'item': a wide table has a column of this name for the items")
    columns: dict[str, Any] = {"item": crowd.items}
    return Table(columns | {name: cells[:, place] for place, name in enumerate(names)})


TABLE = Format(
    "table",
    votes=lambda crowd, question: long_table(crowd),
    labels=lambda labels, question, found: label_table(labels),
    room=frozenset({"weight", "time", "seconds", "probability", "kind"}),
    endings=ENDINGS,
)
WIDE = Format("table", votes=lambda crowd, question: wide_table(crowd), once=True, endings=ENDINGS)
