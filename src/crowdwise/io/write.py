"""Tables to files, through a temporary name, so that there is a whole file or none."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import InputError
from ..saving import whole_file
from ..table import Table


def write_table(table: Table, target: str | Path) -> None:
    """Write CSV, TSV, JSON lines or Parquet, by the ending of the name (.gz behind it zips); "-" is standard output.

    Probabilities are written with six digits.
    """
    if str(target) == "-":
        _csv(table, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    endings = [ending for ending in path.suffixes if ending != ".gz"]
    writer = WRITERS.get(endings[-1] if endings else "")
    if writer is None:
        raise InputError(f"{target}: the ending must be {', '.join(WRITERS)} (or one of them and .gz)")
    with whole_file(path) as file:
        if path.suffix == ".gz":
            with gzip.open(file, "wb") as zipped:
                writer(table, zipped)  # type: ignore[arg-type]
        else:
            writer(table, file)


def _csv(table: Table, file: BinaryIO, delimiter: str = ",") -> None:
    import pyarrow.csv

    header = io.StringIO()
    csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(table.columns)
    file.write(header.getvalue().encode())
    # Arrow puts every text in quotes, or none: none, as long as no name needs them.
    rows, text = _rounded(table), io.BytesIO()
    options = pyarrow.csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style="none")
    try:
        pyarrow.csv.write_csv(rows, text, options)
    except pyarrow.ArrowInvalid:
        text = io.BytesIO()
        options.quoting_style = "needed"
        pyarrow.csv.write_csv(rows, text, options)
    file.write(text.getbuffer())


def _tsv(table: Table, file: BinaryIO) -> None:
    _csv(table, file, "\t")


def _json_lines(table: Table, file: BinaryIO) -> None:
    for row in _rounded(table).to_pylist():
        file.write(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n")


def _parquet(table: Table, file: BinaryIO) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(table.to_frame(), file)


WRITERS: dict[str, Callable[[Table, BinaryIO], None]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}


def _rounded(table: Table) -> Any:
    columns = {
        name: np.round(column.astype(float), 6) if column.dtype.kind == "f" else column
        for name, column in table.columns.items()
    }
    return Table(columns).to_frame()
