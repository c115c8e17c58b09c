"""Known labels from files: gold, or truth to compare with."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..votes.frames import ALIASES, find_column, require_column
from .cells import decoded, filled, require_filled
from .table_rows import read_rows


def read_labels(
    source: str | Path, *, item: str | None = None, label: str | None = None, delimiter: str | None = None
) -> dict[Any, Any]:
    """Read `{item: label}` from a file with an item and a label column; an empty label is not known.

    The label column may also be called gold or truth. Two labels for one item are an error.
    """
    rows = read_rows(source, delimiter)
    names = rows.names
    try:
        item = require_column("item", names, item)
        label = find_column("label", names, label) or find_column("gold", names)
        if label is None:
            aliases = ", ".join([*ALIASES["label"][:3], *ALIASES["gold"][:2]])
            raise InputError(f"no label column ({aliases} ...) among {', '.join(names)}")
    except InputError as error:
        raise InputError(f"{rows.name}: {error}") from error
    require_filled(rows, item)
    known: dict[Any, Any] = {}
    told = filled(rows.table[label])
    pairs = zip(decoded(rows.table[item]).to_pylist(), decoded(rows.table[label]).to_pylist(), strict=True)
    for position, (name, value) in enumerate(pairs):
        if not told[position]:
            continue
        if not isinstance(name, Hashable) or not isinstance(value, Hashable):
            raise InputError(f"{rows.name}, row {rows.row_number(position)}: lists and objects are no names")
        if known.setdefault(name, value) != value:
            where = f"{rows.name}, row {rows.row_number(position)}"
            raise InputError(f"{where}: item {name!r} is labelled {value!r} here and {known[name]!r} above")
    return known
