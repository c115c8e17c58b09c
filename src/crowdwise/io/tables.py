"""A file of any of our formats as an arrow table, or an error that names file, row and column."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from ..errors import InputError
from .records import records

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
HEAD = 1 << 16  # bytes in which the header is looked for
BLOCK = 1 << 25  # bytes a thread reads at a time: each block has a dictionary of names, and joining them costs


class Rows(NamedTuple):
    """What was read: the name to speak of it by, an arrow table, and what a person should know about the reading."""

    name: str
    table: Any
    notes: list[str]
    row_number: Callable[[int], int]  # of a row of the table, as an editor or a spreadsheet shows it


class Source(NamedTuple):
    """A file's name, its bytes, and its first letter, by which its format is told."""

    name: str
    raw: Any
    begins: bytes


def open_source(source: str | Path) -> Source:
    """A file, gzipped or not, by its path, or standard input ("-")."""
    name = "standard input" if str(source) == "-" else str(source)
    raw = _bytes_of(source, name)
    return Source(name, raw, bytes(raw[:HEAD]).removeprefix(b"\xef\xbb\xbf").lstrip()[:1])


def read_rows(source: str | Path | Source, delimiter: str | None = None) -> Rows:
    """Read CSV, TSV, JSON (lines or a list of flat objects) or Parquet, from a path or from standard input ("-").

    The format is told by the content. Cells of delimited text stay text, spelt as they are; "" is an empty cell.
    """
    name, raw, begins = source if isinstance(source, Source) else open_source(source)
    if raw[:4] == b"PAR1":
        return Rows(name, _parquet(raw, name), [], lambda position: position + 1)
    if begins == b"{":
        return Rows(name, _json_lines(raw, name), [], lambda position: position + 1)
    if begins == b"[":
        return Rows(name, _json_list(raw, name), [], lambda position: position + 1)
    return _delimited(raw, name, delimiter)


def _bytes_of(source: str | Path, name: str) -> Any:
    """The content, unzipped; a plain file is mapped, not copied."""
    if str(source) == "-":
        raw = pa.py_buffer(sys.stdin.buffer.read())
    else:
        path = Path(source)
        if path.is_dir():
            raise InputError(f"{name} is a directory: name a file in it")
        try:
            if path.is_file() and path.stat().st_size:
                raw = pa.memory_map(name).read_buffer()
            else:  # nothing, or a pipe, which cannot be mapped
                raw = pa.py_buffer(path.read_bytes())
        except OSError as error:
            raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
    if bytes(raw[:2]) == b"\x1f\x8b":
        try:
            raw = pa.py_buffer(gzip.decompress(raw))
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{name}: the gzip file is broken ({error})") from error
    if not len(raw):
        raise InputError(f"{name} is empty")
    return memoryview(raw)


def _parquet(raw: Any, name: str) -> Any:
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(pa.BufferReader(raw))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{name}: the Parquet file is broken ({_first_line(error)})") from error


def _json_lines(raw: Any, name: str) -> Any:
    import pyarrow.json

    try:
        table = pyarrow.json.read_json(pa.BufferReader(raw))
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # a text that looks like a date stays a text
            schema = pa.schema([(date, pa.string()) for date in dates])
            options = pyarrow.json.ParseOptions(explicit_schema=schema)
            table = pyarrow.json.read_json(pa.BufferReader(raw), parse_options=options)
    except pa.ArrowInvalid as error:
        raise InputError(f"{name}: {_first_line(error)}") from error
    return table


def _json_list(raw: Any, name: str) -> Any:
    found = [record for _, record in records(raw, name)]
    if not found:
        raise InputError(f"{name}: the JSON list is empty")
    try:
        names = dict.fromkeys(key for record in found for key in record)
        return pa.table({key: pa.array([record.get(key) for record in found]) for key in names})
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise InputError(f"{name}: {_first_line(error)}") from error


def _delimited(raw: Any, name: str, delimiter: str | None) -> Rows:
    import pyarrow.csv

    size = HEAD
    while b"\n" not in bytes(raw[:size]) and size < len(raw):
        size *= 2
    head = _text(bytes(raw[:size]), name, whole=len(raw) <= size)
    found = delimiter or _guess_delimiter(head, name)
    if len(found) != 1:
        raise InputError(f"the delimiter must be one character, not {found!r}")
    notes = []
    if delimiter is None and found != ("\t" if ".tsv" in name else ","):
        notes.append(f"columns are separated by {DELIMITERS[found]}")
    columns = next(csv.reader(io.StringIO(head, newline=""), delimiter=found))
    twice = [column for column in columns if columns.count(column) > 1]
    if twice:
        raise InputError(f"{name}: the header names column {twice[0]!r} more than once")
    coded = pa.dictionary(pa.int32(), pa.string())
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(raw),
            read_options=pyarrow.csv.ReadOptions(block_size=BLOCK),
            parse_options=pyarrow.csv.ParseOptions(delimiter=found, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(columns, coded), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise InputError(_where_it_breaks(bytes(raw), name, found, error)) from error
    if not table.num_rows:
        raise InputError(f"{name} has a header and no rows")

    def row_number(position: int) -> int:
        records = csv.reader(io.StringIO(_text(bytes(raw), name, whole=True), newline=""), delimiter=found)
        filled = (number for number, record in enumerate(records, start=1) if record)  # arrow skips empty lines
        return next(itertools.islice(filled, position + 1, None))

    return Rows(name, table.unify_dictionaries().combine_chunks(), notes, row_number)


def _guess_delimiter(head: str, name: str) -> str:
    """The one that cuts the header into most columns."""
    header = head.partition("\n")[0]
    if not header.strip():
        raise InputError(f"{name}, row 1: the header is empty")
    return max(DELIMITERS, key=header.count)


def _text(raw: bytes, name: str, whole: bool) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not whole and error.start > len(raw) - 4:  # a letter cut in two where the head ends
            return raw[: error.start].decode("utf-8-sig")
        row = raw[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}, row {row}: byte 0x{raw[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        ) from error


def _where_it_breaks(raw: bytes, name: str, delimiter: str, error: Exception) -> str:
    """Read again, slowly, to say which row arrow stumbled over."""
    rows = csv.reader(io.StringIO(_text(raw, name, whole=True), newline=""), delimiter=delimiter)
    try:
        width = len(next(rows))
        for number, row in enumerate(rows, start=2):
            if row and len(row) != width:
                return f"{name}, row {number}: {len(row)} cells under a header of {width}"
    except csv.Error as broken:
        return f"{name}, line {rows.line_num}: {broken}"
    return f"{name}: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
