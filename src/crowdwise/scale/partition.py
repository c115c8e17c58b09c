"""Packing: one pass over files that sends each vote to the bucket of its item, then one over each bucket.

Memory holds a batch of rows and one bucket. A run that was stopped goes on with the buckets that are left.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, OptionError, how_many
from ..votes.codes import Array, encode, find, names_array, natural_order, stable_sort
from ..votes.crowd import Crowd
from ..votes.frames import find_column, require_column
from ..votes.keyed import hashed
from .blocks import FORMAT, NOTES, Blocks, write_manifest

SPILL = "spill"
MOST_BUCKETS = 500  # files that are open at once
BATCH = 1 << 20  # rows that are looked at at once
USUAL = 8_000_000  # votes of a block
SUFFIXES = (".parquet", ".csv", ".tsv", ".feather", ".arrow")
Columns = tuple[Array, Array, Array]
Tell = Callable[[str], object]


def pack(
    source: Any,
    folder: str | Path,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    no_vote: Iterable[str] = (),
    aside: bool = False,
    block_votes: int = USUAL,
    n_votes: int | None = None,
    tell: Tell = lambda text: None,
) -> Blocks:
    """Votes packed into blocks on disk, in bounded memory.

    source: a file (CSV, TSV, Parquet, Feather), a folder of them, a list of both, a `Crowd`, or an iterator of
    (items, annotators, labels), arrays of equal length. Columns are found by their usual names unless they are named.
    no_vote: labels that are no votes. aside: rows with a missing cell, and files that cannot be read, are set aside and
    counted; otherwise the first one is an error that names file and row. block_votes: of a block, about; n_votes: how
    many votes an iterator will give, about, by which buckets are made.

    A folder that holds packed votes is refused, unless packing was stopped there: then it goes on.
    """
    path = Path(folder)
    told = _begun(path)
    if told is None or not told.get("spilled"):
        path.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(path / SPILL, ignore_errors=True)
        write_manifest(path, spilled=False, packed=False)  # whose folder this is
        told = _spilled(source, path, {"item": item, "annotator": annotator, "label": label}, tuple(no_vote), aside,
                        block_votes, n_votes, tell)  # fmt: skip
    return _packed(path, told, tell)


def _begun(path: Path) -> dict[str, Any] | None:
    """What was done in a folder before; a folder of something else is not touched."""
    if not path.exists() or not any(path.iterdir()):
        return None
    try:
        told: dict[str, Any] = json.loads((path / NOTES).read_text("utf-8"))
    except (OSError, ValueError):
        told = {}
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise InputError(f"{path} is there already, and holds something else: name a new folder")
    if told.get("packed"):
        raise InputError(f"{path} holds packed votes already: Blocks.open reads them, or name a new folder")
    return told


# -- the first pass ---------------------------------------------------------------------------------------------------


def _spilled(
    source: Any, path: Path, named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, block_votes: int,
    n_votes: int | None, tell: Tell,
) -> dict[str, Any]:  # fmt: skip
    """Every vote in the file of its item's bucket."""
    import pyarrow as pa

    if block_votes < 1:
        raise OptionError(f"block_votes={block_votes} must be at least 1")
    notes: list[str] = []
    expected = n_votes or _expected(source)
    n_buckets = min(max(1, -(-expected // block_votes)), MOST_BUCKETS)
    codes = {"annotator": _Codes("annotators"), "label": _Codes("labels")}
    spill = path / SPILL
    spill.mkdir()
    writers: dict[int, Any] = {}
    schema, n, closing = None, 0, ExitStack()
    for items, people, labels in _batches(source, named, no_vote, aside, notes):
        who, said = codes["annotator"].of(people), codes["label"].of(labels)
        bucket = (hashed(items) % np.uint64(n_buckets)).astype(np.int64)
        order = np.argsort(bucket, kind="stable")
        ends = np.searchsorted(bucket[order], np.arange(n_buckets + 1))
        kind = pa.int64() if items.dtype.kind in "iu" else pa.large_string()
        batch = pa.record_batch(
            [pa.array(items[order], kind), pa.array(who[order]), pa.array(said[order])], ["item", "annotator", "label"]
        )
        if schema is None:
            schema = batch.schema
        elif schema != batch.schema:
            raise InputError("items are named by numbers in one file and by texts in another: make them alike")
        for place in np.flatnonzero(np.diff(ends)).tolist():
            if place not in writers:
                writers[place] = closing.enter_context(pa.ipc.new_file(str(spill / f"{place:05d}.arrow"), schema))
            writers[place].write_batch(batch.slice(ends[place], ends[place + 1] - ends[place]))
        n += len(items)
        tell(f"{n:,} votes read")
    closing.close()
    if not n:
        raise InputError("there are no votes")
    people_names, classes = codes["annotator"].names, codes["label"].names
    rank = natural_order(names_array(classes))
    told = {
        "spilled": True, "packed": False, "buckets": sorted(writers), "done": [], "notes": notes,
        "classes": [classes[k] for k in rank.tolist()], "rank": np.argsort(rank).tolist(),
    }  # fmt: skip
    _write_names(path, people_names)
    once = [name for name, count in zip(classes, codes["label"].counts, strict=True) if count == 1]
    if once:
        named_ = ", ".join(map(repr, once[:5])) + (" ..." if len(once) > 5 else "")
        told["notes"] = [*notes, f"{how_many(len(once), 'classes')} named once in all votes: {named_}"]
    write_manifest(path, **told)
    return told


class _Codes:
    """Codes of names in the order in which they are first seen, over batches; and how often each was seen."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.names: list[Any] = []
        self._code: dict[Any, int] = {}
        self.counts: list[int] = []

    def of(self, column: Any) -> Array:
        names, codes = encode(column)
        if self.names and len(names) and isinstance(self.names[0], str) != isinstance(names.tolist()[0], str):
            raise InputError(f"{self.what} are named by numbers in one file and by texts in another: make them alike")
        place = np.empty(len(names), np.int64)
        for at, name in enumerate(names.tolist()):
            if name not in self._code:
                self._code[name] = len(self.names)
                self.names.append(name)
                self.counts.append(0)
            place[at] = self._code[name]
        seen = np.bincount(np.asarray(codes, np.int64), minlength=len(names))
        for at, count in zip(place.tolist(), seen.tolist(), strict=True):
            self.counts[at] += count
        return place[np.asarray(codes, np.int64)].astype(np.int32)


def _write_names(path: Path, names: list[Any], file: str = "annotators.parquet") -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"annotator": pa.array(names)}), path / file)


def _expected(source: Any) -> int:
    """About how many votes there are."""
    if isinstance(source, Crowd):
        return source.n_votes
    if not isinstance(source, str | Path | list | tuple):
        return USUAL
    import pyarrow.parquet as pq

    total = 0
    for file in files_of(source):
        if file.suffix == ".parquet":
            try:
                total += pq.read_metadata(file).num_rows
            except OSError:
                continue
        else:
            total += file.stat().st_size // 16
    return max(total, 1)


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


def _batches(
    source: Any, named: Mapping[str, str | None], no_vote: tuple[str, ...], aside: bool, notes: list[str]
) -> Iterator[Columns]:
    """Items, annotators and labels, a million rows at a time."""
    if isinstance(source, str | Path | list | tuple):
        yield from _of_files(files_of(source), named, no_vote, aside, notes)
        return
    if no_vote:
        raise OptionError("no_vote is for files: leave such votes out of a crowd, or of an iterator's arrays")
    yield from _of_crowd(source) if isinstance(source, Crowd) else _of_arrays(source)


def _of_crowd(crowd: Crowd) -> Iterator[Columns]:
    if crowd.weight is not None:
        raise OptionError("these votes have weights, and packed votes count once each: crowd.with_weight(None)")
    for low in range(0, crowd.n_votes, BATCH):
        at = slice(low, low + BATCH)
        yield crowd.items[crowd.item[at]], crowd.annotators[crowd.annotator[at]], crowd.classes[crowd.label[at]]


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
        notes.append(f"{how_many(left['rows'], 'rows')} set aside: a cell is missing")
    if left["no vote"]:
        notes.append(f"{how_many(left['no vote'], 'rows')} left out: no vote")


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
            yield items, people, labels


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
            taken = {role: require_column(role, names, find_column(role, names, named[role])) for role in named}
            columns = [_plain(batch.column(names.index(taken[role])), spelt) for role in ("item", "annotator", "label")]
            spelled = pc.cast(columns[2], pa.string())
            out = pc.fill_null(pc.is_in(spelled, value_set=pa.array(no_vote, pa.string())), False) if no_vote else None
            missing = np.zeros(batch.num_rows, bool)
            for column in columns:
                missing |= _empty(column)
            skipped = np.zeros(batch.num_rows, bool) if out is None else np.asarray(out)
            missing &= ~skipped
            if missing.any() and not aside:
                at = int(missing.argmax())
                role = next(role for role, column in zip(named, columns, strict=True) if _empty(column)[at])
                raise InputError(f"{file}, row {row + 1 + at}: column {taken[role]!r} is empty")
            kept = ~(missing | skipped)
            left["rows"] += int(missing.sum())
            left["no vote"] += int(skipped.sum())
            row += batch.num_rows
            if not kept.all():
                columns = [column.filter(pa.array(kept)) for column in columns]
            if kept.any():
                yield tuple(_names(column) for column in columns)  # type: ignore[misc]
    except pa.ArrowException as error:
        text = str(error).partition("\n")[0]
        raise InputError(f"{file}, after row {row}: this cannot be read ({text})") from error
    except InputError as error:
        raise error.named(str(file)) from error


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


def append(blocks: Blocks, source: Any, **how: Any) -> tuple[Blocks, list[int]]:
    """Blocks and more: votes of items that are not there yet, as new blocks at the end; which these are.

    source, how: as in `pack`. New annotators come last. Votes on items that are there, and new classes, are refused:
    items are whole within a block, so that all votes have to be packed again.
    """
    blocks = Blocks.open(blocks.folder)  # what is there now, whoever appended since
    folder = blocks.folder
    fresh = folder / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        more = pack(source, fresh, **how)
        old = np.concatenate([blocks.hashes(block) for block in range(len(blocks.sizes))])
        for block in range(len(more.sizes)):
            twice = np.isin(more.hashes(block), old)
            if twice.any():
                first = more.items(block)[twice][0]
                raise InputError(
                    f"{how_many(int(twice.sum()), 'items')} are packed already, such as {first!r}: votes on old items "
                    "need all votes packed again"
                )
        if isinstance(blocks.items(0).tolist()[0], str) != isinstance(more.items(0).tolist()[0], str):
            raise InputError("items are named by numbers here and by texts there: make them alike")
        people = list(dict.fromkeys([*blocks.annotators.tolist(), *more.annotators.tolist()]))
        new = [name for name in more.classes.tolist() if name not in set(blocks.classes.tolist())]
        if new:
            raise InputError(f"new classes: {', '.join(map(repr, new))}; all votes have to be packed again")
        who = np.asarray(find(more.annotators, names_array(people)), np.int64)
        label = np.asarray(find(more.classes, blocks.classes), np.int64)
        given = np.zeros((len(people), blocks.n_classes))
        given[: blocks.n_annotators] = blocks.given
        np.add.at(given, (who[:, None], label[None, :]), more.given)
        sizes, k = list(blocks.sizes), blocks.n_classes
        for block, (_, votes, items) in enumerate(more.sizes):
            name = f"{len(sizes):05d}-{votes}"
            part = fresh / more.sizes[block][0]
            cells = more.cells(block)
            moved = who[cells // more.n_classes] * k + label[cells % more.n_classes]
            np.save(part / "cells.npy", moved.astype(np.int32))
            shutil.rmtree(folder / name, ignore_errors=True)  # of an append that was stopped
            part.rename(folder / name)
            sizes.append((name, votes, items))
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    files = {"annotators": f"annotators-{len(sizes)}.parquet", "given": f"given-{len(sizes)}.npy"}
    _write_names(folder, people, files["annotators"])
    np.save(folder / files["given"], given)
    notes = [*blocks.notes, *more.notes]
    classes = blocks.classes.tolist()
    write_manifest(
        folder, packed=True, classes=classes, blocks=sizes, notes=notes, files=files
    )  # all of it, or nothing
    return Blocks.open(folder), list(range(len(blocks.sizes), len(sizes)))


# -- the second pass --------------------------------------------------------------------------------------------------


def _packed(path: Path, told: dict[str, Any], tell: Tell) -> Blocks:
    """Each bucket as a block; those that are done stay as they are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_annotators = pq.read_metadata(path / "annotators.parquet").num_rows
    k = len(told["classes"])
    rank = np.array(told["rank"], np.int64)
    if n_annotators * k > np.iinfo(np.int32).max:
        raise InputError(
            f"{n_annotators:,} annotators times {k:,} classes are too many for packed votes: merge classes"
        )
    done = list(told["done"])
    for bucket in told["buckets"]:
        name = f"{bucket:05d}"
        if any(block[0] == name for block in done):
            continue
        spill = path / SPILL / f"{name}.arrow"
        with pa.memory_map(str(spill)) as mapped, pa.ipc.open_file(mapped) as opened:
            table = opened.read_all()
            done.append(write_block(path / name, table, rank, k))
            del table
        told["done"] = done
        write_manifest(path, **{key: value for key, value in told.items() if key != "format"})
        spill.unlink()
        tell(f"{len(done)} of {len(told['buckets'])} blocks packed")
    given = np.zeros(n_annotators * k)
    for name, _, _ in done:
        given += np.bincount(np.load(path / name / "cells.npy", mmap_mode="r"), minlength=given.size)
    np.save(path / "given.npy", given.reshape(n_annotators, k))
    write_manifest(path, packed=True, classes=told["classes"], blocks=done, notes=told["notes"])
    shutil.rmtree(path / SPILL, ignore_errors=True)
    return Blocks.open(path)


def write_block(folder: Path, table: Any, rank: Array, n_classes: int) -> tuple[str, int, int]:
    """Pack votes (item, annotator, label codes by `rank`): items in the order in which they first appear."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = table["item"].combine_chunks()
    names, item = encode(column.to_numpy() if pa.types.is_integer(column.type) else column)
    cells = table["annotator"].to_numpy().astype(np.int64) * n_classes + rank[table["label"].to_numpy()]
    moved = stable_sort(np.asarray(item))
    cells = (cells if moved is None else cells[moved[1]]).astype(np.int32)
    counts = np.bincount(item, minlength=len(names))
    dtype = np.uint8 if counts.max() < 256 else np.uint32
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    np.save(part / "cells.npy", cells)
    np.save(part / "counts.npy", counts.astype(dtype))
    np.save(part / "hashes.npy", hashed(names))
    kind = pa.int64() if names.dtype.kind in "iu" else pa.large_string()
    pq.write_table(pa.table({"item": pa.array(names, kind)}), part / "items.parquet")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    return folder.name, len(cells), len(names)
