"""Cells of a column that was read: which are empty, and what the others hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError
from ..votes.codes import Array
from .table_rows import Rows


def require_filled(rows: Rows, name: str, advice: str = "") -> None:
    """An empty cell is an error that names file, row and column."""
    empty = ~filled(rows.table[name])
    if empty.any():
        row = rows.row_number(int(empty.argmax()))
        more = f" (and {int(empty.sum()) - 1} more)" if empty.sum() > 1 else ""
        raise InputError(f"{rows.name}, row {row}, column {name!r}: the cell is empty{more}{advice}")


def filled(column: Any) -> Array:
    """Where cells hold more than nothing. The dictionary is looked at, not the rows, where there is one."""
    empty = pc.is_null(column)
    if pa.types.is_dictionary(column.type) and not pa.types.is_string(column.type.value_type):
        return ~np.asarray(empty)
    if pa.types.is_dictionary(column.type):
        coded = column.unify_dictionaries().combine_chunks()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
        place = pc.index(coded.dictionary, "").as_py()
        some = np.ones(len(column), bool) if place < 0 else coded.indices.fill_null(place).to_numpy() != place
        return some & ~np.asarray(empty)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        empty = pc.or_(empty, pc.fill_null(pc.equal(column, ""), False))
    elif pa.types.is_floating(column.type):
        empty = pc.or_(empty, pc.fill_null(pc.is_nan(column), False))
    return ~np.asarray(empty)


def decoded(column: Any) -> Any:
    """The column without its dictionary, if it has one."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def plain(column: Any) -> Array:
    """The values as NumPy has them."""
    return decoded(column).to_numpy()


def numbers_of(rows: Rows, name: str, some: Array, between: tuple[float, float]) -> Any:
    """The numbers of some rows; one that is none, or lies outside, is an error that names its row."""
    values = decoded(rows.table[name]).filter(pa.array(some))
    low, high = between
    try:
        numbers = pc.cast(values, pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        numbers = np.array([_number(value) for value in values.to_pylist()], float)
    wrong = ~((numbers >= low) & (numbers <= high) & (numbers < np.inf))
    if wrong.any():
        bad = int(wrong.argmax())
        row = rows.row_number(int(np.flatnonzero(some)[bad]))
        ends = "" if low == -np.inf else f" of at least {low:g}" if high == np.inf else f" from {low:g} to {high:g}"
        ends += " (are these percent?)" if high == 1.0 and numbers[bad] > 1.0 else ""
        found = values[bad].as_py()
        raise InputError(f"{rows.name}, row {row}, column {name!r}: {found!r} is not a finite number{ends}")
    return numbers


def _number(cell: Any) -> float:
    """A cell as a number, NaN where it is none."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return np.nan
