"""Tables of ratings and of comparisons: how they are told from tables of classes, and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, how_many
from ..votes.codes import names_array
from ..votes.comparisons import Comparisons, sides
from ..votes.frames import find_column, plain_name, require_column
from ..votes.ratings import Ratings
from .cells import decoded, numbers_of, plain, require_filled
from .source import open_source
from .table_rows import Rows, columns_of, read_rows

KINDS = ("classes", "ratings", "comparisons")
JSON = {".json", ".jsonl", ".ndjson"}  # not opened twice: --kind says what they hold
WINNERS = {"winner", "preferred", "better"}
NUMBERS = ("value", "rating", "score")  # names of columns that may hold ratings
MANY = 11  # distinct numbers, from which they are no classes
EVERYBODY = "everybody"


def kind_of(source: str | Path, given: Mapping[str, str | None] | None = None) -> tuple[str, str]:
    """The kind of votes in a file, "classes" unless its columns say otherwise, and the sentence that says why.

    Comparisons have columns for a left and a right item and a winner. Ratings have a column called value, rating or
    score, and none that is called label, whose cells are numbers, fractions or eleven different ones at least.
    """
    given = given or {}
    path = Path(source)
    if str(source) == "-" or not path.is_file() or JSON & set(path.suffixes):
        return "classes", ""
    opened = open_source(source)
    names = columns_of(opened)
    plainly = {plain_name(name) for name in names}
    left, right = (find_column(role, names) for role in ("left", "right"))
    winner = find_column("winner", names)
    if left and right and winner and (plainly & WINNERS or not {plain_name(left), plain_name(right)} & {"a", "b"}):
        return "comparisons", f"columns {left!r}, {right!r} and {winner!r}: these are comparisons"
    label = given.get("label") or find_column("label", names)
    if label is None or label not in names or plain_name(label) not in NUMBERS or not find_column("annotator", names):
        return "classes", ""
    rows = read_rows(opened, wanted=lambda there: [name for name in there if name == label])
    try:
        some = np.ones(rows.table.num_rows, bool)
        numbers = numbers_of(rows, label, some, (-np.inf, np.inf))
    except InputError:
        return "classes", ""
    distinct = np.unique(numbers)
    if (distinct == np.round(distinct)).all() and distinct.size < MANY:
        return "classes", f"the numbers in column {label!r} are taken as classes; --kind ratings takes them as numbers"
    return "ratings", f"column {label!r} holds numbers: these are ratings (--kind classes takes them as classes)"


def read_ratings(
    sources: Sequence[str | Path],
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    delimiter: str | None = None,
) -> tuple[Ratings, list[str]]:
    """Ratings from tables with one row per rating, and what a person should know about the reading."""

    def one(rows: Rows) -> Ratings:
        names = rows.names
        value = label or find_column("value", names) or require_column("value", names)
        roles = {"item": item, "annotator": annotator}
        taken = {role: require_column(role, names, name) for role, name in roles.items()}
        for name in (*taken.values(), value):
            require_filled(rows, find_column("item", names, name) or name)
        some, counts = np.ones(rows.table.num_rows, bool), find_column("weight", names, weight)
        return Ratings.from_columns(
            plain(rows.table[taken["item"]]),
            plain(rows.table[taken["annotator"]]),
            numbers_of(rows, value, some, (-np.inf, np.inf)),
            weight=None if counts is None else numbers_of(rows, counts, some, (0.0, np.inf)),
        )

    return _joined(sources, delimiter, one)


def read_comparisons(
    sources: Sequence[str | Path],
    *,
    left: str | None = None,
    right: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    delimiter: str | None = None,
) -> tuple[Comparisons, list[str]]:
    """Comparisons from tables with one row per comparison, and what a person should know about the reading.

    The winner is named by its side, or by itself. Without a column of annotators, one annotator said everything.
    """
    notes: list[str] = []

    def read(rows: Rows) -> Comparisons:
        names = rows.names
        taken = {role: require_column(role, names, name) for role, name in (("left", left), ("right", right))}
        winner = require_column("winner", names, label)
        for name in (*taken.values(), winner):
            require_filled(rows, name)
        who = find_column("annotator", names, annotator)
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
        )

    votes, told = _joined(sources, delimiter, read)
    return votes, [*notes, *told]


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


def _joined(sources: Sequence[str | Path], delimiter: str | None, one: Any) -> tuple[Any, list[str]]:
    found, notes = [], []
    for source in sources:
        rows = read_rows(source, delimiter)
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
