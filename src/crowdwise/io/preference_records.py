"""Records of preferences: prompt, chosen, rejected and annotator, or two answers and which is better; exports too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, how_many
from ..votes.comparisons import EVERYBODY, sides
from ..votes.frames import find_column
from ..votes.preferences import Preferences, cells
from .answers import Answers
from .objects import rows_of
from .other_answers import chosen_answers
from .recognise import of_files, of_records, of_table, tool_of
from .source import open_source
from .table_rows import read_rows

Row = tuple[Any, Any, Any, Any]  # prompt, chosen, rejected, annotator
MODELS = {"model_a", "model_b"}  # columns of names
ROLES = ("prompt", "chosen", "rejected", "annotator")


def read_preferences(
    sources: Sequence[str | Path],
    *,
    prompt: str | None = None,
    chosen: str | None = None,
    rejected: str | None = None,
    annotator: str | None = None,
    form: str | None = None,
    question: str | None = None,
) -> tuple[Preferences, list[str]]:
    """Preferences from tables, from JSON records, or from pairwise and ranked answers of an export; and notes.

    Records have the columns of Hugging Face's data sets and of TRL (prompt, chosen, rejected; texts or lists of
    messages), and an annotator; or two answers (response_a, response_b; left, right) and a winner. Answers that are
    equally good tell nothing and are left out.
    """
    named = dict(zip(ROLES, (prompt, chosen, rejected, annotator), strict=True))
    rows: list[Row] = []
    notes: list[str] = []
    for source in sources:
        found, told = _rows(source, named, form, question)
        rows += found
        notes += told
    return _joined(rows, notes, ", ".join(map(str, sources)))


def _joined(rows: list[Row], notes: list[str], name: str) -> tuple[Preferences, list[str]]:
    if not rows:
        raise InputError(f"{name}: there is no preference in it")
    prompts, better, worse, who = zip(*rows, strict=True)
    made, left_out = Preferences.of(prompts, better, worse, [str(one) for one in who])
    return made, list(dict.fromkeys([*notes, *left_out]))


def of_frame(frame: Any) -> tuple[Preferences, list[str]]:
    """Preferences from a frame of any make, or a data set of Hugging Face, by its columns' names."""
    rows = rows_of(frame, "prompt").table.to_pylist()
    told = ((f"row {place}", row) for place, row in enumerate(rows))
    found, notes = _of_records("the frame", told, dict.fromkeys(ROLES))
    return _joined(found, notes, "the frame")


def _rows(
    source: str | Path, named: dict[str, str | None], form: str | None, question: str | None
) -> tuple[list[Row], list[str]]:
    path = Path(source)
    if str(source) != "-" and path.is_dir():
        return _of_answers(of_files(path, form), question)
    opened = open_source(source)
    if opened.begins in (b"[", b"{"):
        found = of_records(opened, form)
        if isinstance(found, Answers):
            return _of_answers(found, question)
        return _of_records(opened.name, found, named)
    table = read_rows(opened)
    tool = form or tool_of(table.table.column_names)
    answers = of_table(table, tool) if tool not in (None, "table") else None
    if answers is not None:
        return _of_answers(answers, question)
    told = ((f"row {table.row_number(place)}", row) for place, row in enumerate(table.table.to_pylist()))
    return _of_records(table.name, told, named)


def _of_answers(answers: Answers, question: str | None) -> tuple[list[Row], list[str]]:
    """Comparisons of an export; what they are about is their prompt, where the export tells it."""
    found, _ = chosen_answers(answers, "comparisons", question)
    rows: list[Row] = [
        (answers.texts.get(context, context), *((left, right) if said == "left" else (right, left)), who)
        for left, right, who, said, context in found
        if said != "tie"
    ]
    return rows, _ties(len(found) - len(rows))


def _of_records(
    name: str, records: Iterable[tuple[str, dict[str, Any]]], named: dict[str, str | None]
) -> tuple[list[Row], list[str]]:
    wheres, found = zip(*records, strict=True)
    if named["chosen"] is None and not any("response_a" in record for record in found):
        found = tuple(map(_conversed, found))
    names = list(dict.fromkeys(column for record in found for column in record))
    try:
        column = {role: find_column(role, names, given) for role, given in named.items()}
        two = {role: find_column(role, names) for role in ("left", "right", "winner")}
    except InputError as error:
        raise error.named(name) from error
    pair = column["chosen"] and column["rejected"]
    if not pair and not all(two.values()):
        raise InputError(
            f"{name}: no columns look like chosen and rejected, nor like two answers and a winner: name them with "
            f"--chosen and --rejected; the columns are {', '.join(map(str, names))}"
        )
    one, other = (column["chosen"], column["rejected"]) if pair else (two["left"], two["right"])
    if {one, other} <= MODELS:
        raise InputError(
            f"{name}: {one} and {other} name models, and what they answered is not there: --chosen and --rejected name "
            "columns of answers; crowdwise aggregate --kind comparisons ranks the models"
        )
    for where, record in zip(wheres, found, strict=True):
        for role in (one, other, *(() if pair else (two["winner"],)), column["annotator"]):
            if role is not None and record.get(role) in (None, "", []):
                raise InputError(f"{name}, {where}, field {role!r}: it is missing")
    prompts = [record.get(column["prompt"]) or "" if column["prompt"] else "" for record in found]
    notes = []
    if column["annotator"] is None:
        notes.append("there is no column of annotators: all preferences count as one person's")
    who = [record[column["annotator"]] if column["annotator"] else EVERYBODY for record in found]
    first, second = ([record[role] for record in found] for role in (one, other))
    shared, first, second = (list(part) for part in zip(*map(_apart, first, second), strict=True))
    if column["prompt"] is None or all(shared):  # messages that both begin with are the prompt, as in TRL
        prompts = shared
    if pair:
        return list(zip(prompts, first, second, who, strict=True)), notes
    try:
        winner = sides(cells(first), cells(second), cells([record[two["winner"]] for record in found]))
    except InputError as error:
        raise error.named(name) from error
    rows: list[Row] = [
        (asked, *((a, b) if side == "left" else (b, a)), whom)
        for asked, a, b, whom, side in zip(prompts, first, second, who, winner.tolist(), strict=True)
        if side != "tie"
    ]
    return rows, [*notes, *_ties(len(found) - len(rows))]


def _conversed(record: dict[str, Any]) -> dict[str, Any]:
    """A record of an arena: two conversations, whose models' names are not the answers."""
    if not {"conversation_a", "conversation_b"} <= record.keys():
        return record
    rest = {key: value for key, value in record.items() if key not in {*MODELS, "conversation_a", "conversation_b"}}
    return rest | {"response_a": record["conversation_a"], "response_b": record["conversation_b"]}


def _apart(one: Any, other: Any) -> tuple[Any, Any, Any]:
    """The messages that two conversations begin with, and what is left of each; nothing is shared by other answers."""
    if not (isinstance(one, list) and isinstance(other, list)):
        return "", one, other
    same = 0
    while same < min(len(one), len(other)) - 1 and one[same] == other[same]:
        same += 1
    return one[:same] or "", one[same:], other[same:]


def _ties(count: int) -> list[str]:
    return [f"{how_many(count, 'answers')} that both are equally good left out: they prefer neither"] if count else []
