"""What was found of structured answers: how many, how sure, and the least sure first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import how_many
from ...votes.table import Table
from ..plain_report import AboutNumbers

LONGEST = 200  # letters of a cell


def section(about: AboutNumbers) -> dict[str, Any]:
    """Sentences, and the answers that are least sure."""
    table = about.result.to_table()
    sure = np.asarray(table["confidence"], float)
    text = [f"Found: {how_many(len(table), 'answers')}."]
    if len(table):
        text.append(f"Half of them are surer than {np.median(sure):.2f}; {int((sure < 0.7).sum()):,} are below .7.")
    rows = table.take(np.argsort(sure, kind="stable")[: about.items])
    shown = {name: _short(column) for name, column in rows.columns.items()}
    return {"text": [*text, *about.result.notes], "tables": {"The least sure answers": Table(shown)}}


def _short(column: Any) -> Any:
    if column.dtype.kind != "O":
        return column
    cells = [
        cell if not isinstance(cell, str) or len(cell) <= LONGEST else f"{cell[:LONGEST]}…" for cell in column.tolist()
    ]
    return np.array(cells, object)
