"""Tables with one row per item and lists of who voted and what: the same with one row per vote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError, how_many
from ..votes.frames import find_column
from .cells import filled
from .table_rows import Rows

PEOPLE = ("annotators", "annotator_ids", "workers", "users")
SAID = ("labels", "annotations", "answers", "votes")


def pair_of_lists(has_list: dict[str, bool]) -> tuple[str, str] | None:
    """The columns of annotators and of labels, of those that hold lists; None where one is not there."""
    people = next((name for name in PEOPLE if has_list.get(name)), None)
    said = next((name for name in SAID if has_list.get(name)), None)
    return (people, said) if people and said else None


def unlisted(rows: Rows) -> Rows:
    """One row per vote; a table without such lists stays as it is."""
    table = rows.table
    pair = pair_of_lists({field.name: _is_list(field.type) for field in table.schema})
    if pair is None:
        return rows
    try:
        people, said = (_whole(table[name]) for name in pair)
    except pa.ArrowException as error:
        raise InputError(f"{rows.name}: the lists of {' and '.join(pair)} cannot be read") from error
    lengths = [pc.fill_null(pc.list_value_length(column), 0).to_numpy() for column in (people, said)]
    differ = lengths[0] != lengths[1]
    if differ.any():
        at = int(differ.argmax())
        text = f"{lengths[0][at]} in {pair[0]!r} and {lengths[1][at]} in {pair[1]!r}"
        raise InputError(f"{rows.name}, row {rows.row_number(at)}, column {pair[1]!r}: {text}")
    row = np.repeat(np.arange(len(table)), lengths[0])
    item = find_column("item", table.column_names)
    items = pa.array(row) if item is None else table[item].take(pa.array(row))
    votes = pa.table({"item": items, "annotator": people.flatten(), "label": said.flatten()})
    some = filled(votes["label"])
    unused = [name for name in rows.names if name not in (item, *pair)]
    notes = [*rows.notes, *([f"columns not used: {', '.join(unused)}"] if unused else [])]
    if item is None:
        notes.append("items are the numbers of rows, from 0")
    if not some.all():
        notes.append(f"{how_many(int((~some).sum()), 'answers')} left out: empty")
    if not some.any():
        raise InputError(f"{rows.name}: the lists of {' and '.join(pair)} hold no votes")
    kept = row[some]
    table = votes.filter(pa.array(some))
    number = rows.row_number
    return Rows(rows.name, table, notes, lambda position: number(int(kept[position])), table.column_names)


def _is_list(kind: Any) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind)


def _whole(column: Any) -> Any:
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
