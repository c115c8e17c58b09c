"""Structured answers to what annotation tools import, with how sure each is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..votes.table import Table
from .export import check_target, write_content
from .file_content import Content, as_lines, as_list, as_zip
from .formats import number_formats
from .formats.label_studio_regions import result_of
from .source import open_source
from .table_rows import records_of

Records = Iterable[tuple[str, dict[str, Any]]] | None
UNIT = {"spans": "document"}


def write_answers(
    kind: str, table: Table, target: str | Path, to: str, *, source: str | Path | None = None, question: str = "answer",
    units: Iterable[Any] = (), model: str = "crowdwise",
) -> None:  # fmt: skip
    """Write what was found, a table as `Result.to_table` gives it, as a tool imports it.

    units: everything that was looked at; where nothing was found, that is written too. source: the export of the same
    tool that the answers came from: its texts and other data come along.
    """
    check_target(target, to, ["table", *number_formats(kind)])
    records = None if source is None else records_of(open_source(source))
    write_content(TARGETS[to](kind, _by_unit(table, UNIT.get(kind, "item"), units), records, question, model), target)


def _by_unit(table: Table, unit: str, units: Iterable[Any]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {str(name): [] for name in units}
    for row in table.records():
        found.setdefault(str(row[unit]), []).append(row)
    return found


def _label_studio(
    kind: str, found: dict[str, list[dict[str, Any]]], records: Records, question: str, model: str
) -> Content:
    def tasks() -> Iterator[dict[str, Any]]:
        source = ((name, {"id": name, "data": {"item": name}}) for name in found) if records is None else records
        for where, task in source:
            rows = found.get(str(task.get("id", where)))
            if rows is None:
                continue
            result = [result_of(kind, row, question, "text" if kind in ("spans", "texts") else "image") for row in rows]
            score = min((row["confidence"] for row in rows), default=None)
            kept = {name: task[name] for name in ("id", "data") if name in task}
            yield kept | {"predictions": [{"model_version": model, "score": score, "result": result}]}

    return as_list(tasks())


def _prodigy(kind: str, found: dict[str, list[dict[str, Any]]], records: Records, question: str, model: str) -> Content:
    def tasks() -> Iterator[dict[str, Any]]:
        source = ((name, {"_input_hash": name, "text": name}) for name in found) if records is None else records
        seen = set()
        for _, task in source:
            name = str(task.get("_input_hash"))
            if name in seen or (records is None and name not in found):
                continue
            seen.add(name)
            own = {
                key: value for key, value in task.items() if key not in ("_annotator_id", "_session_id", "_timestamp")
            }
            yield own | _answer(kind, found.get(name, [])) | {"answer": "accept"}

    return as_lines(tasks())


def _answer(kind: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    if kind == "spans":
        return {"spans": [{"start": row["begin"], "end": row["end"], "label": row["label"], "score": row["confidence"]}
                          for row in rows]}  # fmt: skip
    labels = rows[0]["labels"].split("|") if rows and rows[0]["labels"] else []
    return {"accept": labels, "score": rows[0]["confidence"] if rows else None}


def _doccano(kind: str, found: dict[str, list[dict[str, Any]]], records: Records, question: str, model: str) -> Content:
    def marks(rows: list[dict[str, Any]]) -> list[Any]:
        if kind == "spans":
            return [[row["begin"], row["end"], row["label"]] for row in rows]
        return [label for label in rows[0]["labels"].split("|") if label]

    def sure(rows: list[dict[str, Any]]) -> float | None:
        return min((row["confidence"] for row in rows), default=None)

    return as_lines({"id": name, "label": marks(rows), "score": sure(rows)} for name, rows in found.items())


def _brat(kind: str, found: dict[str, list[dict[str, Any]]], records: Records, question: str, model: str) -> Content:
    def lines(rows: list[dict[str, Any]]) -> Iterator[str]:
        for number, row in enumerate(rows, start=1):
            yield f"T{number}\t{row['label']} {row['begin']} {row['end']}\n"
            yield f"#{number}\tAnnotatorNotes T{number}\t{row['confidence']:.4f}\n"

    return as_zip((f"crowdwise/{name}.ann", "".join(lines(rows))) for name, rows in found.items())


Write = Callable[[str, dict[str, list[dict[str, Any]]], Records, str, str], Content]
TARGETS: dict[str, Write] = {"label-studio": _label_studio, "prodigy": _prodigy, "doccano": _doccano, "brat": _brat}
