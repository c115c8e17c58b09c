"""CoNLL columns: a token in each line, and behind it the tag of each annotator; empty lines between sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ...errors import InputError
from ..answers import Answers
from ..archive import Files
from .format import Format

UNSEEN = ("?", "-", "_")


def read(files: Files, answers: Answers) -> None:
    """Tags of a column are one annotator's; who saw a sentence has tagged all of it; "?" is no tag."""
    for path, content in files:
        where = f"{answers.name}, {path}" if str(path) != answers.name else answers.name
        try:
            lines = content().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise InputError(f"{where}: not UTF-8 text; save the file as UTF-8") from error
        for number, sentence in enumerate(_sentences(lines)):
            _read_sentence(sentence, f"{path.stem}:{number}", where, answers)


def _sentences(lines: list[str]) -> Iterator[list[tuple[int, list[str]]]]:
    rows = [(place, line.split()) for place, line in enumerate(lines, start=1)]
    for there, group in groupby(rows, key=lambda row: bool(row[1]) and row[1][0] != "-DOCSTART-"):
        if there:
            yield list(group)


def _read_sentence(rows: list[tuple[int, list[str]]], name: str, where: str, answers: Answers) -> None:
    """Tokens are letters and one blank, so that places in the text can be told; runs of a type are spans."""
    width = len(rows[0][1])
    if width < 2:
        raise InputError(
            f"{where}, row {rows[0][0]}: a token and a tag of each annotator are expected, separated by blanks"
        )
    for number, cells in rows:
        if len(cells) != width:
            raise InputError(f"{where}, row {number}: there are {len(cells)} columns, and {width} above")
    begins, place = [], 0
    for _, cells in rows:
        begins.append(place)
        place += len(cells[0]) + 1
    answers.show(name, " ".join(cells[0] for _, cells in rows))
    for column in range(1, width):
        tags = [cells[column] for _, cells in rows]
        if all(tag in UNSEEN for tag in tags):
            continue
        marked = list(_runs(tags))
        for first, last, label in marked or [(None, None, None)]:
            ends = (None, None) if first is None else (begins[first], begins[last] + len(rows[last][1][0]))
            answers.other("tags", "spans", name, f"annotator {column}", *ends, label)


def _runs(tags: list[str]) -> Iterator[tuple[Any, Any, Any]]:
    begin, label = None, ""
    for place, tag in enumerate([*tags, "O"]):
        mark, _, kind = tag.partition("-")
        inside = tag not in ("O", *UNSEEN)
        kind = kind or mark
        if begin is not None and (not inside or mark in ("B", "S", "U") or kind != label):
            yield begin, place - 1, label
            begin = None
        if inside and begin is None:
            begin, label = place, kind


CONLL = Format("folder", looks=lambda endings: ".conll" in endings, read=read, endings=(".conll", ".txt"))
