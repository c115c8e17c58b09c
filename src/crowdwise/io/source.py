"""A file to read from, whatever it comes as: a path, a packed one, another encoding, or standard input."""

from __future__ import annotations

import bz2
import codecs
import lzma
import os
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError, OptionError
from .archive import MOST_TIMES, SMALL, files_of

HEAD = 1 << 16  # bytes by which a format is told
PIECE = 1 << 22
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
PARTS = (".jsonl", ".ann", ".xml", ".npy")  # files of exports that are zips
NO_TEXT = {
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


def open_source(source: str | Path, encoding: str | None = None) -> Source:
    """A file, packed or not, by its path, or standard input ("-"), as UTF-8.

    What is no plain file is written to a temporary one first: memory does not grow with it.
    """
    if str(source) == "-":
        return _as_utf8(_unpacked(_standard_input()), encoding)
    name, path = str(source), Path(source)
    if path.is_dir():
        raise InputError(f"{name} is a directory: name a file in it")
    try:
        if not path.is_file():  # a pipe, which can be read once
            with path.open("rb") as file:
                return _as_utf8(_unpacked(spooled(name, _pieces(file))), encoding)
        there = path.stat()
        key = (name, encoding, there.st_mtime_ns, there.st_size)
        if not _OPENED or _OPENED[0][0] != key:  # looked at for its kind, then for its tool, then read: opened once
            with path.open("rb") as file:
                head = file.read(HEAD)
            if not head:
                raise InputError(f"{name} is empty")
            _OPENED[:] = [(key, _known(_as_utf8(_unpacked(Source(name, path, head)), encoding)))]
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
    return _OPENED[0][1]


_OPENED: list[tuple[Any, Source]] = []  # the last one
_READ: list[tuple[Any, Source]] = []  # standard input, which can be read once and may be looked at twice


def _standard_input() -> Source:
    """What stands in standard input, kept as long as the program has it."""
    if not _READ or _READ[0][0] is not sys.stdin:
        _READ[:] = [(sys.stdin, spooled("standard input", _pieces(sys.stdin.buffer)))]
    return _READ[0][1]


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


def only_table(source: Source) -> Source | None:
    """The one table that a zip holds; None where it holds something else. A workbook is a zip, and stays one."""
    found = files_of(source.path)
    if any(file.parts[:1] == ("xl",) for file, _ in found):
        return source
    if len(found) != 1 or found[0][0].suffix.lower() in PARTS:
        return None
    file, content = found[0]
    return _as_utf8(spooled(f"{source.name}, {file}", [content()]), None)


def _as_utf8(source: Source, encoding: str | None) -> Source:
    """Text of another encoding as UTF-8: the one that is named, or UTF-16, which says so itself."""
    if encoding is not None:
        try:
            encoding = codecs.lookup(encoding).name
        except LookupError as error:
            raise OptionError(
                f"encoding {encoding!r} is unknown: name one such as cp1252, latin-1 or utf-16"
            ) from error
    elif source.head.startswith(UTF_16):
        encoding = "utf-16"
    if encoding in (None, "utf-8"):
        return source
    with source.path.open("rb") as file:
        return spooled(source.name, _recoded(file, source.name, str(encoding)))


def _recoded(file: BinaryIO, name: str, encoding: str) -> Iterator[bytes]:
    decoder, row = codecs.getincrementaldecoder(encoding)(), 1
    try:
        for piece in _pieces(file):
            text = decoder.decode(piece)
            row += text.count("\n")
            yield text.encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        raise InputError(f"{name}, row {row} or below: this is not {encoding} text") from error


def _unpacked(source: Source) -> Source:
    for magic, unpack in PACKED.items():
        if source.head.startswith(magic):
            with source.path.open("rb") as file:
                return spooled(source.name, unpack(file, source))
    return source


def _streamed(what: str, opened: Callable[[BinaryIO], Any]) -> Callable[[BinaryIO, Source], Iterator[bytes]]:
    """The pieces of a packed file that a library opens; one that unpacks to far more than it may is refused."""

    def pieces(file: BinaryIO, source: Source) -> Iterator[bytes]:
        most, unpacked = max(SMALL, MOST_TIMES * source.path.stat().st_size), 0
        try:
            with opened(file) as stream:
                while piece := stream.read(PIECE):
                    unpacked += len(piece)
                    if unpacked > most:
                        raise InputError(f"{source.name}: more than {most:,} bytes unpacked are too many")
                    yield piece
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise InputError(f"{source.name}: the {what} file is broken ({error})") from error

    return pieces


def _zstd(file: BinaryIO) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")


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


PACKED: dict[bytes, Callable[[BinaryIO, Source], Iterator[bytes]]] = {
    b"\x1f\x8b": _inflated,
    b"BZh": _streamed("bz2", bz2.open),
    b"\xfd7zXZ\x00": _streamed("xz", lzma.open),
    b"\x28\xb5\x2f\xfd": _streamed("zstd", _zstd),
}
"""How packed files begin, and what they hold."""
