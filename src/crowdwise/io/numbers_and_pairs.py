"""Tables of ratings and of comparisons, long and wide, and what they hold beside."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import reduce
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, how_many
from ..votes.codes import names_array
from ..votes.comparisons import EVERYBODY, Comparisons, sides
from ..votes.frames import find_column, plain_name, require_column
from ..votes.ratings import Ratings
from .answers import Answers
from .cells import decoded, numbers_of, plain, require_filled
from .kinds import NUMBERS, WMT
from .opened import opened_file
from .other_answers import CONTEXT, chosen_answers, other_votes
from .recognise import of_table, tool_of
from .table_rows import Rows, read_rows

SYSTEM = re.compile(r"system\d+Id$")


def read_ratings(
    sources: Sequence[str | Path],
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    delimiter: str | None = None,
    annotators: Sequence[str] = (),
    form: str | None = None,
    question: str | None = None,
    no_vote: Collection[str] = (),
) -> tuple[Ratings, list[str]]:
    """Ratings from tables, long or wide, or from exports, and what a person should know about the reading.

    A wide table has one row per item and one column per annotator: those of `annotators`, or all but the item's where
    no column looks like an annotator's. An empty cell is no rating.
    """

    def one(rows: Rows) -> Ratings:
        names = rows.names
        if annotators or not (find_column("annotator", names, annotator) or label):
            return _wide_ratings(rows, find_column("item", names, item) or names[0], annotators)
        value = label or _numbers_in(rows) or require_column("label", names)
        rows = without(rows, value, no_vote)
        roles = {"item": item, "annotator": annotator}
        taken = {role: require_column(role, names, name) for role, name in roles.items()}
        for name in taken.values():
            require_filled(rows, name)
        require_filled(rows, find_column("item", names, value) or value, "; --no-vote '' leaves such answers out")
        some, counts = np.ones(rows.table.num_rows, bool), find_column("weight", names, weight)
        return Ratings.from_columns(
            plain(rows.table[taken["item"]]),
            plain(rows.table[taken["annotator"]]),
            numbers_of(rows, value, some, (-np.inf, np.inf)),
            weight=None if counts is None else numbers_of(rows, counts, some, (0.0, np.inf)),
        )

    return _joined(sources, "ratings", one, delimiter, form, question)


def _numbers_in(rows: Rows) -> str | None:
    """The column of ratings: by its name, the first of several that are there, which is told."""
    there = [name for name in rows.names if plain_name(name) in NUMBERS]
    if len(there) > 1:
        rows.notes.append(
            f"ratings come from column {there[0]!r}; not used: {', '.join(there[1:])} (--label names one)"
        )
    return there[0] if there else find_column("value", rows.names)


def without(rows: Rows, column: str, no_vote: Collection[str]) -> Rows:
    """The rows whose cell says something else; the others are counted in a note."""
    if not no_vote or column not in rows.names:
        return rows
    cells = decoded(rows.table[column]).to_pylist()
    kept = np.flatnonzero([("" if cell is None else str(cell)) not in no_vote for cell in cells])
    rows.notes.append(f"{how_many(len(cells) - kept.size, 'answers')} left out: no vote")
    return rows._replace(table=rows.table.take(kept), row_number=lambda place: rows.row_number(int(kept[place])))


def _wide_ratings(rows: Rows, item: str, annotators: Sequence[str]) -> Ratings:
    """One row per item, one column per annotator."""
    require_filled(rows, item)
    chosen = list(annotators) or [name for name in rows.names if name != item]
    for name in chosen:
        if name not in rows.names:
            raise InputError(f"there is no column {name!r}: the columns are {', '.join(rows.names)}")
    rows.notes.append(f"one column per annotator: {', '.join(chosen[:8])}{' ...' if len(chosen) > 8 else ''}")
    items, parts = np.asarray(plain(rows.table[item]), object), []
    for name in chosen:
        cells = decoded(rows.table[name]).to_pylist()
        some = np.array([cell is not None and str(cell).strip() != "" for cell in cells], bool)
        parts.append(
            (items[some], np.full(int(some.sum()), name, object), numbers_of(rows, name, some, (-np.inf, np.inf)))
        )
    item_, who, value = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Ratings.from_columns(item_.tolist(), who.tolist(), value.astype(float))


def read_comparisons(
    sources: Sequence[str | Path],
    *,
    left: str | None = None,
    right: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    delimiter: str | None = None,
    form: str | None = None,
    question: str | None = None,
    no_vote: Collection[str] = (),
) -> tuple[Comparisons, list[str]]:
    """Comparisons from tables with one row per comparison, or exports, and what a person should know of the reading.

    The winner is named by its side, or by itself. Without a column of annotators, one annotator said everything. WMT's
    judgments have one row with five ranked systems: these are ten comparisons.
    """
    notes: list[str] = []

    def read(rows: Rows) -> Comparisons:
        names = rows.names
        if set(names) >= WMT:
            return _judgments(rows)
        taken = {role: require_column(role, names, name) for role, name in (("left", left), ("right", right))}
        winner, who = require_column("winner", names, label), find_column("annotator", names, annotator)
        rows = without(rows, winner, no_vote)
        for name in (*taken.values(), winner, *(() if who is None else (who,))):
            require_filled(rows, name)
        if who is None:
            notes.append("there is no column of annotators: all comparisons count as one person's")
        some, counts = np.ones(rows.table.num_rows, bool), find_column("weight", names, weight)
        one, other = (names_array(plain(rows.table[name])) for name in taken.values())
        said = names_array(decoded(rows.table[winner]).to_pylist())
        everybody = np.full(rows.table.num_rows, EVERYBODY, object)
        return Comparisons.from_columns(
            one,
            other,
            everybody if who is None else plain(rows.table[who]),
            sides(one, other, said, rows.row_number),
            weight=None if counts is None else numbers_of(rows, counts, some, (0.0, np.inf)),
            extra={CONTEXT: plain(rows.table[CONTEXT])} if CONTEXT in names else {},
            row_number=rows.row_number,
        )

    votes, told = _joined(sources, "comparisons", read, delimiter, form, question)
    return votes, [*notes, *told]


def _judgments(rows: Rows) -> Comparisons:
    """WMT's: systems of a sentence with ranks, 1 is best and equal ranks are ties; a rank below 1 is none."""
    table = {name: decoded(rows.table[name]).to_pylist() for name in rows.names}
    systems = sorted(name for name in rows.names if SYSTEM.match(name))
    left, right, who, said, where = [], [], [], [], []
    for one, other in combinations(systems, 2):
        ranks = (numbers_of(rows, f"{name}rank", np.ones(rows.table.num_rows, bool), (-np.inf, np.inf)) for name in
                 (one.removesuffix("Id"), other.removesuffix("Id")))  # fmt: skip
        for row, (a, b) in enumerate(zip(*ranks, strict=True)):
            if min(a, b) >= 1.0 and table[one][row] != table[other][row]:
                left.append(str(table[one][row]))
                right.append(str(table[other][row]))
                who.append(str(table["judgeID"][row]))
                said.append("tie" if a == b else "left" if a < b else "right")
                where.append(str(table["segmentId"][row]))
    return Comparisons.from_columns(left, right, who, said, extra={CONTEXT: np.array(where, object)})


def read_values(source: str | Path) -> dict[Any, float]:
    """Known values of items: a table with an item and a value column; an empty cell is not known."""
    rows = read_rows(source)
    names = rows.names
    try:
        item, value = require_column("item", names), find_column("value", names) or require_column("gold", names)
    except InputError as error:
        raise error.named(rows.name) from error
    numbers = numbers_of(rows, value, np.ones(rows.table.num_rows, bool), (-np.inf, np.inf))
    return dict(zip(plain(rows.table[item]).tolist(), numbers.tolist(), strict=True))


def question_of(source: str | Path, kind: str, form: str | None = None) -> str | None:
    """The only question of a kind in an export; None for a table."""
    answers = opened_answers(source, None, form)
    return chosen_answers(answers, kind)[1] if isinstance(answers, Answers) else None


def opened_answers(source: str | Path, delimiter: str | None, form: str | None) -> Rows | Answers:
    """A table's rows, or an export's answers."""
    rows = opened_file(source, form, delimiter)
    if isinstance(rows, Answers):
        return rows
    tool = form or tool_of(rows.table.column_names)
    answers = of_table(rows, tool) if tool not in (None, "table") else None
    return answers or rows


def _joined(
    sources: Sequence[str | Path], kind: str, one: Any, delimiter: str | None, form: str | None, question: str | None
) -> tuple[Any, list[str]]:
    found, notes = [], []
    for source in sources:
        rows = opened_answers(source, delimiter, form)
        if isinstance(rows, Answers):
            votes, told = other_votes(rows, kind, question)
            found.append(votes)
            notes += told
            continue
        if question is not None:
            raise InputError(f"{rows.name}: question={question!r}: this is a table, whose columns are the question")
        try:
            found.append(one(rows))
        except InputError as error:
            raise error.named(rows.name) from error
        if not found[-1].n_votes:
            raise InputError(f"{rows.name}: there are no rows under the header")
        notes += rows.notes
    votes = reduce(lambda some, more: some.joined(more), found)
    if isinstance(votes, Ratings) and votes.n_repeated:  # a pair may well be compared again, on another question
        again = how_many(votes.n_repeated, "answers")
        notes.append(f"{again} repeat what the same annotator was asked before: all count")
    return votes, notes
