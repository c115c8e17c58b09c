"""Tables to files, through a temporary name, so that there is a whole file or none."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from ..errors import InputError
from ..files import whole_file
from ..votes.table import Table


def write_table(table: Table, target: str | Path) -> None:
    """Write CSV, TSV, JSON lines or Parquet, by the ending of the name (.gz behind it zips); "-" is standard output.

    Probabilities are written with six digits; in text, a number that is not known is an empty cell, or null.
    """
    write_rows(table.to_frame(), target)


def write_rows(rows: Any, target: str | Path) -> None:
    """The same of an arrow table."""
    endings = [ending for ending in Path(target).suffixes if ending != ".gz"]
    writer = _csv if str(target) == "-" else WRITERS.get(endings[-1] if endings else "")
    if writer is None:
        raise InputError(f"{target}: the ending must be {', '.join(WRITERS)} (or one of them and .gz)")
    with destination(target) as file:
        writer(rows, file)


@contextmanager
def destination(target: str | Path) -> Iterator[BinaryIO]:
    """A file that is there when it is whole, gzipped if its name ends in .gz; "-" is standard output."""
    if str(target) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(target) as file:
        if Path(target).suffix == ".gz":
            with gzip.open(file, "wb") as zipped:
                yield zipped  # type: ignore[misc]
        else:
            yield file


def _csv(rows: Any, file: BinaryIO, delimiter: str = ",") -> None:
    import pyarrow.csv

    header = io.StringIO()
    odd = set("\r,;|\t") & set("".join(rows.column_names))  # what a reader may take for the end of a name
    rule: Literal[0, 1] = csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    csv.writer(header, delimiter=delimiter, lineterminator="\n", quoting=rule).writerow(rows.column_names)
    file.write(header.getvalue().encode())
    # Arrow puts every text in quotes, or none: none, as long as no name needs them.
    rows, text = _rounded(rows), io.BytesIO()
    options = pyarrow.csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style="none")
    try:
        pyarrow.csv.write_csv(rows, text, options)
    except pyarrow.ArrowInvalid:
        text = io.BytesIO()
        options.quoting_style = "needed"
        pyarrow.csv.write_csv(rows, text, options)
    file.write(text.getbuffer())


def _tsv(rows: Any, file: BinaryIO) -> None:
    _csv(rows, file, "\t")


def _json_lines(rows: Any, file: BinaryIO) -> None:
    for batch in _rounded(rows).to_batches(max_chunksize=100_000):
        for row in batch.to_pylist():
            file.write(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n")


def _parquet(rows: Any, file: BinaryIO) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(rows, file)


WRITERS: dict[str, Callable[[Any, BinaryIO], None]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}


SMALL = 1e-3


def _rounded(rows: Any) -> Any:
    """Six decimals; of a column of small numbers six digits."""
    import pyarrow as pa

    for place, field in enumerate(rows.schema):
        if pa.types.is_floating(field.type):
            numbers = np.asarray(rows.column(place).to_numpy(), float)
            some = np.abs(numbers[np.isfinite(numbers)])
            largest = float(some.max(initial=0.0))
            decimals = 6 if largest == 0.0 or largest >= SMALL else 6 - int(np.floor(np.log10(largest)))
            rows = rows.set_column(place, field.name, pa.array(np.round(numbers, decimals), from_pandas=True))
    return rows
