"""Files that are whole or not there."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .errors import InputError

Array = npt.NDArray[Any]
FINISHED: dict[Path, None] = {}
"""The files that were written so far, each once, in their order: what is kept when work is interrupted."""


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to that takes its name when all of it is on disk, and leaves nothing behind when it is not.

    Two writers of the same name never share a temporary file: the one that ends last wins, whole. A link stays a link:
    what it points to is replaced. What is no file, such as a pipe, is written straight into.
    """
    part: Path | None = None
    try:
        target = Path(path).resolve()
        straight = target.exists() and not target.is_file()
        part = target if straight else target.with_name(f".{secrets.token_hex(12)}.part")
        with part.open("wb" if straight else "xb") as file:
            yield file
            if not straight:
                file.flush()
                os.fsync(file.fileno())
        if not straight:
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
            FINISHED[Path(path)] = None
    except InputError:
        raise
    except (OSError, MemoryError, ValueError, TypeError, NotImplementedError, RuntimeError) as error:
        why = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
        raise InputError(f"{path} cannot be written: {why}") from error
    finally:
        if part is not None and part.suffix == ".part":
            with suppress(OSError):
                part.unlink(missing_ok=True)


def write_arrays(
    path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, Array], *, compress: bool = True
) -> None:
    """Arrays and what is no array, as JSON, in one .npz file. Never pickle.

    A network's weights are as good as random: to compress them takes long, and gains a tenth.
    """
    text = json.dumps(header, default=_plain).encode()
    with whole_file(path) as file:
        write = np.savez_compressed if compress else np.savez
        write(file, header=np.frombuffer(text, np.uint8), **arrays)  # type: ignore[arg-type]


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


def pack(name: str, values: Array) -> dict[str, Array]:
    """Numbers as they are; text as UTF-8 in one piece and where each name ends."""
    if values.dtype.kind != "O":
        return {name: values}
    if not all(isinstance(value, str) for value in values.tolist()):
        return {f"{name}_json": np.frombuffer(json.dumps(values.tolist(), default=str).encode(), np.uint8)}
    encoded = [text.encode() for text in values.tolist()]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {f"{name}_text": np.frombuffer(b"".join(encoded), np.uint8), f"{name}_ends": ends}


def unpack(name: str, arrays: Mapping[str, Any]) -> Array:
    """The values that `pack` made arrays of."""
    if name in arrays:
        return np.asarray(arrays[name])
    if f"{name}_json" in arrays:
        found = json.loads(arrays[f"{name}_json"].tobytes())
        return np.array([*found, None], object)[:-1]
    text, ends = arrays[f"{name}_text"].tobytes(), arrays[f"{name}_ends"].tolist()
    out = np.empty(len(ends), object)
    out[:] = [text[low:high].decode() for low, high in pairwise([0, *ends])]
    return out


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise InputError(f"{value!r} cannot be saved: give numbers, words and lists as options")
