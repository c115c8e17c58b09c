"""Spark: votes of a frame packed by item once, sums reduced, labels a frame again; the loop is that of one machine.

Needs pyspark 4 on Java 17 or later (`pip install 'crowdwise[spark]'`). Executors need crowdwise itself, nothing else.
Below some thousand million votes one machine is faster (docs: scale): Spark is for votes that lie in its lake already.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..engine.choice import first_of_tied
from ..errors import DataWarning, InputError, MissingExtra, OptionError
from ..files import whole_file
from ..fit.climb import Climb, race
from ..fit.climber import Part, added
from ..fit.em import EM
from ..fit.method import Watch
from ..fit.params import Names, Params
from ..methods import make
from ..votes.codes import Array, encode, find, names_array, natural_order
from ..votes.crowd import Crowd
from ..votes.frames import find_column, require_column
from ..votes.keyed import hashed
from ..votes.table import Table
from .blocks import BlockEngine, Packed
from .spark_answers import SparkAnswers, Work, fit_answers, is_chain, sweep_over

A_MESSAGE = 64 << 20  # bytes of sums that go to the driver in one piece; larger ones go by parts of the annotators
PIECE = 1 << 22  # numbers of such a part
FEW = 16  # blocks whose sums the driver adds by itself: a tree of so few costs a stage and saves nothing
DEPTH = 2


class Said(NamedTuple):
    """What every task has to know: whose votes these are, by a number of this fit's own, and the names behind codes."""

    fit: str
    names: Names


class Stored(NamedTuple):
    """A packed block on shared files."""

    number: int
    path: str


class Bytes(NamedTuple):
    """A packed block as it travels: cells, votes of each item, the items' hashes, and their names (Arrow)."""

    number: int
    cells: bytes
    counts: bytes
    hashes: bytes
    items: bytes


@dataclass(frozen=True, eq=False)
class SparkFitted:
    """What a method found in a Spark frame: parameters, sums and trace at the driver, labels as a frame."""

    method: Any
    annotators: Array
    classes: Array
    params: Params
    statistics: Params
    trace: tuple[float, ...]
    converged: bool
    labels: Any
    packed: Any

    @property
    def n_votes(self) -> int:
        """How many votes there were."""
        return int(self.params["votes"].sum())

    def quality(self) -> Table:
        """One row per annotator: votes, how many are right as far as the method knows, and the share."""
        counts = self.statistics.get("counts")
        agree = np.einsum("jkk->j", counts) if counts is not None else self.statistics["agree"].sum(axis=1)
        votes = self.params["votes"]
        share = agree / np.maximum(votes, 1e-300)
        columns = {"annotator": self.annotators, "votes": votes.astype(np.int64), "right": agree, "accuracy": share}
        return Table(columns).take(np.argsort(share, kind="stable"))

    def unpersist(self) -> None:
        """Let go of the packed votes that are cached; labels cannot be made again then."""
        self.packed.unpersist()


def fit(
    method: str | EM,
    frame: Any,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    tasks: int | None = None,
    storage: Any = None,
    folder: str | None = None,
    posterior: bool = False,
    callback: Callable[[int, float], object] | None = None,
) -> SparkFitted | SparkAnswers:
    """Fit a method whose sums add to a Spark frame of votes: the trace of one machine.

    frame: a row per vote; columns are found by their usual names unless they are named. tasks: how many blocks, one for
    each core of the executors unless told; blocks below 25 million votes pay more for the task than for the votes.
    storage: a StorageLevel for the packed blocks (memory and disk unless told): a lost executor's blocks are packed
    again from the frame. folder: where the blocks go instead, on files that all executors see: then they do not travel
    from Spark's memory to Python in every step, which is what a task of cached blocks mostly waits for. `labels` is a
    frame of item, label and confidence, and of the posterior if asked. Methods for ratings, spans and comparisons, and
    chains of classes, take frames of those (`spark_answers`); of the options, tasks and callback are theirs.
    """
    try:
        from pyspark import StorageLevel
    except ImportError as error:
        raise MissingExtra("Spark needs pyspark on Java 17: pip install 'crowdwise[spark]'") from error
    model: Any = make(method) if isinstance(method, str) else method
    if model.takes is not Crowd or is_chain(model):
        return fit_answers(model, frame, {"item": item, "annotator": annotator, "label": label}, tasks, callback)
    if not isinstance(model, EM) or model.whole or model.structure != "independent" or model.weights != "given":
        name = getattr(model, "name", str(method))
        raise OptionError(f"{name} does not run on Spark: choose a method whose sums add, such as dawid-skene or ibcc")
    session = frame.sparkSession
    context = session.sparkContext
    columns = {role: require_column(role, frame.columns, find_column(role, frame.columns, given)) for role, given in
               (("item", item), ("annotator", annotator), ("label", label))}  # fmt: skip
    if heavy := find_column("weight", frame.columns):
        warnings.warn(f"column {heavy!r} is not used: votes on Spark count once each", DataWarning, stacklevel=2)
    votes = frame.select(*(frame[name].alias(role) for role, name in columns.items()))
    names = _names(votes)
    said = context.broadcast(Said(uuid.uuid4().hex, names))
    n = tasks or context.defaultParallelism
    packed = (
        votes.repartition(n, "item")
        .mapInArrow(partial(_packed, said), "number long, cells binary, counts binary, hashes binary, items binary")
        .rdd.map(lambda row: Bytes(*row))
    )
    if folder is None:
        packed = packed.persist(storage or StorageLevel.MEMORY_AND_DISK)
    else:
        stored = packed.map(partial(_stored, folder)).collect()
        packed = context.parallelize(stored, max(len(stored), 1))
    small = 16 * model.states_per_class * len(names.annotators) * len(names.classes) ** 2 <= A_MESSAGE
    given = _reduced(packed.map(partial(_given, said)), small)["given"]
    if not given.sum():
        raise InputError("there are no votes")
    weight = given.sum(axis=1)

    def sums_of(work: Work) -> tuple[Params, float]:
        told = _reduced(packed.map(partial(_swept, said, work)), small)
        evidence = float(told.pop("evidence")[0])
        for name in ("given",):  # counted once, not in every sweep
            if name in told:
                told[name] = given
        return told, evidence

    sweep, begin = sweep_over(context, model, sums_of), model.begin(_first_engine(names, given))
    climbs = [
        Climb(model, sweep, {}, sums_of(partial(_begin, model, given.sum(axis=0), run))[0], begin)
        for run in range(model.restarts)
    ]
    best = race(climbs, model.max_iter, Watch(callback))
    params = {**best.params, **model.derived(best.params), "votes": weight}
    labels = _labels(session, packed, said, model, params, posterior, votes.schema["item"].dataType)
    return SparkFitted(
        model, names.annotators, names.classes, params, best.sums, tuple(best.trace), best.converged, labels, packed
    )


# -- on the executors -------------------------------------------------------------------------------------------------


def _packed(said: Any, batches: Iterable[Any]) -> Iterator[Any]:
    """The votes of one task as a packed block, items in the order in which they first appear."""
    import pyarrow as pa

    names: Names = said.value.names
    rows = [batch for batch in batches if batch.num_rows]
    if not rows:
        return
    table = pa.Table.from_batches(rows)
    for role in ("item", "annotator", "label"):
        if table[role].null_count:
            raise InputError(f"column {role!r} is empty in {table[role].null_count:,} rows: leave them out first")
    items, item = encode(_plain(table["item"]))
    who = np.asarray(find(names_array(_names_of(table["annotator"])), names.annotators), np.int64)
    label = np.asarray(find(names_array(_names_of(table["label"])), names.classes), np.int64)
    cells = who * len(names.classes) + label
    cells = cells[np.lexsort((cells, item))].astype(np.int32)  # a shuffle keeps no order: theirs is by annotator
    counts = np.bincount(item, minlength=len(items)).astype(np.uint32)
    kept = pa.array(items.tolist() if items.dtype.kind == "O" else items)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([("item", kept.type)])) as writer:
        writer.write_batch(pa.record_batch([kept], ["item"]))
    row = {
        "number": [int(hashed(items[:1])[0] >> np.uint64(1))], "cells": [cells.tobytes()], "counts": [counts.tobytes()],
        "hashes": [hashed(items).tobytes()], "items": [sink.getvalue().to_pybytes()],
    }  # fmt: skip
    yield pa.RecordBatch.from_pydict(row)


def _plain(column: Any) -> Any:
    import pyarrow as pa

    whole = column.combine_chunks()
    return np.asarray(whole.to_numpy(zero_copy_only=False)) if pa.types.is_integer(column.type) else whole


def _names_of(column: Any) -> Any:
    values = _plain(column)
    return values if isinstance(values, np.ndarray) else values.to_numpy(zero_copy_only=False)


def _stored(folder: str, block: Bytes) -> Stored:
    """A block written to shared files, whole or not at all."""
    path = Path(folder) / f"{block.number:020d}"
    path.mkdir(parents=True, exist_ok=True)
    cells, counts, hashes = _arrays(block)
    for name, array in (("cells", cells), ("counts", counts), ("hashes", hashes)):
        with whole_file(path / f"{name}.npy") as file:
            np.save(file, array)
    with whole_file(path / "items.arrow") as file:
        file.write(block.items)
    return Stored(block.number, str(path))


def _arrays(block: Bytes | Stored) -> tuple[Array, Array, Array]:
    if isinstance(block, Bytes):
        return (np.frombuffer(block.cells, np.int32).copy(), np.frombuffer(block.counts, np.uint32),
                np.frombuffer(block.hashes, np.uint64))  # fmt: skip
    cells, counts, hashes = (np.load(Path(block.path) / f"{name}.npy", mmap_mode="c") for name in
                             ("cells", "counts", "hashes"))  # fmt: skip
    return np.asarray(cells), np.asarray(counts), np.asarray(hashes)


_KEPT: dict[tuple[str, int], Any] = {}  # engines of this worker's blocks: a worker is used again


def _engine(said: Any, block: Bytes | Stored, given: Array | None = None) -> BlockEngine:
    fit, names = said.value
    key = (fit, block.number)
    if key not in _KEPT:
        for other in [one for one in _KEPT if one[0] != fit]:  # of an earlier fit
            del _KEPT[other]
        cells, counts, hashes = _arrays(block)
        packed = Packed(cells, counts, lambda: hashes)
        nothing = np.zeros((len(names.annotators), len(names.classes)))
        _KEPT[key] = BlockEngine(names, packed, nothing, 1)
    ops: BlockEngine = _KEPT[key]
    ops.__dict__["given"] = np.zeros((ops.n_annotators, ops.n_classes)) if given is None else given
    return ops


def _own_given(ops: BlockEngine) -> Array:
    counted = ops.kept.get("own given")
    if counted is None:
        counted = np.bincount(ops.cells, minlength=ops.n_cells).reshape(ops.n_annotators, -1).astype(float)
        ops.kept["own given"] = counted
    return np.asarray(counted)


def _given(said: Any, block: Bytes | Stored) -> Params:
    return {"given": _own_given(_engine(said, block))}


def _swept(said: Any, work: Work, block: Bytes | Stored) -> Params:
    ops = _engine(said, block)
    ops.__dict__["given"] = _own_given(ops)
    sums, evidence = work(Part(ops))
    return {**{name: value for name, value in sums.items() if name != "given"}, "evidence": np.array([evidence]),
            **({"given": np.zeros((1, 1))} if "given" in sums else {})}  # fmt: skip


def _begin(model: Any, given: Array, run: int, part: Part[Any]) -> tuple[Params, float]:
    return model._first_part(part, given, model.first, run), 0.0


# -- at the driver ----------------------------------------------------------------------------------------------------


def _names(votes: Any) -> Names:
    """The names of annotators and classes, in an order that belongs to them and not to the cluster."""
    people, labels = ([row[0] for row in votes.select(role).distinct().collect()] for role in ("annotator", "label"))
    if not people:
        raise InputError("there are no votes")
    for role, found in (("annotator", people), ("label", labels)):
        if any(one is None for one in found):
            raise InputError(f"column {role!r} is empty in some rows: leave them out first")
    annotators, classes = (names_array(sorted(found)) for found in (people, labels))
    return Names(annotators, classes[natural_order(classes)])


def _first_engine(names: Names, given: Array) -> BlockEngine:
    """An engine without votes, which knows the names: what a method begins by."""
    nothing = Packed(np.zeros(0, np.int32), np.zeros(0, np.uint32), lambda: np.zeros(0, np.uint64))
    return BlockEngine(names, nothing, given, 1)


def _reduced(sums: Any, small: bool) -> Params:
    """Sums of all blocks; large ones by parts, so that no message is large."""
    if small:
        whole: Params = added(sums.collect()) if sums.getNumPartitions() <= FEW else sums.treeReduce(_two, DEPTH)
        return whole
    shapes = sums.map(lambda one: {name: value.shape for name, value in one.items()}).take(1)[0]
    pieces = sums.flatMap(_pieces).reduceByKey(np.add).collectAsMap()
    return {name: np.concatenate([pieces[key] for key in sorted(pieces) if key[0] == name]).reshape(shape)
            for name, shape in shapes.items()}  # fmt: skip


def _two(one: Params, other: Params) -> Params:
    return added([one, other])


def _pieces(sums: Params) -> Iterator[tuple[tuple[str, int], Array]]:
    for name, value in sums.items():
        flat = np.asarray(value, float).ravel()
        for place, low in enumerate(range(0, max(flat.size, 1), PIECE)):
            yield (name, place), flat[low : low + PIECE]


def _labels(session: Any, packed: Any, said: Any, model: Any, params: Params, posterior: bool, item_type: Any) -> Any:
    """A frame of item, label and confidence."""
    from pyspark.sql import types as t

    names: Names = said.value.names
    kinds = {"O": t.StringType(), "f": t.DoubleType(), "b": t.BooleanType()}
    label_type = kinds.get(names.classes.dtype.kind, t.LongType())
    fields = [t.StructField("item", item_type), t.StructField("label", label_type),
              t.StructField("confidence", t.DoubleType())]  # fmt: skip
    if posterior:
        fields += [t.StructField(f"p_{name}", t.DoubleType()) for name in names.classes.tolist()]
    sent = session.sparkContext.broadcast(params)
    return session.createDataFrame(packed.flatMap(partial(_rows, said, model, sent, posterior)), t.StructType(fields))


def _rows(said: Any, model: Any, sent: Any, posterior: bool, block: Bytes | Stored) -> Iterator[tuple[Any, ...]]:
    import pyarrow as pa

    ops = _engine(said, block)
    ops.__dict__["given"] = _own_given(ops)
    found = np.asarray(model.infer(ops, sent.value, None), float)
    label = first_of_tied(found)
    told = block.items if isinstance(block, Bytes) else (Path(block.path) / "items.arrow").read_bytes()
    with pa.ipc.open_stream(told) as reader:
        items = reader.read_all()["item"].to_pylist()
    classes = said.value.names.classes.tolist()
    sure = found[np.arange(len(label)), label].tolist()
    for place, (item, code) in enumerate(zip(items, label.tolist(), strict=True)):
        yield (item, classes[code], sure[place], *(found[place].tolist() if posterior else ()))
