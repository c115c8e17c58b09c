"""Tables of the items and of the annotators: what is known of them beside the votes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import InputError
from ..votes.crowd import Crowd
from . import options as o
from .speech import say

ItemTable = Annotated[
    str | None, typer.Option("--items", help="Table of the items: item, and columns about them."), o.READ
]
PeopleTable = Annotated[
    str | None, typer.Option("--people", help="Table of the annotators: annotator, and columns about them."), o.READ
]


def with_tables(crowd: Crowd, items: str | None, people: str | None, of_votes: str | None = None) -> Crowd:
    """Votes with the columns of a table of their items, and of one of their annotators; or with one of their own."""
    if of_votes is not None:
        return with_column_of_votes(crowd, of_votes)
    if items is not None:
        crowd = crowd.derive(item_extra={**crowd.item_extra, **_columns(items, "item", crowd.items)})
    if people is not None:
        told = _columns(people, "annotator", crowd.annotators)
        crowd = crowd.derive(annotator_extra={**crowd.annotator_extra, **told})
    return crowd


def with_column_of_votes(crowd: Crowd, by: str) -> Crowd:
    """Votes whose column is one of the items, or of the annotators: of whichever it is the same for all votes."""
    import numpy as np

    values = np.asarray(crowd.extra[by]).astype(str)
    for whose, code, n, extra in (
        ("item", crowd.item, crowd.n_items, crowd.item_extra),
        ("annotator", crowd.annotator, crowd.n_annotators, crowd.annotator_extra),
    ):
        own = np.full(n, "", object)
        own[code] = values
        if (own[code] == values).all():
            return crowd.derive(**{f"{whose}_extra": {**extra, by: own.astype(str)}})
    raise InputError(f"column {by!r} is neither the same for all votes on an item nor for all of an annotator")


def names_in(file: str, role: str) -> tuple[Any, str, list[Any]]:
    """The rows of a table, its column of items or annotators, and the names in it; none of them may be empty."""
    from ..io.cells import plain, require_filled
    from ..io.table_rows import read_rows
    from ..votes.frames import require_column

    rows = read_rows(file)
    try:
        named = require_column(role, rows.names)
        require_filled(rows, named)
    except InputError as error:
        raise error.named(rows.name) from error
    return rows, named, plain(rows.table[named]).tolist()


def _columns(file: str, role: str, names: Any) -> dict[str, Any]:
    """The columns of a table by the names of the votes; cells of names that it has not are empty."""
    import numpy as np

    from ..errors import how_many
    from ..io.cells import plain
    from ..votes.codes import find, names_array

    rows, named, cells = names_in(file, role)
    if len(set(cells)) < len(cells):
        twice = next(one for place, one in enumerate(cells) if one in set(cells[:place]))
        raise InputError(f"{file}: {role} {twice!r} has several rows")
    told = names_array([str(one) for one in cells])
    place = np.asarray(find(names_array([str(one) for one in names.tolist()]), told), np.int64)
    if (place < 0).all():
        raise InputError(
            f"{file}: no {role} of it is among the votes', such as {told[0]!r}; theirs are such as {names[0]!r}"
        )
    if (place < 0).any():
        say(f"{file}: {how_many(int((place < 0).sum()), f'{role}s')} of the votes are not in it")
    return {
        name: np.append(np.asarray(plain(rows.table[name]), object), "")[place] for name in rows.names if name != named
    }
