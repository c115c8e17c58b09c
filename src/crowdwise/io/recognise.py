"""Which export this is, by its content, and its answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import InputError
from ..votes.frames import find_column
from .answers import Answers
from .archive import files_of
from .formats import FORMATS
from .formats.format import Format, Record
from .formats.tables import is_pairwise, refuse_pairwise
from .pandas_json import rows_of_pandas
from .source import Source, open_source
from .table_rows import Rows, records_of


def format_of(name: str) -> Format:
    """A format by its name."""
    loaded: Format = FORMATS.load(name)
    return loaded


def recognised(shape: str, sample: Any, plain: bool) -> str | None:
    """The format of a shape that a sample looks like: our own first, then others', unless it is a plain table."""
    for name in FORMATS.own if plain else FORMATS:
        one = format_of(name) if FORMATS[name].reads else None
        if one is not None and one.shape == shape and one.looks is not None and one.looks(sample):
            return name
    return None


def _answers(file: str, name: str, found: Any) -> Answers:
    answers = Answers(file, name)
    read = format_of(name).read
    assert read is not None
    read(found(answers) if callable(found) else found, answers)
    return answers


def of_files(path: Path, name: str | None, called: str = "") -> Answers:
    """The answers of a folder or a zip; `called`: the name to speak of it by, where it lies elsewhere."""
    found, called = files_of(path), called or str(path)
    endings = {file.suffix for file, _ in found}
    if ".npy" in endings:
        raise InputError(f"{called}: arrays are written for cleanlab, and not read; votes are read from tables")
    folders = [one for one in FORMATS if FORMATS[one].reads and format_of(one).shape == "folder"]
    known = [one for one in folders if (looks := format_of(one).looks) is not None and looks(endings)]
    chosen = name or (known[0] if len(known) == 1 else None)
    if chosen not in folders:
        there = ", ".join(sorted(endings)) or "nothing"
        raise InputError(
            f"{called}: one table, or .jsonl (doccano), .ann (brat), .xml (CVAT), .conll or .json (COCO) files are "
            f"expected; there is {there}"
        )
    return _answers(called, chosen, found)


def of_one_file(source: Source, name: str) -> Answers:
    """The answers of one file of those that make a folder, which is named after its annotator."""
    ending = {"doccano": ".jsonl", "brat": ".ann", "conll": ".conll", "coco": ".json"}.get(name, ".xml")
    return _answers(source.name, name, [(PurePosixPath(f"{Path(source.name).stem}{ending}"), source.path.read_bytes)])


def form_of_one_file(source: Source) -> str | None:
    """The format of a file that stands for a folder of its kind, by its ending or its beginning."""
    if Path(source.name).suffix == ".conll":
        return "conll"
    coco = all(word in source.head for word in (b'"annotations"', b'"images"'))
    return "coco" if source.begins == b"{" and coco else "cvat" if source.begins == b"<" else None


def form_of_file(path: str) -> str:
    """The format of a file of records; "" where it is none that is known."""
    return str(getattr(of_records(open_source(path), None), "form", ""))


def of_records(source: Source, name: str | None) -> Answers | Iterator[Record]:
    """The answers of a JSON file; or its records, where they are plain rows of a table. It is opened once."""
    found = records_of(source)
    first = next(found, None)
    if first is None:
        raise InputError(f"{source.name}: there are no records in it")
    where, record = first
    found = chain([first], found)
    if name == "table":
        return found
    if name is None and (rows := rows_of_pandas(record)) is not None:
        return iter(rows)
    chosen = name or recognised("records", record, _is_plain(record))
    if name is None and chosen in (None, "peerannot") and (what := _not_votes(record)):
        raise InputError(f"{source.name}, {where}: {what}")
    if chosen is None or format_of(chosen).shape != "records":
        return found
    return _answers(source.name, chosen, lambda answers: answers.walk(found))


def tool_of(columns: list[str]) -> str | None:
    """Whose table has such columns; None where it is a plain one."""
    return recognised("table", columns, _is_plain(columns))


def _is_plain(columns: Iterable[str]) -> bool:
    """Whether these are the columns of a plain table, for which nobody else is asked."""
    names = list(columns)
    return bool(find_column("item", names) and find_column("label", names))


def of_table(rows: Rows, name: str | None) -> Answers | None:
    """The answers of a tool's table; None where it is a plain one."""
    columns = rows.table.column_names
    if name is None and is_pairwise(columns):
        refuse_pairwise(rows)
    chosen = name or tool_of(columns)
    if chosen is None or chosen == "table" or format_of(chosen).shape != "table":
        return None
    looks = format_of(chosen).looks
    if looks is None or not looks(columns):
        raise InputError(f"{rows.name}: this does not look like {chosen}; the columns are {', '.join(columns)}")
    return _answers(rows.name, chosen, rows)


def _not_votes(record: dict[str, Any]) -> str:
    """What a record is that looks like a message between programs rather than an export; "" if it does not."""
    if {"action", "annotation"} <= record.keys():
        return "this is a webhook of Label Studio, one event; export the project as JSON"
    if {"request", "response"} <= record.keys() or {"tasks", "label_config"} <= record.keys():
        return "this is a request to an ML backend of Label Studio; export the project as JSON"
    if "task" in record and "response" in record and not find_column("annotator", record):
        return "this is a callback of Scale, one task without annotators; collect votes as item, annotator, label"
    return ""
