"""Exports of annotation tools: which is which, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from ...errors import InputError
from ...votes.frames import find_column
from ..answers import Answers
from ..archive import files_of
from ..records import records
from ..source import Source
from ..table_rows import Rows
from . import argilla, label_studio, plain_json, prodigy
from .folders import FOLDERS
from .tables import TABLES

Record = tuple[str, dict[str, Any]]
# By name: what the first record of such an export looks like, and how its records are read.
RECORDS: dict[str, tuple[Callable[[dict[str, Any]], bool], Callable[[Iterable[Record], Answers], None]]] = {
    "label-studio": (label_studio.is_export, label_studio.read),
    "label-studio-min": (label_studio.is_flat, label_studio.read_flat),
    "prodigy": (prodigy.is_export, prodigy.read),
    "argilla": (argilla.is_export, argilla.read),
    "argilla-flat": (argilla.is_flat, argilla.read_flat),
    "lists": (plain_json.has_lists, plain_json.read_lists),
    "judgements": (plain_json.is_judgement, plain_json.read_judgements),
}
FORMATS = ("table", *RECORDS, "peerannot", *(name for name in TABLES if name != "pairwise"), *FOLDERS)


def of_files(path: Path, name: str | None) -> Answers:
    """The answers of a folder or a zip."""
    found = files_of(path)
    endings = {file.suffix for file, _ in found}
    if any(file.parts[:1] == ("xl",) for file, _ in found):
        raise InputError(f"{path}: this is an Excel workbook; save it as CSV (UTF-8)")
    if ".npy" in endings:
        raise InputError(f"{path}: arrays are written for cleanlab, and not read; votes are read from tables")
    known = [one for one, (ending, _) in FOLDERS.items() if ending in endings]
    chosen = name or (known[0] if len(known) == 1 else None)
    if chosen not in FOLDERS:
        there = ", ".join(sorted(endings)) or "nothing"
        raise InputError(f"{path}: .jsonl (doccano), .ann (brat) or .xml (CVAT) files are expected; there is {there}")
    answers = Answers(str(path), chosen)
    FOLDERS[chosen][1](found, answers)
    return answers


def of_one_file(source: Source, name: str) -> Answers:
    """The answers of one file of those that make a folder, which is named after its annotator."""
    ending, read = FOLDERS[name]
    answers = Answers(source.name, name)
    read([(PurePosixPath(f"{Path(source.name).stem}{ending}"), source.path.read_bytes)], answers)
    return answers


def of_json(source: Source, name: str | None) -> Answers | None:
    """The answers of a JSON file; None where its records are plain rows of a table."""
    with source.path.open("rb") as file:
        return _of_records(records(file, source.name), source.name, name)


def _of_records(found: Iterator[Record], file: str, name: str | None) -> Answers | None:
    first = next(found, None)
    if first is None:
        raise InputError(f"{file}: there are no records in it")
    where, record = first
    chosen = name or next((one for one, (looks, _) in RECORDS.items() if looks(record)), None)
    answers = Answers(file, chosen or "peerannot")
    if chosen in RECORDS:
        RECORDS[chosen][1](answers.walk(chain([first], found)), answers)
        return answers
    if chosen is None and (what := _not_votes(record)):
        raise InputError(f"{file}, {where}: {what}")
    if chosen == "peerannot" or (chosen is None and plain_json.is_nested(record)):
        plain_json.read_nested(answers.walk(chain([first], found)), answers)
        return answers
    return None


def tool_of(columns: list[str]) -> str | None:
    """Whose table has such columns; None where it is a plain one."""
    return next((one for one, (looks, _) in TABLES.items() if looks(columns)), None)


def of_table(rows: Rows, name: str | None) -> Answers | None:
    """The answers of a tool's table; None where it is a plain one."""
    columns = rows.table.column_names
    chosen = name or tool_of(columns)
    if chosen not in TABLES:
        return None
    if not TABLES[chosen][0](columns):
        raise InputError(f"{rows.name}: this does not look like {chosen}; the columns are {', '.join(columns)}")
    answers = Answers(rows.name, chosen)
    TABLES[chosen][1](rows, answers)
    return answers


def _not_votes(record: dict[str, Any]) -> str:
    """What a record is that looks like a message between programs rather than an export; "" if it does not."""
    if {"action", "annotation"} <= record.keys():
        return "this is a webhook of Label Studio, one event; export the project as JSON"
    if {"request", "response"} <= record.keys() or {"tasks", "label_config"} <= record.keys():
        return "this is a request to an ML backend of Label Studio; export the project as JSON"
    if "task" in record and "response" in record and not find_column("annotator", record):
        return "this is a callback of Scale, one task without annotators; collect votes as item, annotator, label"
    return ""
