"""Answers of any kind but classes, from tables and exports: one door."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, OptionError
from ..votes.columns import plain_numbers
from ..votes.frames import find_column, require_column
from ..votes.sequences import Sequences, Tokens
from ..votes.votes import Votes
from .answers import Answers
from .cells import decoded, plain, require_filled
from .kinds import KINDS
from .numbers_and_pairs import opened_answers, read_comparisons, read_ratings
from .other_answers import other_votes
from .table_rows import Rows, read_rows

NAMES = ("item", "document", "annotator", "left", "right", "same", "group")  # roles whose cells are never empty


def read_kind(
    kind: str,
    sources: Sequence[str | Path],
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    annotators: Sequence[str] = (),
    delimiter: str | None = None,
    form: str | None = None,
    question: str | None = None,
    no_vote: Collection[str] = (),
    tokens: str | Path | None = None,
) -> tuple[Votes, list[str]]:
    """Answers of a kind, and what a person should know about the reading.

    item, annotator, label, weight name columns: `label` is what was said (the number, the winner, the text ...).
    tokens: a table of the tokens of documents, for spans.
    """
    files = [str(one) for one in sources]
    if twice := [file for file in files if files.count(file) > 1]:
        raise OptionError(f"{twice[0]} is named twice: its answers would count twice")
    how: dict[str, Any] = {"annotator": annotator, "label": label, "weight": weight, "delimiter": delimiter}
    how |= {"form": form, "question": question, "no_vote": no_vote}
    if tokens is not None and kind != "spans":
        raise OptionError(f"tokens={str(tokens)!r} is for spans, and these are {kind}")
    if kind == "ratings":
        return read_ratings(sources, item=item, annotators=annotators, **how)
    if annotators:
        raise OptionError(f"annotators={list(annotators)}: {kind} are not read from wide tables")
    if kind == "comparisons":
        if item is not None:
            raise OptionError("item=... is for one item per row, and comparisons have two: name columns left and right")
        return read_comparisons(sources, **how)
    named = {"item": item, "annotator": annotator, KINDS[kind].main: label, "weight": weight}
    named |= {"document": item, "tag": label} if kind == "spans" else {}
    known = None if tokens is None else read_tokens(tokens)
    read = [_one(kind, source, named, delimiter, form, question, no_vote, known) for source in sources]
    notes = [note for _, told in read for note in told]
    votes = reduce(lambda some, more: some.joined(more), (votes for votes, _ in read))
    notes += [f"{count:,} {what}" for what, count in votes.dropped.items()]
    return votes, notes


def container(kind: str) -> type[Votes]:
    """The class that holds answers of a kind."""
    module, _, name = KINDS[kind].holds.partition(":")
    found: type[Votes] = getattr(import_module(f"crowdwise.votes.{module}"), name)
    return found


def read_tokens(source: str | Path) -> Tokens:
    """The tokens of documents: document, begin, end, and the words."""
    rows = read_rows(source)
    try:
        columns = {name: rows.table[require_column(name, rows.names)] for name in ("document", "begin", "end")}
        for name in columns:
            require_filled(rows, require_column(name, rows.names))
        numbers = {name: plain_numbers(name, decoded(columns[name]).to_pylist(), rows.row_number, whole=True, least=0)
                   for name in ("begin", "end")}  # fmt: skip
    except InputError as error:
        raise error.named(rows.name) from error
    word = find_column("token", rows.names)
    words = None if word is None else [cell or "" for cell in decoded(rows.table[word]).to_pylist()]
    return Tokens(plain(columns["document"]), numbers["begin"], numbers["end"], words)


def _one(
    kind: str, source: Any, named: Mapping[str, str | None], delimiter: str | None, form: str | None,
    question: str | None, no_vote: Collection[str], tokens: Tokens | None,
) -> tuple[Votes, list[str]]:  # fmt: skip
    opened = opened_answers(source, delimiter, form)
    if isinstance(opened, Answers):
        votes, notes = other_votes(opened, kind, question)
        return votes, notes
    if question is not None:
        raise InputError(f"{opened.name}: question={question!r}: this is a table, whose columns are the question")
    try:
        return _of_table(kind, opened, named, no_vote, tokens), opened.notes
    except InputError as error:
        raise error.named(opened.name) from error


def _of_table(
    kind: str, rows: Rows, named: Mapping[str, str | None], no_vote: Collection[str], tokens: Tokens | None
) -> Votes:
    holds = container(kind)
    columns: dict[str, Any] = {}
    for name, role in {**holds.told_by, **holds.also_by}.items():
        found = find_column(role, rows.names, named.get(name))
        found = require_column(role, rows.names, found) if name in holds.told_by else found
        if found is not None:
            columns[name] = found
    for name, column in named.items():
        if column is not None and name in ("item", "annotator", "weight") and column not in columns.values():
            raise InputError(f"there is no use for column {column!r} as the {name} of {kind}")
    if not rows.table.num_rows:
        raise InputError("there are no rows under the header")
    if tokens is not None:
        columns = {name: column for name, column in columns.items() if name not in ("position", "tag", "token")}
    for name, role in holds.told_by.items():
        if role in NAMES:
            require_filled(rows, columns[name])
    cells = {name: _cells(rows, column) for name, column in columns.items()}
    row_number, main = rows.row_number, columns.get(KINDS[kind].main)
    if no_vote and main is not None:
        own = cells[KINDS[kind].main]
        kept = np.flatnonzero([("" if cell is None else str(cell)) not in no_vote for cell in own.tolist()])
        cells = {name: column[kept] for name, column in cells.items()}
        row_number = lambda row: rows.row_number(int(kept[row]))  # noqa: E731
    if "weight" in cells:
        cells["weight"] = plain_numbers("weight", cells["weight"], row_number, least=0.0)
    if holds is Sequences:
        return Sequences.from_named(cells, row_number, tokens)
    return holds.from_named(cells, row_number)


def _cells(rows: Rows, column: str) -> Any:
    values = decoded(rows.table[column]).to_pylist()
    out = np.empty(len(values), object)
    out[:] = values
    return out
