"""What pandas' `to_json` writes: a whole table in one object, by columns, by rows, or split."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from ..votes.frames import find_column
from .formats.format import Record

VOTE = ("item", "annotator", "label")


def rows_of_pandas(record: dict[str, Any]) -> list[Record] | None:
    """The rows of such an object, and where they stand; None if it is something else.

    >>> rows_of_pandas({"task": {"0": "i1", "1": "i2"}, "worker": {"0": "a", "1": "a"}, "label": {"0": 1, "1": 0}})[1]
    ('row 1', {'task': 'i2', 'worker': 'a', 'label': 0})
    """
    if record.keys() in ({"columns", "index", "data"}, {"columns", "data"}) and _are_columns(record["columns"]):
        rows = [dict(zip(record["columns"], row, strict=False)) for row in record["data"]]
    elif record.keys() == {"schema", "data"} and isinstance(record["data"], list):
        rows = record["data"]
    elif all(isinstance(value, dict) for value in record.values()) and record:
        parts: list[dict[str, Any]] = list(record.values())
        if _are_columns(record):
            numbers = list(parts[0])
            if any(list(part) != numbers for part in parts):
                raise InputError("a table written by columns, whose columns have different rows")
            rows = [{name: column[number] for name, column in record.items()} for number in numbers]
        elif all(part.keys() == parts[0].keys() for part in parts) and _are_columns(parts[0]):
            rows = parts
        else:
            return None
    else:
        return None
    return [(f"row {number}", row) for number, row in enumerate(rows)]


def _are_columns(names: Any) -> bool:
    """Whether these are the names of a long table's columns."""
    return all(find_column(role, names) for role in VOTE)
