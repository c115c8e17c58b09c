"""Crowd: who gave which label to which item. Checked once, here; nothing behind this door checks again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .codes import (
    Array,
    MissingName,
    as_names_of,
    encode_all,
    find,
    names_array,
    natural_order,
    shown,
    smallest_int,
    stable_sort,
)
from .errors import InputError
from .table import Table

Repeats = Literal["all", "last", "error"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Crowd:
    """Votes as codes and the names behind them: frozen, sorted by item, in the smallest integer types that fit.

    Vote `v` says that annotator `annotators[annotator[v]]` gave `classes[label[v]]` to `items[item[v]]`, and counts
    `weight[v]` times (once, where there are no weights). Names may have no votes: an item nobody labelled, a class
    nobody used. `extra` holds further columns of the votes, `annotator_extra` of the annotators, `dropped` how many
    votes were left out at the door, by reason.

    >>> crowd = Crowd.from_triples([("i1", "ann", "cat"), ("i1", "bob", "dog"), ("i2", "ann", "dog")])
    >>> crowd
    Crowd(3 votes, 2 items, 2 annotators, 2 classes)
    >>> crowd.label.tolist(), crowd.classes.tolist()
    ([0, 1, 1], ['cat', 'dog'])
    """

    item: Array
    annotator: Array
    label: Array
    items: Array
    annotators: Array
    classes: Array
    weight: Array | None = None
    extra: Mapping[str, Array] = field(default_factory=dict)
    annotator_extra: Mapping[str, Array] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = {"item": self.items, "annotator": self.annotators, "label": self.classes}
        for column, behind in names.items():
            code = np.asarray(getattr(self, column))
            if code.shape != np.shape(self.label):
                raise InputError(f"{column}: {code.size} codes for {np.size(self.label)} votes")
            if code.size and not 0 <= code.min() <= code.max() < len(behind):
                raise InputError(f"{column}: codes must lie in 0..{len(behind) - 1}")
        for axis in ("items", "annotators", "classes"):
            behind = names_array(getattr(self, axis)).view()
            behind.flags.writeable = False
            object.__setattr__(self, axis, behind)
        for name, values in self.extra.items():
            if len(values) != len(self.label):
                raise InputError(f"column {name!r}: {len(values)} values for {len(self.label)} votes")
        for name, values in self.annotator_extra.items():
            if len(values) != len(self.annotators):
                raise InputError(f"column {name!r}: {len(values)} values for {len(self.annotators)} annotators")
        moved = stable_sort(np.asarray(self.item))
        if moved is not None:
            object.__setattr__(self, "item", moved[0])

        def settle(values: Array, dtype: Any = None, sort: bool = True) -> Array:
            values = np.asarray(values)[moved[1]] if sort and moved is not None else np.asarray(values)
            values = np.ascontiguousarray(values, dtype).view()
            values.flags.writeable = False
            return values

        for column, behind in names.items():
            sorted_already = column == "item"
            code = settle(getattr(self, column), smallest_int(len(behind)), not sorted_already)
            object.__setattr__(self, column, code)
        if self.weight is not None:
            object.__setattr__(self, "weight", settle(_checked_weight(self.weight, self.label.size), np.float64))
        object.__setattr__(self, "extra", {name: settle(column) for name, column in self.extra.items()})

    # -- doors ----------------------------------------------------------------------------------------------------

    @classmethod
    def from_columns(
        cls,
        item: Any,
        annotator: Any,
        label: Any,
        *,
        weight: Any = None,
        items: Iterable[Any] = (),
        annotators: Iterable[Any] = (),
        classes: Iterable[Any] | None = None,
        no_vote: Collection[Any] = (),
        repeats: Repeats = "all",
        extra: Mapping[str, Any] | None = None,
        annotator_extra: Mapping[str, Any] | None = None,
    ) -> Crowd:
        """Votes from three columns of names.

        `items` and `annotators` add names that may have no votes; `classes` lists all classes in their order. A label
        in `no_vote` ("don't know") is no vote; None or "" in it lets cells of the label be empty. Where an annotator
        votes on an item again, all votes count (`repeats` "all"), the last one does ("last"), or it is an error
        ("error"). `annotator_extra` has one value a vote too, the same for all votes of an annotator.
        """
        may_be_empty = any(name is None or (isinstance(name, str) and not name) for name in no_vote)
        no_vote = [name for name in no_vote if name is not None]
        coded = {}
        columns = {"item": item, "annotator": annotator, "label": label}
        coding = encode_all(columns, missing_ok={"label"} if may_be_empty else set())
        for name in columns:
            try:
                coded[name] = coding[name]()
            except MissingName as missing:
                raise InputError(f"column {name!r}, row {missing.position}: the cell is empty") from None
            except InputError as error:
                raise InputError(f"column {name!r} {error}") from error
        if len({codes.size for _, codes in coded.values()}) > 1:
            sizes = ", ".join(f"{name} {codes.size}" for name, (_, codes) in coded.items())
            raise InputError(f"the columns differ in length: {sizes}")
        kept = coded["label"][1] >= 0

        def of_votes(column: Any) -> Array:
            return np.asarray(column) if kept.all() else np.asarray(column)[kept]

        crowd = cls(
            item=of_votes(coded["item"][1]),
            annotator=of_votes(coded["annotator"][1]),
            label=of_votes(coded["label"][1]),
            items=coded["item"][0],
            annotators=coded["annotator"][0],
            classes=coded["label"][0],
            weight=None if weight is None else of_votes(_checked_weight(weight, kept.size)),
            extra={name: of_votes(column) for name, column in (extra or {}).items()},
            annotator_extra=_by_annotator(annotator_extra, coded["annotator"]),
            dropped={} if kept.all() else {"no vote": int((~kept).sum())},
        )
        crowd = crowd._without(no_vote).once(repeats)
        return crowd.with_names(items=items, annotators=annotators).with_classes(classes)

    @classmethod
    def from_triples(cls, triples: Iterable[tuple[Any, Any, Any]], **options: Any) -> Crowd:
        """Votes from (item, annotator, label) triples; options as in `from_columns`."""
        columns = [list(column) for column in zip(*triples, strict=True)]
        if not columns:
            raise InputError("there are no votes")
        return cls.from_columns(*columns, **options)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        item: str | None = None,
        annotator: str | None = None,
        label: str | None = None,
        weight: str | None = None,
        probability: str | None = None,
        extra: Collection[str] = (),
        annotator_extra: Collection[str] = (),
        **options: Any,
    ) -> Crowd:
        """Votes from the rows of a pandas, polars or pyarrow frame.

        Columns not named here are found by their usual names (task, worker, answer ...). An ordered categorical (or
        Enum) label column gives the classes and their order. A column of probabilities makes votes soft
        (`crowdwise.soften`). Further options as in `from_columns`.

        >>> import pyarrow
        >>> Crowd.from_frame(pyarrow.table({"task": [1, 1], "worker": ["a", "b"], "label": ["x", "y"]}))
        Crowd(2 votes, 1 items, 2 annotators, 2 classes)
        """
        from .frames import vote_columns
        from .soft import soften

        repeats = options.pop("repeats", "all")
        columns = vote_columns(frame, item, annotator, label, weight, probability, extra, annotator_extra, options)
        crowd = cls.from_columns(**columns)
        soft = soften(crowd) if "probability" in crowd.extra and "probability" not in extra else crowd
        return soft.once(repeats)

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, items: Iterable[Any] | None = None, annotators: Iterable[Any] | None = None, **options: Any
    ) -> Crowd:
        """Votes from an (items, annotators) matrix of labels; NaN, None and -1 are no votes.

        >>> Crowd.from_matrix([[0, 1, -1], [1, 1, 1]]).summary()["votes"]
        5
        """
        if hasattr(matrix, "index") and hasattr(matrix, "columns"):  # a pandas frame names its rows and columns
            items = matrix.index.tolist() if items is None else items
            annotators = matrix.columns.tolist() if annotators is None else annotators
        cells = matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix, object)
        if cells.ndim != 2:
            raise InputError(f"a matrix has two axes, items and annotators; this has {cells.ndim}")
        row, column = np.nonzero(~_is_no_vote(cells))
        labels = names_array(cells[row, column])
        if labels.dtype.kind == "f" and (labels == np.round(labels)).all():
            labels = labels.astype(np.int64)  # integers became floats only to make room for NaN
        items = names_array(np.arange(cells.shape[0]) if items is None else items)
        annotators = names_array(np.arange(cells.shape[1]) if annotators is None else annotators)
        if (len(items), len(annotators)) != cells.shape:
            raise InputError(f"the matrix is {cells.shape}, the names are {(len(items), len(annotators))}")
        return cls.from_columns(items[row], annotators[column], labels, items=items, annotators=annotators, **options)

    @classmethod
    def from_mapping(cls, votes: Mapping[Any, Mapping[Any, Any]], **options: Any) -> Crowd:
        """Votes from `{item: {annotator: label}}`.

        >>> Crowd.from_mapping({"i1": {"ann": "cat", "bob": "cat"}, "i2": {}})
        Crowd(2 votes, 2 items, 2 annotators, 1 classes)
        """
        triples = [(item, annotator, label) for item, row in votes.items() for annotator, label in row.items()]
        return cls.from_triples(triples, **{"items": list(votes), **options})

    # -- counts ---------------------------------------------------------------------------------------------------

    @property
    def n_votes(self) -> int:
        """Number of votes."""
        return self.label.size

    @property
    def n_items(self) -> int:
        """Number of items, those without votes included."""
        return len(self.items)

    @property
    def n_annotators(self) -> int:
        """Number of annotators, those without votes included."""
        return len(self.annotators)

    @property
    def n_classes(self) -> int:
        """Number of classes, those nobody used included."""
        return len(self.classes)

    @cached_property
    def n_repeated(self) -> int:
        """How many votes repeat an annotator's earlier vote on the same item."""
        pair = np.sort(self._pair())
        return int((pair[1:] == pair[:-1]).sum())

    def annotator_weight(self) -> Array:
        """How many votes each annotator gave, by weight."""
        return np.bincount(self.annotator, self.weight, self.n_annotators).astype(float)

    def summary(self) -> dict[str, Any]:
        """Sizes, what is odd about them, and what was left out."""
        per_item = np.bincount(self.item, minlength=self.n_items)
        per_annotator = np.bincount(self.annotator, minlength=self.n_annotators)
        return {
            "votes": self.n_votes,
            "items": self.n_items,
            "annotators": self.n_annotators,
            "classes": self.n_classes,
            "votes per item": round(float(per_item.mean()), 3) if self.n_items else 0.0,
            "votes per annotator": round(float(per_annotator.mean()), 3) if self.n_annotators else 0.0,
            "repeated votes": self.n_repeated,
            "items without votes": int((per_item == 0).sum()),
            "annotators without votes": int((per_annotator == 0).sum()),
            "classes without votes": int((np.bincount(self.label, minlength=self.n_classes) == 0).sum()),
            **{f"dropped: {reason}": count for reason, count in self.dropped.items()},
        }

    # -- other crowds made of this one ----------------------------------------------------------------------------

    def subset(self, *, items: Any = None, annotators: Any = None) -> Crowd:
        """The crowd of some items and some annotators, given by name; the other names and their votes are gone."""
        crowd = self
        for axis, code, chosen in (("items", "item", items), ("annotators", "annotator", annotators)):
            if chosen is not None:
                crowd = crowd._only(axis, code, names_array(chosen))
        return crowd

    def _only(self, axis: str, code: str, chosen: Array) -> Crowd:
        names = getattr(self, axis)
        position = find(chosen, names)
        if (position < 0).any():
            raise InputError(f"{code} {shown(chosen[position < 0][0])} is not in this crowd")
        keep = np.zeros(len(names), bool)
        keep[position] = True
        crowd = self.take(keep[getattr(self, code)])
        rank = np.cumsum(keep) - 1
        columns = {} if axis == "items" else {name: column[keep] for name, column in self.annotator_extra.items()}
        return replace(
            crowd,
            **{axis: names[keep], code: rank[getattr(crowd, code)]},
            annotator_extra=columns or self.annotator_extra,
        )

    def relabel(self, mapping: Mapping[Any, Any]) -> Crowd:
        """Classes renamed or merged; votes for a class that is mapped to None are dropped and counted.

        >>> crowd = Crowd.from_triples([(1, "a", "cat"), (1, "b", "kitten"), (2, "a", "?")])
        >>> crowd.relabel({"kitten": "cat", "?": None}).summary()["dropped: relabelled"]
        1
        """
        code = find(names_array(list(mapping)), self.classes)
        if (code < 0).any():
            raise InputError(f"class {list(mapping)[int((code < 0).argmax())]!r} is not in this crowd")
        renamed = self.classes.tolist()
        for old, new in zip(code.tolist(), mapping.values(), strict=True):
            renamed[old] = new
        names = list(dict.fromkeys(name for name in renamed if name is not None))  # in their order, merged ones once
        table = np.array([-1 if name is None else names.index(name) for name in renamed])
        crowd = self.take((table >= 0)[self.label], "relabelled")
        return replace(crowd, label=table[crowd.label], classes=names_array(names))

    def with_weight(self, weight: Any) -> Crowd:
        """The same votes, each counting `weight[v]` times; None makes them all count once."""
        return replace(self, weight=weight)

    def counted(self) -> Crowd:
        """Without votes that weigh nothing."""
        return self if self.weight is None or self.weight.all() else self.take(self.weight > 0.0)

    def with_names(
        self, *, items: Iterable[Any] = (), annotators: Iterable[Any] = (), classes: Iterable[Any] = ()
    ) -> Crowd:
        """The same votes among more names; new ones come last, their annotator columns empty."""
        changes: dict[str, Any] = {}
        for axis, more in {"items": items, "annotators": annotators, "classes": classes}.items():
            names, extra = getattr(self, axis), names_array(more)
            if extra.size and (new := extra[find(extra, names) < 0]).size:
                added = dict.fromkeys(as_names_of(names, new).tolist())
                changes[axis] = names_array([*names.tolist(), *added])
        if "annotators" in changes:
            nothing = [None] * (len(changes["annotators"]) - self.n_annotators)
            changes["annotator_extra"] = {
                name: np.concatenate([column.astype(object), nothing]) for name, column in self.annotator_extra.items()
            }
        return replace(self, **changes) if changes else self

    def to_table(self) -> Table:
        """A row a vote: item, annotator, label, weight where there are weights, and the extra columns."""
        weight = {} if self.weight is None else {"weight": self.weight}
        names = {
            "item": self.items[self.item],
            "annotator": self.annotators[self.annotator],
            "label": self.classes[self.label],
        }
        of_annotators = {name: column[self.annotator] for name, column in self.annotator_extra.items()}
        return Table({**names, **weight, **self.extra, **of_annotators})

    def to_frame(self, backend: str = "pyarrow") -> Any:
        """`to_table` as a "pyarrow", "pandas" or "polars" frame."""
        return self.to_table().to_frame(backend)

    def __repr__(self) -> str:
        return (
            f"Crowd({self.n_votes} votes, {self.n_items} items, "
            f"{self.n_annotators} annotators, {self.n_classes} classes)"
        )

    # -- inside ---------------------------------------------------------------------------------------------------

    def _pair(self) -> Array:
        return self.item.astype(np.int64) * self.n_annotators + self.annotator

    def take(self, keep: Array, reason: str | None = None) -> Crowd:
        """Some votes, by a mask or by their places, all names kept; what goes is counted under `reason`."""
        gone = self.n_votes - int(keep.sum()) if keep.dtype == bool else None
        if gone == 0:
            return self
        dropped = {reason: self.dropped.get(reason, 0) + gone} if reason and gone else {}
        return replace(
            self,
            item=self.item[keep],
            annotator=self.annotator[keep],
            label=self.label[keep],
            weight=None if self.weight is None else self.weight[keep],
            extra={name: column[keep] for name, column in self.extra.items()},
            dropped={**self.dropped, **dropped},
        )

    def _without(self, no_vote: Collection[Any]) -> Crowd:
        wanted = find(self.classes, names_array(list(no_vote))) < 0 if no_vote else np.ones(self.n_classes, bool)
        if wanted.all():
            return self
        crowd, rank = self.take(wanted[self.label], "no vote"), np.cumsum(wanted) - 1
        return replace(crowd, label=rank[crowd.label], classes=self.classes[wanted])

    def once(self, repeats: Repeats = "last") -> Crowd:
        """The last vote of each annotator on each item; or all, or an error where there are several (`repeats`)."""
        if repeats not in ("all", "last", "error"):
            raise InputError(f"repeats={repeats!r}: choose 'all', 'last' or 'error'")
        if repeats == "all" or not self.n_repeated:
            return self
        pair = self._pair()
        order = np.argsort(pair, kind="stable")
        followed = pair[order][:-1] == pair[order][1:]
        if repeats == "error":
            vote = order[:-1][followed][0]
            item, annotator = self.items[self.item[vote]], self.annotators[self.annotator[vote]]
            raise InputError(
                f"annotator {shown(annotator)} voted on item {shown(item)} more than once; repeats='last' keeps one"
            )
        keep = np.ones(self.n_votes, bool)
        keep[order[:-1][followed]] = False
        return self.take(keep, "repeated")

    def with_classes(self, classes: Iterable[Any] | None) -> Crowd:
        """The classes in the given order, or in the order that a person expects."""
        names = self.classes[natural_order(self.classes)] if classes is None else names_array(classes)
        code = find(self.classes, names)
        if (code < 0).any():
            raise InputError(f"label {shown(self.classes[code < 0][0])} is not among the classes {names.tolist()}")
        if len(set(names.tolist())) < len(names):
            raise InputError(f"the classes {names.tolist()} repeat a name")
        same = len(names) == self.n_classes and (code == np.arange(self.n_classes)).all()
        return self if same else replace(self, classes=names, label=code[self.label])


def _is_no_vote(cells: Array) -> Array:
    """Where a matrix holds NaN, None or -1."""
    if cells.dtype.kind == "O":
        import pyarrow as pa
        import pyarrow.compute as pc

        empty = np.frompyfunc(lambda cell: type(cell) in (int, float) and cell == -1, 1, 1)(cells).astype(bool)
        flat = [None if minus else cell for cell, minus in zip(cells.ravel(), empty.ravel(), strict=True)]
        return np.asarray(pc.is_null(pa.array(flat, from_pandas=True))).reshape(cells.shape)
    return np.isnan(cells) | (cells == -1) if cells.dtype.kind in "if" else np.zeros(cells.shape, bool)


def _checked_weight(weight: Any, n_votes: int) -> Array:
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


def _by_annotator(columns: Mapping[str, Any] | None, coded: tuple[Array, Array]) -> dict[str, Array]:
    """One value an annotator from one value a vote; refuses a column that is not a property of the annotator."""
    names, code = coded
    out = {}
    for name, column in (columns or {}).items():
        values = np.asarray(column)
        first = np.full(len(names), -1)
        first[code[::-1]] = np.arange(code.size)[::-1]
        differs = values != values[first][code]
        if differs.any():
            who = names[code[int(differs.argmax())]]
            raise InputError(
                f"column {name!r}: annotator {shown(who)} has several values, so it is no annotator column"
            )
        out[name] = values[first]
    return out
