"""Votes that come by the million: from files, a crowd or an iterator, some at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, OptionError, how_many
from ..votes.codes import Array, names_array
from ..votes.crowd import Crowd
from ..votes.frames import find_column, require_column

BATCH = 1 << 20  # rows that are looked at at once
SUFFIXES = (".parquet", ".csv", ".tsv", ".feather", ".arrow")
MOST = 1e12  # that a vote may count
ROLES = ("item", "annotator", "label")
Columns = tuple[Array, Array, Array, Array | None]


def batches(
    source: Any, named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, notes: list[str]
) -> Iterator[Columns]:
    """Items, annotators, labels and weights (None for votes that count once), a million rows at a time."""
    if isinstance(source, str | Path | list | tuple):
        yield from _of_files(files_of(source), named, no_vote, aside, notes)
        return
    if no_vote:
        raise OptionError("no_vote is for files: leave such votes out of a crowd, or of an iterator's arrays")
    yield from _of_crowd(source) if isinstance(source, Crowd) else _of_arrays(source)


def are_weighed(source: Any, named: Mapping[str, str | None]) -> bool:
    """Whether votes say how much they count."""
    if isinstance(source, Crowd):
        return source.weight is not None
    if not isinstance(source, str | Path | list | tuple):
        return False
    try:
        return any([find_column("weight", _names_if_any(file), named.get("weight")) for file in files_of(source)])
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


def _names_if_any(file: Path) -> list[str]:
    """The columns of a file; none of one that cannot be read, which is told where its votes are."""
    import pyarrow as pa

    try:
        return names_in(file)
    except (pa.ArrowException, StopIteration, OSError):
        return []


def files_of(source: Any) -> list[Path]:
    """The files behind a path, a folder, or several of them, in the order of their names."""
    found: list[Path] = []
    for one in source if isinstance(source, list | tuple) else [source]:
        path = Path(one)
        if path.is_dir():
            found += sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
        elif path.is_file():
            found.append(path)
        else:
            raise InputError(f"{path} cannot be read: there is no such file or folder")
    if not found:
        raise InputError(f"{source}: there is no file of votes in it ({', '.join(SUFFIXES)})")
    return found


def names_in(file: Path) -> list[str]:
    """The columns of a file."""
    import pyarrow.parquet as pq

    if file.suffix == ".parquet":
        return [str(name) for name in pq.read_schema(file).names]
    return [str(name) for name in next(iter(_read(file))).schema.names]


def _of_crowd(crowd: Crowd) -> Iterator[Columns]:
    for low in range(0, crowd.n_votes, BATCH):
        at = slice(low, low + BATCH)
        names = crowd.items[crowd.item[at]], crowd.annotators[crowd.annotator[at]], crowd.classes[crowd.label[at]]
        yield (*names, None if crowd.weight is None else crowd.weight[at])


def _of_arrays(source: Iterable[Any]) -> Iterator[Columns]:
    for number, batch in enumerate(source, start=1):
        columns = dict(zip(("items", "annotators", "labels"), map(np.asarray, batch), strict=True))
        for what, column in columns.items():
            if column.dtype.kind == "f" or (column.dtype.kind == "O" and any(one is None for one in column.tolist())):
                raise InputError(f"batch {number}: {what} must be whole numbers or texts, none of them missing")
        sizes = [column.size for column in columns.values()]
        if len(set(sizes)) > 1:
            raise InputError(f"batch {number}: the columns differ in length: {', '.join(map(str, sizes))}")
        for low in range(0, sizes[0], BATCH):
            items, people, labels = (names_array(column[low : low + BATCH]) for column in columns.values())
            yield items, people, labels, None


def _of_files(
    files: list[Path], named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, notes: list[str]
) -> Iterator[Columns]:
    left = {"rows": 0, "no vote": 0}
    spelt = any(file.suffix in (".csv", ".tsv") for file in files)  # names are texts there: everywhere
    for file in files:
        try:
            yield from _of_file(file, named, no_vote, aside, spelt, left)
        except InputError as error:
            if not aside:
                raise
            notes.append(f"set aside: {error}")
    if left["rows"]:
        notes.append(f"{how_many(left['rows'], 'rows')} set aside: a cell is missing, or a weight is none")
    if left["no vote"]:
        notes.append(f"{how_many(left['no vote'], 'rows')} left out: no vote")


def _of_file(
    file: Path, named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, spelt: bool,
    left: dict[str, int],
) -> Iterator[Columns]:  # fmt: skip
    import pyarrow as pa
    import pyarrow.compute as pc

    row = 1  # the header
    try:
        for batch in _read(file):
            names = batch.schema.names
            taken = {role: require_column(role, names, find_column(role, names, named[role])) for role in ROLES}
            heavy = find_column("weight", names, named.get("weight"))
            weight, unweighed = (
                (None, np.zeros(batch.num_rows, bool)) if heavy is None else _weights(batch.column(heavy))
            )
            columns = [_plain(batch.column(names.index(taken[role])), spelt) for role in ROLES]
            spelled = pc.cast(columns[2], pa.string())
            out = pc.fill_null(pc.is_in(spelled, value_set=pa.array(no_vote, pa.string())), False) if no_vote else None
            missing = np.zeros(batch.num_rows, bool)
            for column in columns:
                missing |= _empty(column)
            skipped = np.zeros(batch.num_rows, bool) if out is None else np.asarray(out)
            missing &= ~skipped
            if missing.any() and not aside:
                at = int(missing.argmax())
                role = next(role for role, column in zip(ROLES, columns, strict=True) if _empty(column)[at])
                raise InputError(f"{file}, row {row + 1 + at}: column {taken[role]!r} is empty")
            unweighed &= ~(missing | skipped)
            if np.any(unweighed) and not aside:
                at = int(np.argmax(unweighed))
                cell = batch.column(heavy)[at].as_py()
                raise InputError(f"{file}, row {row + 1 + at}: column {heavy!r}: {cell!r} is no weight")
            missing |= unweighed
            kept = ~(missing | skipped)
            left["rows"] += int(missing.sum())
            left["no vote"] += int(skipped.sum())
            row += batch.num_rows
            if not kept.all():
                columns = [column.filter(pa.array(kept)) for column in columns]
                weight = None if weight is None else weight[kept]
            if kept.any():
                yield (*(_names(column) for column in columns), weight)  # type: ignore[misc]
    except pa.ArrowException as error:
        text = str(error).partition("\n")[0]
        raise InputError(f"{file}, after row {row}: this cannot be read ({text})") from error
    except InputError as error:
        raise error.named(str(file)) from error


def _weights(column: Any) -> tuple[Array, Array]:
    """How much votes count, and where that is no number of at least 0 that one can reckon with."""
    cells = [str(cell).strip() if cell is not None else "" for cell in column.to_pylist()] if _is_text(column) else None
    if cells is None:
        found = np.asarray(column.cast("float64").to_numpy(zero_copy_only=False), float)
    else:
        found = np.array([_number(cell) for cell in cells], float)
    wrong = ~(np.isfinite(found) & (found >= 0.0) & (found <= MOST))
    return np.where(wrong, 1.0, found), wrong


def _is_text(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _read(file: Path) -> Iterator[Any]:
    """A file, a million rows at a time, and never more."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    if file.suffix == ".parquet":
        with pq.ParquetFile(file) as opened:
            yield from opened.iter_batches(BATCH)
        return
    if file.suffix in (".feather", ".arrow"):
        with pa.memory_map(str(file)) as mapped, pa.ipc.open_file(mapped) as opened:
            for place in range(opened.num_record_batches):
                yield opened.get_batch(place)
        return
    how = {"parse_options": pyarrow.csv.ParseOptions(delimiter="\t" if file.suffix == ".tsv" else ",")}
    header = pyarrow.csv.open_csv(file, **how).schema.names
    texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False)
    yield from pyarrow.csv.open_csv(file, convert_options=texts, **how)


def _plain(column: Any, spelt: bool) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    if pa.types.is_large_string(column.type):
        return column.cast(pa.string())
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    if pa.types.is_floating(column.type) or (spelt and not pa.types.is_string(column.type)):
        return pc.cast(column, pa.string())
    return column


def _empty(column: Any) -> Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    blank = pc.is_null(column)
    if pa.types.is_string(column.type):
        blank = pc.or_(blank, pc.equal(pc.fill_null(pc.utf8_trim_whitespace(column), ""), ""))
    return np.asarray(blank)


def _names(column: Any) -> Array:
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.asarray(column.to_numpy(zero_copy_only=False), object)
