"""Several files as one source, a folder or a zip: nothing is unpacked to disk, nor to more than it may."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath

from ..errors import InputError

LARGEST = 1 << 30  # bytes of one file of a zip
MOST_TIMES = 200  # as large as it is packed: text is packed ten to thirty times, a bomb a thousand
SMALL = 1 << 20  # bytes below which that does not matter
MOST_FILES = 100_000


Files = list[tuple[PurePosixPath, Callable[[], bytes]]]


def files_of(path: Path) -> Files:
    """The files of a folder, or of a zip, in the order of their names, each to be read when it is called."""
    return _of_folder(path) if path.is_dir() else _of_zip(path)


def _of_folder(path: Path) -> Files:
    found = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
    if len(found) > MOST_FILES:
        raise InputError(f"{path} holds {len(found):,} files: name a smaller folder")
    return [(PurePosixPath(file.relative_to(path).as_posix()), partial(_read, file)) for file in found]


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error


def _of_zip(path: Path) -> Files:
    with _opened(path) as archive:
        found = sorted(archive.infolist(), key=lambda file: file.filename)
    if len(found) > MOST_FILES:
        raise InputError(f"{path} holds {len(found):,} files: it is no export")
    names = [(PurePosixPath(file.filename), file) for file in found if not file.filename.endswith("/")]
    return [
        (name, partial(_unpacked, path, file))
        for name, file in names
        if not name.name.startswith(".") and "__MACOSX" not in name.parts
    ]


def _unpacked(path: Path, file: zipfile.ZipInfo) -> bytes:
    """A file of a zip, in memory, if it is not larger than it may be."""
    bomb = file.file_size > max(SMALL, MOST_TIMES * file.compress_size)
    if file.file_size > LARGEST or bomb:
        raise InputError(f"{path}, {file.filename}: {file.file_size:,} bytes unpacked are too many")
    with _opened(path) as archive, archive.open(file) as packed:
        content = packed.read(file.file_size + 1)
    if len(content) != file.file_size:
        raise InputError(f"{path}, {file.filename}: the zip states a wrong size")
    return content


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        UnicodeError,
    ) as error:
        raise InputError(f"{path}: the zip file is broken, or locked ({error})") from error
