"""Results on disk: one .npz of plain arrays, with what is no array as JSON inside. Never pickle."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .codes import Array
from .errors import InputError
from .methods import make

if TYPE_CHECKING:
    from .result import Result

FORMAT = 1
NAMES = ("items", "annotators", "classes")


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to that takes its name when it is whole, and leaves nothing behind when it is not."""
    part = Path(f"{path}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


def save(result: Result, path: str | Path) -> None:
    """Write a result to `path`, through a temporary file, so that there is a whole file or none."""
    header = {
        "format": FORMAT,
        "method": result.method.name,
        "options": result.method.options(),
        "trace": list(result.trace),
        "converged": result.converged,
        "notes": list(result.notes),
    }
    arrays = {"posterior": result.posterior, "header": as_bytes(json.dumps(header))}
    for group in ("params", "statistics"):
        arrays |= {f"{group}.{name}": value for name, value in getattr(result, group).items()}
    for name in NAMES:
        arrays |= pack(name, getattr(result, name))
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read_arrays(path: str | Path, what: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a file and its JSON header; `what` it should be is said where it is not."""
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file")
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as content:
            arrays = dict(content)
        return arrays, json.loads(arrays.pop("header").tobytes())
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is not {what}") from error


def load(path: str | Path) -> Result:
    """Read a result that `save` wrote."""
    from .result import Result

    arrays, header = read_arrays(path, "a saved result")
    if header["format"] != FORMAT:
        raise InputError(f"{path} has format {header['format']}; this version reads {FORMAT}")
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in header["options"].items()}

    def group(name: str) -> dict[str, Array]:
        return {key.partition(".")[2]: value for key, value in arrays.items() if key.startswith(f"{name}.")}

    return Result(
        method=make(header["method"], **options),
        posterior=arrays["posterior"],
        params=group("params"),
        statistics=group("statistics"),
        trace=tuple(header["trace"]),
        converged=header["converged"],
        notes=tuple(header["notes"]),
        **{name: unpack(name, arrays) for name in NAMES},
    )


def as_bytes(text: str) -> Array:
    """Text as an array that a file of arrays can hold."""
    return np.frombuffer(text.encode(), np.uint8)


def pack(name: str, names: Array) -> dict[str, Array]:
    """Numbers as they are; text as UTF-8 in one piece and where each name ends."""
    if names.dtype.kind != "O":
        return {name: names}
    encoded = [text.encode() for text in names.tolist()]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {f"{name}_text": np.frombuffer(b"".join(encoded), np.uint8), f"{name}_ends": ends}


def unpack(name: str, arrays: dict[str, Any]) -> Array:
    """The names that `pack` made arrays of."""
    if name in arrays:
        return np.asarray(arrays[name])
    text, ends = arrays[f"{name}_text"].tobytes(), arrays[f"{name}_ends"].tolist()
    out = np.empty(len(ends), object)
    out[:] = [text[low:high].decode() for low, high in zip([0, *ends[:-1]], ends, strict=True)]
    return out
