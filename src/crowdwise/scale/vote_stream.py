"""Votes that come by the million: from files, a crowd or an iterator, some at a time."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, OptionError, how_many
from ..io.source import Source, open_source
from ..votes.codes import Array, names_array
from ..votes.crowd import Crowd
from ..votes.frames import find_column, require_column

BATCH = 1 << 20  # rows that are looked at at once
ARROW = (".parquet", ".feather", ".arrow")
PACKED = ("", ".gz", ".bz2", ".xz")
TEXTS = tuple(f"{kind}{packed}" for kind in (".csv", ".tsv") for packed in PACKED)
TABLES = (*ARROW, *TEXTS)
EXPORTS = (".json", ".jsonl", ".ndjson")
HIDDEN = (".", "_")  # how the names begin of what other tools leave beside tables
MOST = 1e12  # that a vote may count
ROLES = ("item", "annotator", "label")


class Batch(NamedTuple):
    """Some votes: weights are None where each counts once; `where` names the file and the row of one of them."""

    items: Array
    annotators: Array
    labels: Array
    weight: Array | None = None
    where: Callable[[int], str] = "vote {}".format


def batches(
    source: Any, named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, notes: list[str]
) -> Iterator[Batch]:
    """Votes, a million at a time."""
    if isinstance(source, str | Path | list | tuple):
        files, others = files_of(source), strangers_in(source)
        if others:
            names = ", ".join(str(one) for one in others[:3]) + (" ..." if len(others) > 3 else "")
            notes.append(f"{how_many(len(others), 'files')} not read, being no table by name: {names}")
        yield from _of_files(files, named, no_vote, aside, notes)
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
        columns = [names for file in files_of(source) if (names := names_in(file))]
        return any([find_column("weight", names, named.get("weight")) for names in columns])
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


def kind_in(file: Path) -> str:
    """How a file's name ends, if that tells how it is read."""
    name = file.name.lower()
    return next((ending for ending in (*TABLES, *EXPORTS) if name.endswith(ending)), "")


def files_of(source: Any) -> list[Path]:
    """The files behind a path, a folder, or several of them, in the order of their names."""
    found: list[Path] = []
    for one in source if isinstance(source, list | tuple) else [source]:
        path = Path(one)
        if path.is_dir():
            found += [file for file in _inside(path) if kind_in(file)]
        elif path.is_file():
            found.append(path)
        else:
            raise InputError(f"{path} cannot be read: there is no such file or folder")
    if not found:
        where = ", ".join(str(one) for one in (source if isinstance(source, list | tuple) else [source]))
        raise InputError(f"{where}: there is no file of votes in it ({', '.join((*TABLES, *EXPORTS))})")
    return found


def strangers_in(source: Any) -> list[Path]:
    """The files of folders that are not read: they are no tables by their names."""
    folders = [Path(one) for one in (source if isinstance(source, list | tuple) else [source]) if Path(one).is_dir()]
    return [file for folder in folders for file in _inside(folder) if not kind_in(file)]


def _inside(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(HIDDEN))


def names_in(file: Path) -> list[str]:
    """The columns of a file; none of one that cannot be read, which is told where its votes are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = kind_in(file)
    try:
        if kind == ".parquet":
            return [str(name) for name in pq.read_schema(file).names]
        if kind in ARROW:
            with pa.memory_map(str(file)) as mapped, pa.ipc.open_file(mapped) as opened:
                return [str(name) for name in opened.schema.names]
        return [] if kind in EXPORTS else [str(name) for name in _opened(file)[0].schema.names]
    except (pa.ArrowException, OSError, InputError, UnicodeDecodeError):
        return []


def _of_crowd(crowd: Crowd) -> Iterator[Batch]:
    for low in range(0, crowd.n_votes, BATCH):
        at = slice(low, low + BATCH)
        names = crowd.items[crowd.item[at]], crowd.annotators[crowd.annotator[at]], crowd.classes[crowd.label[at]]
        yield Batch(*names, None if crowd.weight is None else crowd.weight[at])


def _of_arrays(source: Iterable[Any]) -> Iterator[Batch]:
    for number, batch in enumerate(source, start=1):
        if len(batch) != len(ROLES):
            raise InputError(
                f"batch {number}: three arrays are expected (items, annotators, labels), and these are {len(batch)}"
            )
        columns = dict(zip(("items", "annotators", "labels"), map(np.asarray, batch), strict=True))
        for what, column in columns.items():
            if column.dtype.kind == "f" or (column.dtype.kind == "O" and any(one is None for one in column.tolist())):
                raise InputError(f"batch {number}: {what} must be whole numbers or texts, none of them missing")
        sizes = [column.size for column in columns.values()]
        if len(set(sizes)) > 1:
            raise InputError(f"batch {number}: the columns differ in length: {', '.join(map(str, sizes))}")
        for low in range(0, sizes[0], BATCH):
            items, people, labels = (names_array(column[low : low + BATCH]) for column in columns.values())
            yield Batch(items, people, labels)


def _of_files(
    files: list[Path], named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, notes: list[str]
) -> Iterator[Batch]:
    left: Counter[str] = Counter()
    missing: dict[str, int] = {}
    spelt = any(kind_in(file) not in ARROW for file in files)  # names are texts there: everywhere
    for file in files:
        before, counted = left["rows"], 0
        try:
            own = (
                _of_export(file, notes)
                if kind_in(file) in EXPORTS
                else _of_table(file, named, no_vote, aside, spelt, left)
            )
            for batch in own:
                counted += len(batch.items)
                yield batch
        except InputError as error:
            if not aside:
                raise
            kept = f"; {how_many(counted, 'votes')} before that count" if counted else ""
            notes.append(f"set aside: {error}{kept}")
            counted = -1
        if counted == 0 and left["rows"] == before:
            notes.append(f"{file} holds no votes")
        if left["rows"] > before:
            missing[str(file)] = left["rows"] - before
    if missing:
        where = ", ".join(f"{file}: {n:,}" for file, n in list(missing.items())[:3])
        more = " ..." if len(missing) > 3 else ""
        notes.append(
            f"{how_many(left['rows'], 'rows')} set aside: a cell is missing or too many, or a weight is none "
            f"({where}{more})"
        )
    if left["no vote"]:
        notes.append(f"{how_many(left['no vote'], 'rows')} left out: no vote")


def _of_export(file: Path, notes: list[str]) -> Iterator[Batch]:
    """The votes of another tool's export, which is in memory while it is read."""
    from ..io import read_votes

    reading = read_votes(file, soft=False)
    notes += reading.notes
    if reading.gold:
        notes.append(f"{file}: {how_many(len(reading.gold), 'known answers')} in it are not used: give them as gold")
    for batch in _of_crowd(reading.crowd):
        yield batch._replace(items=_spelt(batch.items), where=lambda vote: str(file))


def _spelt(names: Array) -> Array:
    """Names as texts: in files of text all are."""
    return names if names.dtype.kind == "O" else np.array([str(name) for name in names.tolist()], object)


def _of_table(
    file: Path, named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, spelt: bool,
    left: Counter[str],
) -> Iterator[Batch]:  # fmt: skip
    import pyarrow as pa
    import pyarrow.compute as pc

    row = 1  # the header
    try:
        for batch in _read(file, aside, left):
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
                raise InputError(f"{file}, row {_as_in_file(file, row + 1 + at)}: column {taken[role]!r} is empty")
            unweighed &= ~(missing | skipped)
            if np.any(unweighed) and not aside:
                at = int(np.argmax(unweighed))
                cell = batch.column(heavy)[at].as_py()
                raise InputError(
                    f"{file}, row {_as_in_file(file, row + 1 + at)}: column {heavy!r}: {cell!r} is no weight"
                )
            missing |= unweighed
            kept = ~(missing | skipped)
            left["rows"] += int(missing.sum())
            left["no vote"] += int(skipped.sum())
            rows = row + 1 + np.flatnonzero(kept)
            row += batch.num_rows
            if not kept.all():
                columns = [column.filter(pa.array(kept)) for column in columns]
                weight = None if weight is None else weight[kept]
            if kept.any():
                items, people, labels = map(_names, columns)
                yield Batch(items, people, labels, weight, _place(file, rows))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        text = str(error).partition("\n")[0]
        raise InputError(f"{file}, after row {row}: this cannot be read ({text})") from error
    except InputError as error:
        raise error.named(str(file)) from error


def _place(file: Path, rows: Array) -> Callable[[int], str]:
    return lambda vote: f"{file}, row {rows[vote]}"


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


def _read(file: Path, aside: bool, left: Counter[str]) -> Iterator[Any]:
    """A table, a million rows at a time, and never more."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = kind_in(file)
    if kind == ".parquet":
        with pq.ParquetFile(file) as opened:
            yield from opened.iter_batches(BATCH)
        return
    if kind in ARROW:
        with pa.memory_map(str(file)) as mapped, pa.ipc.open_file(mapped) as opened:
            for place in range(opened.num_record_batches):
                yield opened.get_batch(place)
        return
    ragged: list[Any] = []

    def bad(row: Any) -> str:
        ragged.append(row)
        return "skip"

    rows, source = _opened(file, bad)
    for batch in rows:
        if ragged and not aside:
            at, one = _first_ragged(source.path, file, ragged[0].expected_columns), ragged[0]
            raise InputError(
                f"{file}, row {at}: {how_many(one.actual_columns, 'cells')} where {one.expected_columns} are expected"
            )
        left["rows"] += len(ragged)
        ragged.clear()
        yield batch
    left["rows"] += len(ragged)


def _opened(file: Path, bad: Callable[[Any], str] | None = None) -> tuple[Any, Source]:
    """A table of text, opened; all its cells are texts. The file itself, or where it lies unpacked."""
    import pyarrow as pa
    import pyarrow.csv

    source = open_source(file)
    how: dict[str, Any] = {"delimiter": _delimiter(file)}
    first = pyarrow.csv.ParseOptions(**how, invalid_row_handler=lambda row: "skip")
    header = pyarrow.csv.open_csv(source.path, parse_options=first).schema.names
    parse = pyarrow.csv.ParseOptions(**how, invalid_row_handler=bad)
    texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False)
    return pyarrow.csv.open_csv(source.path, parse_options=parse, convert_options=texts), source


def _delimiter(file: Path) -> str:
    """What separates columns: by the header, whatever the file is called."""
    header = open_source(file).head.partition(b"\n")[0].decode("utf-8", "replace")
    usual = "\t" if kind_in(file).startswith(".tsv") else ","
    return max((usual, ",", ";", "\t"), key=header.count)


def _as_in_file(file: Path, row: int) -> int:
    """Where a row stands in a file of text, of which blank lines were not counted."""
    if kind_in(file) in ARROW:
        return row
    with open_source(file).path.open(newline="", encoding="utf-8-sig", errors="replace") as opened:
        filled = (at for at, cells in enumerate(csv.reader(opened, delimiter=_delimiter(file)), start=1) if cells)
        return next(islice(filled, row - 1, None), row)


def _first_ragged(path: Path, file: Path, width: int) -> int:
    """The first row that has not so many cells; Arrow does not tell where it stands."""
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as opened:
        rows = csv.reader(opened, delimiter=_delimiter(file))
        return next((at for at, row in enumerate(rows, start=1) if row and len(row) != width), 0)


def _plain(column: Any, spelt: bool) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    kept = (pa.types.is_boolean, pa.types.is_floating, pa.types.is_string, pa.types.is_large_string)
    if not any(is_of(column.type) for is_of in kept) and not (
        pa.types.is_integer(column.type) and column.type != pa.uint64()
    ):  # dates, decimals, bytes: names as they are written
        return column.cast(pa.string())
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
