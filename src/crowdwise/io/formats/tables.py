"""Exports that are tables: Amazon Mechanical Turk's, Toloka's, Zooniverse's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ...errors import InputError, OtherKind
from ...votes.frames import find_column
from ..answers import Answers
from ..cells import decoded
from ..table_rows import Rows
from .format import Format

NUMBERED = re.compile(r"^(.+?)_?(\d+)$")


def is_mturk(columns: list[str]) -> bool:
    """A batch of results."""
    return {"HITId", "WorkerId", "AssignmentStatus"} <= set(columns)


def read_mturk(rows: Rows, answers: Answers) -> None:
    """An assignment a row: `Answer.question`, or all answers as JSON; rejected ones are no votes.

    Items are HITs. A HIT of several items numbers its columns: `Answer.label_2` is on `Input.item_2`.
    """
    asked = [name for name in rows.table.column_names if name.startswith("Answer.")]
    if not asked:
        raise InputError(f"{rows.name}: there are no columns named Answer.*")
    placed = _numbered(asked, rows.table.column_names)
    for where, row in _rows(rows, answers):
        if row["AssignmentStatus"] == "Rejected":
            answers.skip("rejected")
            continue
        _required(row, "WorkerId", rows.name, where)
        item = _required(row, "HITId", rows.name, where)
        more: dict[str, Any] = {"seconds": _number(row.get("WorkTimeInSeconds"))}
        for name in asked:
            if not row[name]:
                answers.skip("empty")
            elif name == "Answer.taskAnswers":
                for question, label in _task_answers(row[name], answers, where):
                    answers.vote(question, item, row["WorkerId"], label, **more)
            elif name in placed:
                question, place = placed[name]
                answers.vote(question, _required(row, place, rows.name, where), row["WorkerId"], row[name], **more)
            else:
                answers.vote(name.removeprefix("Answer."), item, row["WorkerId"], row[name], **more)


def _numbered(asked: list[str], columns: list[str]) -> dict[str, tuple[str, str]]:
    """Question and column of the item, of answers whose number is also that of inputs."""
    inputs: dict[str, dict[str, str]] = {}
    for name in columns:
        if name.startswith("Input.") and (found := NUMBERED.match(name.removeprefix("Input."))):
            inputs.setdefault(found[2], {})[found[1]] = name
    placed = {}
    for name in asked:
        if (found := NUMBERED.match(name.removeprefix("Answer."))) and (there := inputs.get(found[2])):
            placed[name] = found[1], there[find_column("item", there) or next(iter(there))]
    return placed


def is_toloka(columns: list[str]) -> bool:
    """Assignments."""
    return "ASSIGNMENT:worker_id" in columns


def read_toloka(rows: Rows, answers: Answers) -> None:
    """`OUTPUT:question` of a task; `GOLDEN:question` is gold; rejected assignments are no votes."""
    names = rows.table.column_names
    asked = [name.removeprefix("OUTPUT:") for name in names if name.startswith("OUTPUT:")]
    inputs = [name for name in names if name.startswith("INPUT:")]
    for where, row in _rows(rows, answers):
        if not row["ASSIGNMENT:worker_id"]:
            continue  # Toloka puts an empty row between assignments
        item = row.get("ASSIGNMENT:task_id") or " | ".join(row[name] for name in inputs)
        if not item:
            raise InputError(f"{rows.name}, {where}, column 'ASSIGNMENT:task_id': the cell is empty")
        for question in asked:
            if golden := row.get(f"GOLDEN:{question}"):
                answers.known(question, item, golden)
        if row.get("ASSIGNMENT:status") == "REJECTED":
            answers.skip("rejected")
            continue
        more: dict[str, Any] = {"time": row.get("ASSIGNMENT:submitted") or None, "seconds": _between(row)}
        for question in asked:
            if row[f"OUTPUT:{question}"]:
                answers.vote(question, item, row["ASSIGNMENT:worker_id"], row[f"OUTPUT:{question}"], **more)
            else:
                answers.skip("empty")


def is_zooniverse(columns: list[str]) -> bool:
    """Classifications."""
    return {"classification_id", "annotations", "subject_ids"} <= set(columns)


def read_zooniverse(rows: Rows, answers: Answers) -> None:
    """Answers are JSON in a cell, one a task of the workflow; who is not logged in has a user name too."""
    for where, row in _rows(rows, answers):
        who = _required(row, "user_name", rows.name, where)
        item = _required(row, "subject_ids", rows.name, where)
        given = _json(row["annotations"], rows.name, where, "annotations")
        if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
            raise InputError(f"{rows.name}, {where}, column 'annotations': a list of answers is expected")
        for one in given:
            question, label = str(one.get("task")), one.get("value")
            if label is None or label == "":
                answers.skip("empty")
            elif not isinstance(label, str | int | float):
                answers.refuse(question, "several labels, marks or texts at once")
            else:
                if str(row.get("gold_standard")).lower() == "true":
                    answers.known(question, item, str(label))  # and no vote: nobody is measured by their own word
                    continue
                time = (row.get("created_at") or "").removesuffix(" UTC") or None
                answers.vote(question, item, who, str(label), time=time)


def is_pairwise(columns: list[str]) -> bool:
    """Comparisons of two."""
    return {"left", "right", "label"} <= {name.strip().lower() for name in columns}


def refuse_pairwise(rows: Rows) -> None:
    """Say what it is."""
    error = OtherKind(f"{rows.name}: these are comparisons (columns left and right): --kind comparisons reads them")
    error.kind = "comparisons"
    raise error


def _rows(rows: Rows, answers: Answers) -> Iterator[tuple[str, dict[str, str]]]:
    columns = {
        name: ["" if cell is None else str(cell) for cell in decoded(rows.table[name]).to_pylist()]
        for name in rows.table.column_names
    }
    for position, cells in enumerate(zip(*columns.values(), strict=True)):
        answers.where = f"row {position + 2}"
        yield answers.where, dict(zip(columns, cells, strict=True))


def _required(row: dict[str, str], name: str, file: str, where: str) -> str:
    if not row.get(name):
        raise InputError(f"{file}, {where}, column {name!r}: the cell is empty, or the column is not there")
    return row[name]


def _json(text: str, file: str, where: str, column: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}, {where}, column {column!r}: this is not valid JSON") from error


def _task_answers(text: str, answers: Answers, where: str) -> Iterator[tuple[str, str]]:
    """[{"question": "label"}], or {"question": {"label": true, "other": false}} for radio buttons."""
    content = _json(text, answers.name, where, "Answer.taskAnswers")
    for form in content if isinstance(content, list) else [content]:
        if not isinstance(form, dict):
            answers.fail("Answer.taskAnswers", "an object of answers is expected")
        for question, value in form.items():
            chosen = [name for name, on in value.items() if on is True] if isinstance(value, dict) else [value]
            if not chosen or chosen[0] in (None, ""):
                answers.skip("empty")
            elif len(chosen) == 1 and isinstance(chosen[0], str | int | float):
                yield str(question), str(chosen[0])
            else:
                answers.refuse(str(question), "several labels at once")


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _between(row: dict[str, str]) -> float | None:
    """Seconds from start to submission, of all tasks of the assignment."""
    try:
        started, ended = (datetime.fromisoformat(row[f"ASSIGNMENT:{end}"]) for end in ("started", "submitted"))
    except (KeyError, ValueError):
        return None
    return (ended - started).total_seconds()


MTURK = Format("table", looks=is_mturk, read=read_mturk)
TOLOKA = Format("table", looks=is_toloka, read=read_toloka)
ZOONIVERSE = Format("table", looks=is_zooniverse, read=read_zooniverse)
