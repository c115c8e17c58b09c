"""Packing: one pass over files that sends each vote to the bucket of its item, then one over each bucket.

Memory holds a batch of rows and one bucket. A run that was stopped goes on with the buckets that are left.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, OptionError, how_many
from ..votes.codes import Array, encode, find, names_array, natural_order, stable_sort
from ..votes.crowd import Crowd
from ..votes.keyed import hashed
from .blocks import FORMAT, NOTES, WEIGHTS, Blocks, write_manifest
from .vote_stream import are_weighed, batches, files_of

SPILL = "spill"
MOST_BUCKETS = 500  # files that are open at once
USUAL = 8_000_000  # votes of a block
SLIP = 1_000  # votes, in which a class that is named once is a slip
LEFT_OUT = -1  # the rank of such a class
Tell = Callable[[str], object]


def pack(
    source: Any,
    folder: str | Path,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    weight: str | None = None,
    no_vote: Iterable[str] = (),
    aside: bool = False,
    block_votes: int = USUAL,
    n_votes: int | None = None,
    tell: Tell = lambda text: None,
) -> Blocks:
    """Votes packed into blocks on disk, in bounded memory.

    source: a file (CSV, TSV, Parquet, Feather), a folder of them, a list of both, a `Crowd`, or an iterator of
    (items, annotators, labels), arrays of equal length. Columns are found by their usual names unless they are named.
    weight: how much votes count, where there is such a column. no_vote: labels that are no votes. aside: rows with a
    missing cell, and files that cannot be read, are set aside and counted; otherwise the first one is an error that
    names file and row. block_votes: of a block, about; n_votes: how many votes an iterator will give, about, by which
    buckets are made.

    A folder that holds packed votes is refused, unless packing was stopped there: then it goes on.
    """
    path = Path(folder)
    told = _begun(path)
    if told is None or not told.get("spilled"):
        path.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(path / SPILL, ignore_errors=True)
        write_manifest(path, spilled=False, packed=False)  # whose folder this is
        named = {"item": item, "annotator": annotator, "label": label, "weight": weight}
        told = _spilled(source, path, named, tuple(no_vote), aside, block_votes, n_votes, tell)
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
    weighed = are_weighed(source, named)
    for some in batches(source, named, no_vote, aside, notes):
        items, weight = some.items, some.weight
        who, said = codes["annotator"].of(some.annotators), codes["label"].of(some.labels, some.where)
        bucket = (hashed(items) % np.uint64(n_buckets)).astype(np.int64)
        order = np.argsort(bucket, kind="stable")
        ends = np.searchsorted(bucket[order], np.arange(n_buckets + 1))
        kind = pa.int64() if items.dtype.kind in "iu" else pa.large_string()
        columns = {
            "item": pa.array(items[order], kind),
            "annotator": pa.array(who[order]),
            "label": pa.array(said[order]),
        }
        if weighed:  # files without a column for it hold votes that count once
            columns["weight"] = pa.array((np.ones(len(items)) if weight is None else np.asarray(weight, float))[order])
        batch = pa.record_batch(list(columns.values()), list(columns))
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
    told = {"spilled": True, "packed": False, "buckets": sorted(writers), "done": [], "notes": notes}
    told |= _classes(codes["label"], aside, n, notes)
    _write_names(path, codes["annotator"].names)
    write_manifest(path, **told)
    return told


def _classes(labels: _Codes, aside: bool, n: int, notes: list[str]) -> dict[str, Any]:
    """The classes in their order, and the place of each label in it; slips are left out if they are to be set aside."""
    once = [code for code, count in enumerate(labels.counts) if count == 1]
    slips = set(once) if aside and n >= SLIP else set()
    there = [code for code in natural_order(names_array(labels.names)).tolist() if code not in slips]
    if not there:
        raise InputError(f"no class is named twice in {how_many(n, 'votes')}: is this the column of labels?")
    rank = np.full(len(labels.names), LEFT_OUT)
    rank[there] = np.arange(len(there))
    if once:
        first = ", ".join(f"{labels.names[code]!r} ({labels.first[code]})" for code in once[:5])
        more, done = " ..." if len(once) > 5 else "", "; set aside" if slips else ""
        notes.append(f"{how_many(len(once), 'classes')} named once in all votes: {first}{more}{done}")
    return {"classes": [labels.names[code] for code in there], "rank": rank.tolist()}


class _Codes:
    """Codes of names in the order in which they are first seen, over batches; and how often each was seen."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.names: list[Any] = []
        self._code: dict[Any, int] = {}
        self.counts: list[int] = []
        self.first: dict[int, str] = {}

    def of(self, column: Any, where: Callable[[int], str] | None = None) -> Array:
        """Codes of a batch of names; where: what tells in which file and row one of them stands."""
        names, codes = encode(column)
        if self.names and len(names) and isinstance(self.names[0], str) != isinstance(names.tolist()[0], str):
            raise InputError(f"{self.what} are named by numbers in one file and by texts in another: make them alike")
        place, fresh = np.empty(len(names), np.int64), list[int]()
        for at, name in enumerate(names.tolist()):
            if name not in self._code:
                self._code[name] = len(self.names)
                self.names.append(name)
                self.counts.append(0)
                fresh.append(at)
            place[at] = self._code[name]
        if where is not None and fresh:
            _, begin = np.unique(codes, return_index=True)
            self.first |= {int(place[at]): where(int(begin[at])) for at in fresh}
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    total = 0
    for file in files_of(source):
        if file.suffix == ".parquet":
            try:
                total += pq.read_metadata(file).num_rows
            except (OSError, pa.ArrowException):  # told where its votes are
                continue
        else:
            total += file.stat().st_size // 16
    return max(total, 1)


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
        if (more.weight(0) is None) != (blocks.weight(0) is None):
            raise InputError("votes have weights here and none there: all votes have to be packed again")
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
        if not spill.exists():  # all that was in it was set aside, before packing was stopped
            continue
        with pa.memory_map(str(spill)) as mapped, pa.ipc.open_file(mapped) as opened:
            table = opened.read_all()
            known = rank[table["label"].to_numpy()] != LEFT_OUT
            if known.any():
                done.append(write_block(path / name, table if known.all() else table.filter(pa.array(known)), rank, k))
            del table
        told["done"] = done
        write_manifest(path, **{key: value for key, value in told.items() if key != "format"})
        spill.unlink()
        tell(f"{len(done)} of {len(told['buckets'])} blocks packed")
    given = np.zeros(n_annotators * k)
    for name, _, _ in done:
        heavy = path / name / WEIGHTS
        weight = np.load(heavy) if heavy.exists() else None
        given += np.bincount(np.load(path / name / "cells.npy", mmap_mode="r"), weight, given.size)
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
    weight = table["weight"].to_numpy() if "weight" in table.column_names else None
    counts = np.bincount(item, minlength=len(names))
    dtype = np.uint8 if counts.max() < 256 else np.uint32
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    np.save(part / "cells.npy", cells)
    if weight is not None:
        np.save(part / WEIGHTS, weight if moved is None else weight[moved[1]])
    np.save(part / "counts.npy", counts.astype(dtype))
    np.save(part / "hashes.npy", hashed(names))
    kind = pa.int64() if names.dtype.kind in "iu" else pa.large_string()
    pq.write_table(pa.table({"item": pa.array(names, kind)}), part / "items.parquet")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    return folder.name, len(cells), len(names)
