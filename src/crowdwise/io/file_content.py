"""Content of a file in the shapes that tools import: lists, lines, objects, arrays, archives."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np

from ..votes.codes import Array

Content = Callable[[BinaryIO], None] | Any
"""What writes itself into a file; or a Table, or an arrow table, which are written as the file's ending says."""


def as_lines(found: Iterable[Any]) -> Content:
    """JSON, one record in each line."""

    def write(file: BinaryIO) -> None:
        for record in found:
            file.write(_text(record) + b"\n")

    return write


def as_text(parts: Iterable[str]) -> Content:
    """Plain text, part after part."""

    def write(file: BinaryIO) -> None:
        for part in parts:
            file.write(part.encode())

    return write


def as_list(found: Iterable[Any]) -> Content:
    """A JSON list of records."""
    return lambda file: _between(b"[", (_text(record) for record in found), b"]", file)


def as_object(found: Iterable[tuple[str, Any]]) -> Content:
    """A JSON object of names and values."""
    return lambda file: _between(b"{", (_text(name) + b": " + _text(value) for name, value in found), b"}", file)


def as_arrays(arrays: dict[str, Array]) -> Content:
    """NumPy arrays by name."""

    def write(file: BinaryIO) -> None:
        packed = io.BytesIO()
        np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]
        file.write(packed.getbuffer())

    return write


def as_zip(files: Iterable[tuple[str, str]]) -> Content:
    """Files of text by name."""

    def write(file: BinaryIO) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files:
                archive.writestr(name, text)
        file.write(packed.getbuffer())

    return write


def _text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str).encode()


def _between(begin: bytes, parts: Iterator[bytes], end: bytes, file: BinaryIO) -> None:
    file.write(begin)
    for place, part in enumerate(parts):
        file.write((b",\n" if place else b"\n") + part)
    file.write(b"\n" + end + b"\n")
