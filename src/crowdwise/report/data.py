"""Content as JSON: what JSON has no word for (NaN, arrays, dates) becomes what it has."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..table import Table

DIGITS = 4  # of fractions on the page


def dumps(content: Any, of_table: Callable[[Table], Any], **options: Any) -> str:
    """JSON of nested content; a Table as `of_table` has it."""
    return json.dumps(_plain(content, of_table), ensure_ascii=False, allow_nan=False, **options)


def records(table: Table) -> list[dict[str, Any]]:
    """A list of rows, each by column: for people and their tools."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows()]


def columns(table: Table) -> dict[str, list[Any]]:
    """A list for each column, numbers rounded: for the page, where it has to be small."""
    return {name: _rounded(column).tolist() for name, column in table.columns.items()}


def _rounded(column: Any) -> Any:
    return column.round(DIGITS) if column.dtype.kind == "f" else column


def _plain(value: Any, of_table: Callable[[Table], Any]) -> Any:
    if isinstance(value, Table):
        return _plain(of_table(value), of_table)
    if isinstance(value, Mapping):
        return {str(name): _plain(each, of_table) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, of_table) for each in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist(), of_table)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
