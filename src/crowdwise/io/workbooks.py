"""Tables in Excel workbooks, through python-calamine."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ..errors import InputError, MissingExtra
from .source import Source
from .table_rows import Rows

WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx, a zip, and .xls


def workbook_rows(source: Source) -> Rows:
    """The first sheet that holds something, its first row as the header; cells as text, as in a CSV."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise MissingExtra(
            f"{source.name}: reading Excel workbooks needs python-calamine: pip install 'crowdwise[excel]', or save "
            "it as CSV (UTF-8)"
        ) from error
    try:
        book = CalamineWorkbook.from_path(str(source.path))
        sheets = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    except CalamineError as error:
        raise InputError(f"{source.name}: the workbook cannot be read ({error})") from error
    filled = {name: rows for name, rows in sheets.items() if len(rows) > 1}
    if not filled:
        raise InputError(f"{source.name}: no sheet of the workbook has a header and rows")
    name, (header, *rows) = next(iter(filled.items()))
    columns = [_text(cell) for cell in header]
    if not all(columns) or len(set(columns)) < len(columns):
        raise InputError(f"{source.name}, sheet {name!r}, row 1: every column needs a name of its own")
    kept = [place for place, row in enumerate(rows) if any(_text(cell) for cell in row)]
    table = pa.table({column: [_text(rows[place][at]) for place in kept] for at, column in enumerate(columns)})
    others = [other for other in filled if other != name]
    notes = [f"sheet {name!r} is read, and not {', '.join(map(repr, others))}"] if others else []
    return Rows(source.name, table, notes, lambda position: kept[position] + 2, columns)


def _text(cell: Any) -> str:
    """A cell as a CSV would have it: whole numbers without a point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
