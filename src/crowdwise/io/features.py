"""Features of items: an .npz file with the rows, X, and the items that they are of, item; or a table."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..votes.codes import Array
from ..votes.frames import require_column
from .cells import decoded, require_filled
from .table_rows import Rows, read_rows


@dataclass(frozen=True)
class Features:
    """Rows of features, an array, a SciPy sparse matrix or texts, and the names of their items; None: numbered."""

    X: Any
    item: Array | None


def read_features(path: str | Path, text: str | None = None) -> Features:
    """Read an .npz that holds `X`, (rows, ...), and `item`, a name a row; or SciPy's sparse format with `item` beside.

    `numpy.savez(path, X=X, item=names)` writes it; without `item`, items are row numbers, 0 to n - 1. A table (CSV,
    TSV, JSON lines, Parquet) has an item column, and numbers in the others; or, in the column that `text` names, texts.
    """
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file")
    if not zipfile.is_zipfile(path):
        return _of_table(path, text)
    if text is not None:
        raise InputError(f"{path} is an .npz: a column of texts is in a table (CSV, TSV, JSON lines, Parquet)")
    try:
        with np.load(path, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
    except (ValueError, OSError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is no .npz of plain arrays: numpy.savez(path, X=X, item=names) writes one") from error
    item = arrays.get("item")
    x = _sparse(arrays, path) if "indptr" in arrays else arrays.get("X")
    if x is None:
        raise InputError(f"{path} has no array X; it holds {', '.join(arrays)}")
    if item is None and (others := [name for name in arrays if name in ("items", "names", "ids")]):
        raise InputError(f"{path} has no array item, but {others[0]}: items are named by an array called item")
    if item is not None and len(item) != x.shape[0]:
        raise InputError(f"{path}: item has {len(item)} names for {x.shape[0]} rows of X")
    return Features(x, item if item is None or item.dtype.kind in "iu" else item.astype(str).astype(object))


def _of_table(path: str | Path, text: str | None) -> Features:
    rows = read_rows(path, None)
    try:
        item = require_column("item", rows.names)
    except InputError as error:
        raise InputError(f"{path}: {error}; features are an .npz, or a table with an item column") from error
    require_filled(rows, item)
    names = decoded(rows.table[item]).to_numpy(zero_copy_only=False)
    names = names if names.dtype.kind in "iu" else names.astype(str).astype(object)
    others = [name for name in rows.names if name != item]
    if text is not None:
        if text not in others:
            raise InputError(f"{path} has no column {text!r}; it has {', '.join(others)}")
        require_filled(rows, text)
        return Features(np.array([str(each) for each in rows.table[text].to_pylist()], object), names)
    if not others:
        raise InputError(f"{path} has an item column and no other: there are no features")
    return Features(np.column_stack([_numbers(rows, name) for name in others]), names)


def _numbers(rows: Rows, name: str) -> Array:
    """A column of numbers, or an error that names the row and the column."""
    import pyarrow as pa

    column = decoded(rows.table[name])
    try:
        values = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float32)
    except pa.ArrowInvalid:
        values = np.array([_number(cell) for cell in column.to_pylist()], np.float32)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        cell = column[int(bad[0])].as_py()
        wrong = f"{cell!r} is no number" if cell not in (None, "") else "a number is missing"
        hint = f"; a column of texts is named by --text {name}" if isinstance(cell, str) and cell else ""
        raise InputError(f"{rows.name}, row {rows.row_number(int(bad[0]))}, column {name}: {wrong}{hint}")
    return values


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return np.nan


def _sparse(arrays: dict[str, Array], path: str | Path) -> Any:
    from scipy.sparse import csr_array

    parts = [arrays.get(name) for name in ("data", "indices", "indptr", "shape")]
    if any(part is None for part in parts) or arrays.get("format", np.array(b"csr")).item() not in (b"csr", "csr"):
        raise InputError(f"{path}: sparse features must be in CSR form, as scipy.sparse.save_npz writes it")
    data, indices, indptr, shape = parts
    return csr_array((data, indices, indptr), shape=tuple(shape))  # type: ignore[arg-type]
