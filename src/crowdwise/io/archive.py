"""Several files as one source, a folder or a zip: nothing is unpacked to disk, nor to more than it may."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import InputError

LARGEST = 1 << 30  # bytes of one file of a zip
MOST_TIMES = 200  # as large as it is packed: text is packed ten to thirty times, a bomb a thousand
SMALL = 1 << 20  # bytes below which that does not matter
MOST_FILES = 100_000


def files_of(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files of a folder, or of a zip, in the order of their names."""
    if path.is_dir():
        yield from _of_folder(path)
    else:
        yield from _of_zip(path, path.read_bytes())


def _of_folder(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    found = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
    if len(found) > MOST_FILES:
        raise InputError(f"{path} holds {len(found):,} files: name a smaller folder")
    for file in found:
        yield PurePosixPath(file.relative_to(path).as_posix()), file.read_bytes()


def _of_zip(path: Path, raw: Any) -> Iterator[tuple[PurePosixPath, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            found = sorted(archive.infolist(), key=lambda file: file.filename)
            if len(found) > MOST_FILES:
                raise InputError(f"{path} holds {len(found):,} files: it is no export")
            for file in found:
                name = PurePosixPath(file.filename)
                if file.is_dir() or name.name.startswith(".") or "__MACOSX" in name.parts:
                    continue
                bomb = file.file_size > max(SMALL, MOST_TIMES * file.compress_size)
                if file.file_size > LARGEST or bomb:
                    raise InputError(f"{path}, {file.filename}: {file.file_size:,} bytes unpacked are too many")
                with archive.open(file) as packed:
                    content = packed.read(file.file_size + 1)
                if len(content) != file.file_size:
                    raise InputError(f"{path}, {file.filename}: the zip lies about its size")
                yield name, content
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(f"{path}: the zip file is broken, or locked ({error})") from error
