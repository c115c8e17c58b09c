"""A file to read from, whatever it comes as: a path, a gzipped one, or standard input."""

from __future__ import annotations

import os
import sys
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError
from .archive import MOST_TIMES, SMALL

HEAD = 1 << 16  # bytes by which a format is told
PIECE = 1 << 22
NO_TEXT = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook; save it as CSV (UTF-8)",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"\x89PNG": "an image, and no table of votes",
    b"%PDF": "a PDF, and no table of votes",
    b"\x7fELF": "a program, and no table of votes",
}


class Source(NamedTuple):
    """A file on disk: the name to speak of it by, where it lies, and how it begins."""

    name: str
    path: Path
    head: bytes
    spool: Any = None  # holds the temporary file that it lies in, which is gone when nobody holds this

    @property
    def begins(self) -> bytes:
        """The first letter, by which a format is told."""
        return self.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


def open_source(source: str | Path) -> Source:
    """A file, gzipped or not, by its path, or standard input ("-").

    What is no plain file is written to a temporary one first: memory does not grow with it.
    """
    if str(source) == "-":
        return _unzipped(spooled("standard input", _pieces(sys.stdin.buffer)))
    name, path = str(source), Path(source)
    if path.is_dir():
        raise InputError(f"{name} is a directory: name a file in it")
    try:
        if not path.is_file():  # a pipe, which can be read once
            with path.open("rb") as file:
                return _unzipped(spooled(name, _pieces(file)))
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
    if not head:
        raise InputError(f"{name} is empty")
    return _known(_unzipped(Source(name, path, head)))


def _known(source: Source) -> Source:
    """Refuse what is no text by what it is."""
    for magic, what in NO_TEXT.items():
        if source.head.startswith(magic):
            raise InputError(f"{source.name}: this is {what}")
    return source


class _Spool:
    """A temporary file as long as this lives."""

    def __init__(self) -> None:
        descriptor, name = tempfile.mkstemp(prefix="crowdwise-")
        os.close(descriptor)
        self.path = Path(name)
        weakref.finalize(self, self.path.unlink, missing_ok=True)


def spooled(name: str, pieces: Iterable[bytes]) -> Source:
    """Bytes as a temporary file."""
    try:
        spool = _Spool()
        with spool.path.open("w+b") as file:
            for piece in pieces:
                file.write(piece)
            file.seek(0)
            head = file.read(HEAD)
    except OSError as error:
        reason = f"{error.strerror or error}; TMPDIR names another place"
        raise InputError(f"{name} cannot be kept in a temporary file: {reason}") from error
    if not head:
        raise InputError(f"{name} is empty")
    return Source(name, spool.path, head, spool)


def _unzipped(source: Source) -> Source:
    if source.head[:2] != b"\x1f\x8b":
        return source
    with source.path.open("rb") as file:
        return spooled(source.name, _inflated(file, source))


def _inflated(file: BinaryIO, source: Source) -> Iterator[bytes]:
    """The pieces of a gzip file, of one part or several; one that unpacks to far more than it may is refused."""
    most = max(SMALL, MOST_TIMES * source.path.stat().st_size)
    unpacked, left, part = 0, b"", zlib.decompressobj(31)
    try:
        while left or (left := file.read(PIECE)):
            piece = part.decompress(left, PIECE)
            left = part.unconsumed_tail
            unpacked += len(piece)
            if unpacked > most:
                raise InputError(f"{source.name}: more than {most:,} bytes unpacked are too many")
            yield piece
            if part.eof:
                left = part.unused_data.lstrip(b"\0") or file.read(PIECE).lstrip(b"\0")
                part = zlib.decompressobj(31)
                if not left:
                    return
    except zlib.error as error:
        raise InputError(f"{source.name}: the gzip file is broken ({error})") from error
    raise InputError(f"{source.name}: the gzip file is broken (it is cut off)")


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
