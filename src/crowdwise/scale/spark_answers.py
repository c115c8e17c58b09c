"""Spark for answers that are no classes of single items: ratings, chains of tags by document, comparisons.

Ratings and chains are split by item or document, and the loop is that of one machine: the same sums, reduced.
Comparisons are counted first, by pair and annotator: no method asks more of them, and that fits into one machine.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, OptionError
from ..fit.climb import Climb, Sweep, race
from ..fit.climber import Climber, Part, added
from ..fit.em import EM
from ..fit.method import Watch
from ..fit.params import Params
from ..votes.codes import Array, names_array
from ..votes.comparisons import Comparisons
from ..votes.frames import find_column, require_column
from ..votes.ratings import Ratings
from ..votes.sequences import Sequences
from ..votes.tags import Tags
from ..votes.votes import Votes

Work = Callable[[Part[Any]], tuple[Params, float]]
"""What a task does with its votes."""
CHAINS = "its chains are not cut"
"""Why methods for chains want all votes at once; documents are whole here."""


class Way(NamedTuple):
    """How a kind of answer goes: what stays whole, the columns that it needs, and those that it may have."""

    holds: type[Votes]
    unit: str
    needed: tuple[str, ...]
    more: tuple[str, ...] = ()


WAYS = {
    "ratings": Way(Ratings, "item", ("item", "annotator", "value"), ("weight",)),
    "spans": Way(Sequences, "document", ("document", "annotator"), ("begin", "end", "label", "position", "tag")),
    "comparisons": Way(Comparisons, "left", ("left", "right", "annotator", "winner"), ("weight",)),
}
NUMBERS = {"value": "double", "sd": "double", "confidence": "double", "score": "double", "begin": "long",
           "end": "long", "position": "long", "rank": "long"}  # fmt: skip


@dataclass(frozen=True, eq=False)
class SparkAnswers:
    """What a method found: parameters, sums and trace at the driver, answers as a frame."""

    method: Any
    annotators: Array
    params: Params
    statistics: Params
    trace: tuple[float, ...]
    converged: bool
    labels: Any

    @property
    def n_votes(self) -> int:
        """How many answers there were, by weight."""
        return int(self.params["votes"].sum())


def fit_answers(
    model: Any, frame: Any, named: Mapping[str, str | None], tasks: int | None, callback: Callable[..., object] | None
) -> SparkAnswers:
    """Fit a method for ratings, spans or comparisons, or a chain of classes, to a Spark frame of answers."""
    way = WAYS.get("spans" if is_chain(model) else model.takes.kind)
    if way is None:
        raise OptionError(f"{model.name} does not run on Spark: it takes {model.takes.kind}")
    frame = _selected(frame, way, named)
    if way.holds is Comparisons:
        return _of_counts(model, frame, callback)
    if not isinstance(model, Climber) or model.whole not in ("", CHAINS):
        raise OptionError(f"{model.name} does not run on Spark: choose a method whose sums add, such as "
                          f"{'gaussian-em' if way.holds is Ratings else 'hmm-crowd'}")  # fmt: skip
    if getattr(model, "structure", "") == "graph":
        raise OptionError("structure='graph' does not run on Spark: links join items of different tasks")
    session, context = frame.sparkSession, frame.sparkSession.sparkContext
    annotators = names_array(sorted(_distinct(frame, "annotator")))
    if way.holds is Sequences:
        _require_apart(frame)
    classes = _classes(frame) if way.holds is Sequences else names_array([])
    said = context.broadcast((uuid.uuid4().hex, way.holds, annotators, classes))
    packed = frame.repartition(tasks or context.defaultParallelism, way.unit).mapInArrow(_packed, "rows binary").rdd
    packed = packed.map(lambda row: bytes(row.rows)).zipWithIndex().persist()

    def sums_of(work: Work) -> tuple[Params, float]:
        found = packed.map(partial(_worked, said, model, work)).collect()
        return added(sums for sums, _ in found), float(sum(evidence for _, evidence in found))

    sweep = sweep_over(context, model, sums_of)
    begin = packed.map(partial(_worked, said, model, partial(_begin, model))).first()
    climbs = [Climb(model, sweep, {}, sums_of(partial(_first, model, run))[0], begin) for run in range(model.restarts)]
    best = race(climbs, model.max_iter, Watch(callback))
    votes = packed.map(partial(_worked, said, model, partial(_weights, model))).reduce(np.add)
    params = {**best.params, **model.derived(best.params), "votes": votes}
    sent = context.broadcast(params)
    columns = packed.map(partial(_columns, said, model, sent)).filter(bool).first()
    kinds = dict(frame.dtypes)
    schema = ", ".join(f"`{name}` {NUMBERS.get(name, kinds.get(name, 'string'))}" for name in columns)
    labels = session.createDataFrame(packed.flatMap(partial(_answers, said, model, sent)), schema)
    return SparkAnswers(model, annotators, params, best.sums, tuple(best.trace), best.converged, labels)


def sweep_over(context: Any, model: Any, sums_of: Callable[[Work], tuple[Params, float]]) -> Sweep:
    """One pass over all tasks: parameters are sent to them, and sums come back."""

    def sweep(params: Params) -> tuple[Params, float]:
        sent = context.broadcast(params)
        try:
            return sums_of(partial(_sweep, model, sent))
        finally:
            sent.unpersist()

    return sweep


def is_chain(model: Any) -> bool:
    """Whether items follow each other."""
    return isinstance(model, EM) and model.structure == "chain"


def _selected(frame: Any, way: Way, named: Mapping[str, str | None]) -> Any:
    """The columns of the answers, under the names that their container knows."""
    main = {Ratings: "value", Comparisons: "winner"}.get(way.holds, "label")
    given = {"annotator": named.get("annotator"), way.unit: named.get("item"), main: named.get("label")}
    if way.holds is Comparisons:
        given.pop("left")
    columns = {role: require_column(role, frame.columns, find_column(role, frame.columns, given.get(role)))
               for role in way.needed}  # fmt: skip
    found = {role: find_column(role, frame.columns, given.get(role)) for role in way.more}
    there = {role: name for role, name in found.items() if name is not None and name not in columns.values()}
    columns |= _of_spans_or_tags(there) if way.holds is Sequences else there
    return frame.select(*(frame[name].alias(role) for role, name in columns.items()))


def _of_spans_or_tags(there: Mapping[str, str]) -> dict[str, str]:
    """The columns of spans, or of tags; where both seem to be there, of spans."""
    for needed in (("begin", "end", "label"), ("position", "tag")):
        if all(role in there for role in needed):
            return {role: there[role] for role in needed}
    raise InputError("spans need the columns begin, end and label, or position and tag")


def _require_apart(frame: Any) -> None:
    """Spans of one annotator that overlap make layers of all documents, which no task knows of by itself."""
    if "begin" not in frame.columns:
        return
    from pyspark.sql import Window, functions

    own = Window.partitionBy("document", "annotator").orderBy("begin", "end").rowsBetween(Window.unboundedPreceding, -1)
    marked = frame.where(frame["begin"].isNotNull())
    before = marked.withColumn("before", functions.max("end").over(own))
    twice = before.where(before["before"] > before["begin"]).limit(1).collect()
    if twice:
        raise InputError(
            f"spans of annotator {twice[0]['annotator']!r} overlap in document {twice[0]['document']!r}: on Spark they "
            "may not; fit each label by itself"
        )


def _distinct(frame: Any, role: str) -> list[Any]:
    found = [row[0] for row in frame.select(role).distinct().collect()]
    if not found:
        raise InputError("there are no votes")
    if any(one is None for one in found):
        raise InputError(f"column {role!r} is empty in some rows: leave them out first")
    return found


def _classes(frame: Any) -> Array:
    """The tags of all documents: what is not said in one is said in another."""
    if "tag" in frame.columns:
        types = {str(tag).partition("-")[2] for tag in _distinct(frame, "tag")} - {""}
    else:
        types = {str(row[0]) for row in frame.select("label").distinct().collect() if row[0] is not None}
    return Tags.of_types(sorted(types)).names


def _of_counts(model: Any, frame: Any, callback: Callable[..., object] | None) -> SparkAnswers:
    """Comparisons, counted by the cluster and fitted by the driver."""
    for role in ("annotator", "left", "right", "winner"):
        _distinct(frame, role)
    grouped = frame.groupBy("left", "right", "annotator", "winner")
    if "weight" in frame.columns:
        counted = grouped.sum("weight").withColumnRenamed("sum(weight)", "weight")
    else:
        counted = grouped.count().withColumnRenamed("count", "weight")
    made = Comparisons.from_frame(counted.toArrow())
    result = model.fit(made, callback=callback)
    table = result.to_table()
    kinds = {"item": dict(frame.dtypes)["left"], **NUMBERS}
    schema = ", ".join(f"`{name}` {kinds[name]}" for name in table.columns)
    labels = frame.sparkSession.createDataFrame(list(table.rows()), schema)
    return SparkAnswers(
        model, result.annotators, dict(result.params), dict(result.statistics), result.trace, result.converged, labels
    )


# -- on the executors -------------------------------------------------------------------------------------------------


def _packed(batches: Iterable[Any]) -> Iterator[Any]:
    """The rows of one task as one message."""
    import pyarrow as pa

    rows = [batch for batch in batches if batch.num_rows]
    if rows:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows[0].schema) as writer:
            for batch in rows:
                writer.write_batch(batch)
        yield pa.RecordBatch.from_pydict({"rows": [sink.getvalue().to_pybytes()]})


_KEPT: dict[tuple[str, int], tuple[Votes, Any]] = {}  # bound votes of this worker: a worker is used again


def _bound(said: Any, model: Any, block: tuple[bytes, int]) -> tuple[Votes, Any]:
    fit, holds, annotators, classes = said.value
    rows, number = block
    if (fit, number) not in _KEPT:
        import pyarrow as pa

        for other in [one for one in _KEPT if one[0] != fit]:  # of an earlier fit
            del _KEPT[other]
        with pa.ipc.open_stream(rows) as reader:
            votes = holds.from_frame(reader.read_all()).with_first("annotator", annotators)
        votes = votes.with_first("label", classes) if len(classes) else votes
        _KEPT[fit, number] = (votes, model.bind(votes, "auto"))
    return _KEPT[fit, number]


def _worked(said: Any, model: Any, work: Callable[[Part[Any]], Any], block: tuple[bytes, int]) -> Any:
    return work(Part(_bound(said, model, block)[1]))


def _begin(model: Any, part: Part[Any]) -> Params:
    found: Params = model.begin(part.ops)
    return found


def _weights(model: Any, part: Part[Any]) -> Array:
    return np.asarray(model.annotator_weight(part.ops))


def _first(model: Any, run: int, part: Part[Any]) -> tuple[Params, float]:
    return model.first_sums([part], None, run), 0.0


def _sweep(model: Any, sent: Any, part: Part[Any]) -> tuple[Params, float]:
    sums, evidence = model.sweep(part.ops, sent.value, None)
    return sums, float(evidence)


def _table(said: Any, model: Any, sent: Any, block: tuple[bytes, int]) -> Any:
    votes, ops = _bound(said, model, block)
    return model.as_estimate(model.infer(ops, sent.value, None), votes).rows(votes.items, votes.keys)


def _columns(said: Any, model: Any, sent: Any, block: tuple[bytes, int]) -> list[str]:
    return list(_table(said, model, sent, block).columns)


def _answers(said: Any, model: Any, sent: Any, block: tuple[bytes, int]) -> Iterator[tuple[Any, ...]]:
    rows: Iterator[tuple[Any, ...]] = _table(said, model, sent, block).rows()
    return rows
