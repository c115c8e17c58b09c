"""A file of any of our formats as an arrow table, or an error that names file, row and column."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..errors import InputError, OptionError, how_many
from .records import records
from .source import HEAD, Source, open_source

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
BLOCK = 1 << 24  # bytes that are read at a time
SEPARATOR = re.compile(r"^\ufeff?sep=(.)\r?\n", re.I)
QUOTED = re.compile(r'"[^"]*"')
LONGEST_CELL = 1 << 28  # letters
BATCH = 50_000  # records of JSON that become rows at a time
Wanted = Callable[[list[str]], list[str]]


class Rows(NamedTuple):
    """What was read: the name to speak of it by, an arrow table, and what a person should know about the reading."""

    name: str
    table: Any
    notes: list[str]
    row_number: Callable[[int], int]  # of a row of the table, as an editor or a spreadsheet shows it
    names: list[str]  # of all columns of the file, read or not


def read_rows(
    source: str | Path | Source,
    delimiter: str | None = None,
    wanted: Wanted | None = None,
    found: Iterator[tuple[str, dict[str, Any]]] | None = None,
) -> Rows:
    """Read CSV, TSV, JSON (lines or a list of flat objects) or Parquet, from a path or from standard input ("-").

    The format is told by the content. Cells of delimited text stay text, spelt as they are; "" is an empty cell.
    `wanted` chooses, by the names of the columns, those that are read: the others take no memory. `found` are the
    records of a JSON file that is open already.
    """
    source = source if isinstance(source, Source) else open_source(source)
    wanted = wanted or (lambda names: names)
    if source.head[:4] == b"PAR1":
        table, names = _parquet(source, wanted)
    elif source.head[:6] == b"ARROW1" or source.head[:4] == b"FEA1":
        table, names = _feather(source, wanted)
    elif source.begins in (b"{", b"["):
        table, names = _json(source.name, records_of(source) if found is None else found, wanted)
    else:
        return _delimited(source, delimiter, wanted)
    return Rows(source.name, table, [], lambda position: position + 1, names)


def _parquet(source: Source, wanted: Wanted) -> tuple[Any, list[str]]:
    import pyarrow.parquet

    try:
        with pa.OSFile(str(source.path)) as file:
            names = pyarrow.parquet.read_schema(file).names
            table = pyarrow.parquet.read_table(file, columns=wanted(names))
            table.validate(full=True)  # what a broken file holds is not trusted to be text, or within its bounds
            return table, names
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise InputError(f"{source.name}: the Parquet file is broken ({_first_line(error)})") from error


def _feather(source: Source, wanted: Wanted) -> tuple[Any, list[str]]:
    import pyarrow.feather

    try:
        table = pyarrow.feather.read_table(source.path, memory_map=False)
        table.validate(full=True)
        return table.select(wanted(table.column_names)), table.column_names
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise InputError(f"{source.name}: the Feather file is broken ({_first_line(error)})") from error


def records_of(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of a JSON file, and where they stand."""
    with source.path.open("rb") as file:
        yield from records(file, source.name)


def _json(name: str, records: Iterator[tuple[str, dict[str, Any]]], wanted: Wanted) -> tuple[Any, list[str]]:
    """A batch of objects at a time, of a list or of lines. Arrow's own reader does not survive every broken file."""
    names: dict[str, None] = {}
    parts: list[Any] = []
    found = (record for _, record in records)
    while batch := [*itertools.islice(found, BATCH)]:
        for record in batch:
            if not record.keys() <= names.keys():
                names.update(dict.fromkeys(record))
        above = sum(part.num_rows for part in parts)
        parts.append(pa.table({key: _column(batch, key, name, above) for key in wanted([*names])}))
    if not parts:
        raise InputError(f"{name}: there are no objects in the JSON list")
    try:
        return pa.concat_tables(parts, promote_options="permissive"), [*names]
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"{name}: a column holds values of several types ({_first_line(error)})") from error


def _column(batch: list[dict[str, Any]], key: str, name: str, above: int) -> Any:
    values = [record.get(key) for record in batch]
    try:
        return pa.array(values)
    except OverflowError:  # a whole number that is larger than arrow's
        return pa.array([None if value is None else str(value) for value in values])
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        told = [(row, value) for row, value in enumerate(values, start=above + 1) if value is not None]
        row, value = next((pair for pair in told if type(pair[1]) is not type(told[0][1])), told[0])
        text = f"{str(value)[:40]!r} is of another type than {str(told[0][1])[:40]!r}: convert them to one type"
        raise InputError(f"{name}, row {row}, column {key!r}: {text}") from error


def _delimited(source: Source, delimiter: str | None, wanted: Wanted) -> Rows:
    import pyarrow.csv

    name, head = source.name, _header(source)
    above = 0
    if said := SEPARATOR.match(head):  # Excel's own first line
        head, delimiter, above = head[said.end() :], delimiter or said[1], 1
    found = delimiter or _guess_delimiter(head, name)
    if len(found) != 1:
        raise OptionError(f"the delimiter must be one character, not {found!r}")
    notes = []
    if delimiter is None and found != ("\t" if ".tsv" in name else ","):
        notes.append(f"columns are separated by {DELIMITERS[found]}")
    columns = next(csv.reader(io.StringIO(head, newline=""), delimiter=found))
    if not columns:
        raise InputError(f"{name}, row 1: the header is empty")
    twice = next((column for column, often in Counter(columns).items() if often > 1), None)
    if twice is not None:
        raise InputError(f"{name}: the header names column {twice!r} more than once")
    keep = wanted(columns)
    try:
        with pa.OSFile(str(source.path)) as file:
            table = pyarrow.csv.read_csv(
                file,
                read_options=pyarrow.csv.ReadOptions(block_size=BLOCK, skip_rows=above),
                parse_options=pyarrow.csv.ParseOptions(delimiter=found, newlines_in_values=True),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(keep, pa.string()), strings_can_be_null=False, include_columns=keep
                ),
            )
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise InputError(_where_it_breaks(source, found, error)) from error
    if not table.num_rows:
        raise InputError(f"{name} has a header and no rows")

    def row_number(position: int) -> int:
        filled = (number for number, record in enumerate(_cells(source, found), start=1) if record)
        return next(itertools.islice(filled, position + 1 + above, None))  # arrow skips empty lines

    return _without_headers(Rows(name, table, notes, row_number, columns))


def _without_headers(rows: Rows) -> Rows:
    """Without rows that repeat the header, as `cat a.csv b.csv` makes them; other orders of columns are refused."""
    import pyarrow.compute as pc

    if len(rows.table.column_names) < 2:
        return rows
    names, words = pa.array(rows.names), None
    for name in rows.table.column_names:
        here = pc.is_in(rows.table[name], value_set=names)
        words = here if words is None else pc.and_(words, here)
        if not pc.any(words).as_py():
            return rows
    words = np.asarray(words)
    at = np.flatnonzero(words)
    cells = [rows.table[name].take(pa.array(at)).to_pylist() for name in rows.table.column_names]
    header = np.array([len(set(row)) == len(row) for row in zip(*cells, strict=True)])  # no name stands there twice
    words[at[~header]] = False
    at = at[header]
    if not at.size:
        return rows
    same = np.array([row == tuple(rows.table.column_names) for row in zip(*cells, strict=True)])[header]
    if not same.all():
        row = rows.row_number(int(at[~same][0]))
        raise InputError(f"{rows.name}, row {row}: a second header, of other columns: name the files one by one")
    kept = np.flatnonzero(~words)
    if not kept.size:
        raise InputError(f"{rows.name} has headers and no rows")
    again = how_many(at.size, "rows")
    note = f"{again} left out as a repeated header: several files were joined here"
    number = rows.row_number
    return rows._replace(
        table=rows.table.take(pa.array(kept)),
        notes=[*rows.notes, note],
        row_number=lambda position: number(int(kept[position])),
    )


def _header(source: Source) -> str:
    """As much of the text as holds the first line."""
    size, head = HEAD, source.head
    while b"\n" not in head and len(head) == size:
        size *= 2
        with source.path.open("rb") as file:
            head = file.read(size)
    return _text(head, source.name, whole=len(head) < size)


def columns_of(source: Source, delimiter: str | None = None) -> list[str]:
    """The names of a table's columns, by its first bytes; none where it is no plain table."""
    if source.head[:4] == b"PAR1":
        return _parquet(source, lambda names: names[:1])[1]
    if (
        source.begins in (b"[", b"{", b"<")
        or source.head[:6] == b"ARROW1"
        or source.head[:4] in (b"FEA1", b"PK\x03\x04")
    ):
        return []
    head = SEPARATOR.sub("", _header(source))
    return next(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter or _guess_delimiter(head, source.name)))


def _guess_delimiter(head: str, name: str) -> str:
    """The one that cuts the header into most columns; what stands in quotes cuts nothing."""
    header = head.partition("\n")[0]
    if not header.strip():
        raise InputError(f"{name}, row 1: the header is empty")
    if header.count('"') % 2:  # a name of several lines
        header = QUOTED.sub("", head).partition("\n")[0]
    return max(DELIMITERS, key=QUOTED.sub("", header).count)


def _text(raw: bytes, name: str, whole: bool) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not whole and error.start > len(raw) - 4:  # a letter cut in two where the head ends
            return raw[: error.start].decode("utf-8-sig")
        if b"\0" in raw:
            raise InputError(f"{name}: this is no text, and no format that is read (or --encoding utf-16)") from error
        raise InputError(_not_utf8(name, raw[: error.start].count(b"\n") + 1, raw[error.start])) from error


def _not_utf8(name: str, row: int, byte: int) -> str:
    return f"{name}, row {row}: byte 0x{byte:02x} is not UTF-8 text; name its encoding, such as --encoding cp1252"


def _cells(source: Source, delimiter: str) -> Iterator[list[str]]:
    """The rows of a delimited file, slowly; for messages."""
    csv.field_size_limit(LONGEST_CELL)
    with source.path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        yield from csv.reader(file, delimiter=delimiter)


def _where_it_breaks(source: Source, delimiter: str, error: Exception) -> str:
    """Read again, slowly, to say which row arrow stumbled over."""
    name, number, width = source.name, 0, 0
    if "UTF8" in str(error) or "UTF-8" in str(error):
        return _first_byte_that_is_no_text(source)
    try:
        for number, row in enumerate(_cells(source, delimiter), start=1):
            width = width or len(row)
            if row and len(row) != width:
                odd = "; text in UTF-16? --encoding utf-16-le reads it" if _has_nulls(source) else ""
                return f"{name}, row {number}: {len(row)} cells under a header of {width}{odd}"
    except csv.Error as broken:
        return f"{name}, row {number + 1}: {broken}"
    return f"{name}: {_first_line(error)}"


def _has_nulls(source: Source) -> bool:
    with source.path.open("rb") as file:
        return b"\0" in file.read(4096)


def _first_byte_that_is_no_text(source: Source) -> str:
    with source.path.open("rb") as file:
        for row, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return _not_utf8(source.name, row, line[error.start])
    return f"{source.name}: this is not UTF-8 text; name its encoding, such as --encoding cp1252"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
