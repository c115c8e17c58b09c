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
