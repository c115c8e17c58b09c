"""Columns of votes and of names: coded, checked, joined."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from .codes import Array, MissingName, encode_all, interleaved, shown

LARGEST = 1e100


def encoded(
    columns: Mapping[str, Any], axes: Mapping[str, str], missing_ok: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Names by axis, and the codes of each column; an empty cell is an error that names its row, or -1 where it may be.

    Columns of the same names (the two items of a comparison) are coded together, row by row.
    """
    together: dict[str, list[str]] = {}
    for column in columns:
        together.setdefault(axes[column], []).append(column)
    sizes = {name: len(column) for name, column in columns.items() if hasattr(column, "__len__")}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InputError(f"the columns differ in length: {told}")
    joined = {}
    for axis, own in together.items():
        try:
            joined[axis] = columns[own[0]] if len(own) == 1 else interleaved([columns[name] for name in own])
        except InputError as error:
            raise InputError(f"column {own[0]!r} {error}") from error
    coding = encode_all(joined, {axes[column] for column in missing_ok})
    names: dict[str, Any] = {}
    codes: dict[str, Any] = {}
    for axis, own in together.items():
        try:
            names[axis], code = coding[axis]()
        except MissingName as missing:
            row, place = divmod(missing.position, len(own))
            raise InputError(f"column {own[place]!r}, row {row}: the cell is empty") from None
        except InputError as error:
            raise InputError(f"column {own[0]!r} {error}") from error
        codes |= {column: code[place :: len(own)] for place, column in enumerate(own)}
    if len({code.size for code in codes.values()}) > 1:
        told = ", ".join(f"{column} {code.size}" for column, code in codes.items())
        raise InputError(f"the columns differ in length: {told}")
    return names, codes


def checked_weight(weight: Any, n_votes: int) -> Array:
    """How much votes count: finite numbers of at least 0, not all of them 0."""
    weight = np.array(weight, float)
    if weight.shape != (n_votes,):
        raise InputError(f"weight: {weight.size} numbers for {n_votes} votes")
    bad = ~(np.isfinite(weight) & (weight >= 0.0))
    if n_votes and not weight.any():
        raise InputError("column 'weight': all weights are 0, so that no vote counts")
    if bad.any():
        row = int(bad.argmax())
        raise InputError(f"column 'weight', row {row}: {weight[row]} is not a finite number of at least 0")
    return weight


def checked_numbers(column: str, values: Any, n_votes: int) -> Array:
    """A finite number for each vote."""
    try:
        numbers = np.array(values, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"column {column!r} holds values that are no numbers") from error
    if numbers.shape != (n_votes,):
        raise InputError(f"{column}: {numbers.size} numbers for {n_votes} votes")
    if not np.isfinite(numbers).all():
        row = int((~np.isfinite(numbers)).argmax())
        raise InputError(f"column {column!r}, row {row}: {numbers[row]} is not a finite number")
    if (np.abs(numbers) > LARGEST).any():
        row = int((np.abs(numbers) > LARGEST).argmax())
        raise InputError(
            f"column {column!r}, row {row}: {numbers[row]:g} is too large to be squared: divide all by a power of ten"
        )
    return numbers


def by_name(columns: Mapping[str, Any] | None, what: str, names: Array, code: Array) -> dict[str, Array]:
    """One value for each name from one value for each vote; refuses a column that is not a property of the name."""
    out = {}
    for name, column in (columns or {}).items():
        values = np.asarray(column)
        if len(values) != code.size:
            raise InputError(f"column {name!r}: {len(values)} values for {code.size} votes")
        first = np.full(len(names), -1)
        first[code[::-1]] = np.arange(code.size)[::-1]
        usual = values[first][code]
        differs = (values != usual) & ~(is_empty(values) & is_empty(usual))
        if differs.any():
            who = names[code[int(differs.argmax())]]
            article = "an" if what[0] in "ai" else "a"
            raise InputError(
                f"column {name!r}: {what} {shown(who)} has several values, so it is not {article} {what} column"
            )
        out[name] = values[first]
    return out


def longer(column: Array, n: int) -> Array:
    """A column with n empty cells at its end."""
    if column.dtype.kind == "f":
        return np.concatenate([column, np.full(n, np.nan)])
    return np.concatenate([column.astype(object), np.full(n, None, object)])


def joined_columns(one: Mapping[str, Array], other: Mapping[str, Array], n: int, m: int) -> dict[str, Array]:
    """Columns of either, one below the other; empty where a side has none."""
    out = {}
    for name in dict.fromkeys((*one, *other)):
        if name in one and name in other:
            out[name] = np.concatenate([one[name], other[name]])
        elif name in one:
            out[name] = longer(one[name], m)
        else:
            out[name] = np.roll(longer(other[name], n), n)
    return out


def merged(wide: Mapping[str, Array], more: Mapping[str, Array], place: Array, names: Array) -> dict[str, Array]:
    """Columns of names, filled in by those of more names; two values of one name are an error."""
    out = dict(wide)
    for name, column in more.items():
        values = np.full(len(names), None, object)
        if name in wide:
            values[:] = wide[name].tolist()
        told, empty = ~is_empty(column), is_empty(values[place])
        clash = told & ~empty & (values[place] != column)
        if clash.any():
            who = shown(names[place[int(clash.argmax())]])
            raise InputError(f"column {name!r}: {who} has one value in the first votes, and another in the others")
        values[place[told]] = column[told]
        out[name] = _narrow(values, column.dtype)
    return out


def _narrow(values: Array, dtype: Any) -> Array:
    """Values in the type that they came in, where none is missing, or the type can say so."""
    if dtype.kind == "f":
        return np.array([np.nan if value is None else value for value in values.tolist()], dtype)
    return values if is_empty(values).any() or dtype.kind == "O" else np.array(values.tolist())


def is_empty(values: Array) -> Array:
    """Where a cell is None or NaN."""
    if values.dtype.kind == "O":
        return np.array([value is None or value != value for value in values.tolist()], bool)  # noqa: PLR0124
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)


RowNumber = Callable[[int], int]
"""The row of a file that a person sees, from a place in a column."""


def listed(column: Any) -> list[Any]:
    """The cells of any column as a list."""
    return list(column.tolist() if hasattr(column, "tolist") else column)


def is_blank(column: Array) -> Array:
    """Where a cell is None, NaN or a text of nothing but blanks."""
    blank = np.array([isinstance(cell, str) and not cell.strip() for cell in column.tolist()], bool)
    return np.asarray(is_empty(column) | blank)


def plain_numbers(
    name: str, column: Any, row_number: RowNumber = lambda row: row, *, whole: bool = False, least: float = -np.inf
) -> Array:
    """Finite numbers, whether they came as numbers or as texts; one that is none is an error that names its row.

    >>> plain_numbers("width", ["3", 4.0], whole=True).tolist()
    [3, 4]
    """
    cells = listed(column)
    numbers = np.array([_number(cell) for cell in cells], float)
    wrong = ~(np.isfinite(numbers) & (numbers >= least))
    if whole:
        wrong |= (numbers != np.round(numbers)) | (np.abs(numbers) >= 2.0**53)
    if wrong.any():
        row = int(wrong.argmax())
        what = ("whole" if whole else "finite") + " number" + ("" if least == -np.inf else f" of at least {least:g}")
        raise InputError(f"row {row_number(row)}, column {name!r}: {shown(cells[row])} is not a {what}")
    return numbers.astype(np.int64) if whole else numbers


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return np.nan
