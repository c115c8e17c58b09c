"""Content as JSON: what JSON has no word for (NaN, arrays, dates) becomes what it has."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..votes.codes import Array
from ..votes.table import Table

DIGITS = 4  # of fractions on the page
# Columns of names: JavaScript would spell large integers, and rounding fractions, another way.
NAMES = frozenset(
    ("annotator", "item", "label", "class", "other", "runner_up", "favourite", "bias", "beside", "and", "members")
)


def dumps(content: Any, of_table: Callable[[Table], Any], **options: Any) -> str:
    """JSON of nested content; a Table as `of_table` has it."""
    return json.dumps(_plain(content, of_table), ensure_ascii=False, allow_nan=False, default=str, **options)


def records(table: Table) -> list[dict[str, Any]]:
    """A list of rows, each by column: for people and their tools."""
    lists = [_list(column) for column in table.columns.values()]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*lists, strict=True)]


def columns(table: Table) -> dict[str, list[Any]]:
    """A list for each column, names as text and numbers rounded: for the page, where it has to be small."""
    return {
        name: [str(each) for each in column.tolist()] if name in NAMES else _list(_rounded(column))
        for name, column in table.columns.items()
    }


def _rounded(column: Array) -> Array:
    """Four digits; what is not all or nothing does not become so."""
    if column.dtype.kind != "f":
        return column
    short, step = column.round(DIGITS), 10.0**-DIGITS
    short = np.where((short == 1.0) & (column < 1.0), 1.0 - step, short)
    return np.asarray(np.where((short == 0.0) & (column > 0.0), step, short))


def _list(array: Array) -> list[Any]:
    """An array as JSON has it, a million numbers at a time."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        unknown, array = ~np.isfinite(array), array.astype(object)
        array[unknown] = None
    elif array.dtype.kind not in "biufO":  # dates
        array = array.astype(str)
    return array.tolist()


def _plain(value: Any, of_table: Callable[[Table], Any]) -> Any:
    if isinstance(value, Table):
        return of_table(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(each, of_table) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, of_table) for each in value]
    if isinstance(value, np.ndarray):
        return _list(value)
    if isinstance(value, np.generic):
        return _plain(value.item(), of_table)
    return None if isinstance(value, float) and not math.isfinite(value) else value
