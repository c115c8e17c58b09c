"""Files that a command reads and writes: what is written is never what is read, nor written twice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from inspect import Parameter
from pathlib import Path
from stat import S_ISREG
from typing import Any, Literal, get_args

from typer.models import ArgumentInfo

from ..errors import OptionError

Access = Literal["read", "written"]
READ: Access = "read"
WRITTEN: Access = "written"
"""Beside the declaration of an option that names a file: what happens to that file."""


def require_apart(parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> None:
    """Refuse a command that writes over what it reads, or two things into one file, before anything is read.

    Links and other spellings of a path are the same file. Two tables on standard output would mix, and so would
    a table and --json, unless the table is what --json holds (its default is standard output).
    """
    read = [path for _, _, paths in _named(parameters, given, READ) for path in paths]
    taken: dict[Any, str] = {}
    for option, default, targets in _named(parameters, given, WRITTEN):
        for target in targets:
            if target == "-":
                key: Any = "-"
                if given.get("json") and default != "-":
                    raise OptionError(f"{option} - and --json both print to standard output: give {option} a file")
            else:
                require_no_input(option, target, read)
                key = _same(target)
            if key in taken and key is not None:
                where = "both print to standard output" if key == "-" else f"both name {target}"
                raise OptionError(f"{taken[key]} and {option} {where}: name two files")
            taken[key] = option


def require_no_input(option: str, target: str, read: list[str]) -> None:
    """Refuse to write over one of the files that are read, or over a file of a folder that is read."""
    place = _same(target)
    for source in read:
        folder = Path(source).resolve() if source != "-" and Path(source).is_dir() else None
        inside = folder in Path(target).resolve().parents and Path(target).exists()
        if place is not None and (place == _same(source) or inside):
            name = "standard input" if source == "-" else source
            raise OptionError(f"{option} {target} would be written over {name}, which is read: name another file")


def _named(
    parameters: Mapping[str, Parameter], given: Mapping[str, Any], access: Access
) -> Iterator[tuple[str, Any, list[str]]]:
    """The options that name files of one access, as they are written, their defaults, and the files that they name."""
    for name, one in parameters.items():
        value = given.get(name)
        if access in get_args(one.annotation)[1:] and value is not None:
            files = value if isinstance(value, list | tuple) else [value]
            yield _spelt(name, one), one.default, [str(file) for file in files]


def _spelt(name: str, one: Parameter) -> str:
    """An option as it is written at the command line."""
    for info in get_args(one.annotation)[1:]:
        told = [getattr(info, "default", None), *(getattr(info, "param_decls", None) or ())]  # typer keeps one there
        if spelt := [word for word in told if isinstance(word, str) and word.startswith("--")]:
            return spelt[0]
        if isinstance(info, ArgumentInfo):
            return name.upper()
    return f"--{name.replace('_', '-')}"


def _same(path: str) -> Any:
    """What two names of one file have in common; None for what is no plain file, such as a pipe.

    Standard input, "-", may be a file too, behind a "<".
    """
    if path == "-":
        return _of_standard_input()
    real = Path(os.path.realpath(path))
    if not real.exists():
        return str(real)
    if not real.is_file():
        return None
    found = real.stat()
    return found.st_dev, found.st_ino


def _of_standard_input() -> Any:
    try:
        found = os.fstat(0)
    except OSError:  # closed
        return None
    return (found.st_dev, found.st_ino) if S_ISREG(found.st_mode) else None
