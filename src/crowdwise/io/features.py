"""Features of items: an .npz file with the rows, X, and the items that they are of, item."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..votes.codes import Array


@dataclass(frozen=True)
class Features:
    """Rows of features, an array or a SciPy sparse matrix, and the names of their items; None: rows are numbered."""

    X: Any
    item: Array | None


def read_features(path: str | Path) -> Features:
    """Read an .npz that holds `X`, (rows, ...), and `item`, a name a row; or SciPy's sparse format with `item` beside.

    `numpy.savez(path, X=X, item=names)` writes it; without `item`, items are row numbers, 0 to n - 1.
    """
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file")
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


def _sparse(arrays: dict[str, Array], path: str | Path) -> Any:
    from scipy.sparse import csr_array

    parts = [arrays.get(name) for name in ("data", "indices", "indptr", "shape")]
    if any(part is None for part in parts) or arrays.get("format", np.array(b"csr")).item() not in (b"csr", "csr"):
        raise InputError(f"{path}: sparse features must be in CSR form, as scipy.sparse.save_npz writes it")
    data, indices, indptr, shape = parts
    return csr_array((data, indices, indptr), shape=tuple(shape))  # type: ignore[arg-type]
