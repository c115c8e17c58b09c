"""Crowd: who gave which label to which item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InputError
from .codes import Array, find, names_array, natural_order, shown
from .columns import by_name, checked_weight, encoded
from .frames import vote_columns
from .soft import soften
from .votes import Repeats, Votes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Crowd(Votes):
    """Votes for classes: annotator `annotators[annotator[v]]` gave `classes[label[v]]` to `items[item[v]]`.

    Everything else is as in `Votes`. The classes stand in the order that a person expects, or as they are declared.

    >>> crowd = Crowd.from_triples([("i1", "ann", "cat"), ("i1", "bob", "dog"), ("i2", "ann", "dog")])
    >>> crowd
    Crowd(3 votes, 2 items, 2 annotators, 2 classes)
    >>> crowd.label.tolist(), crowd.classes.tolist()
    ([0, 1, 1], ['cat', 'dog'])
    """

    kind: ClassVar[str] = "classes"
    codes: ClassVar[Mapping[str, str]] = {**Votes.codes, "label": "classes"}

    label: Array
    classes: Array

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
        item_extra: Mapping[str, Any] | None = None,
        keyed_by: Iterable[str] = (),
    ) -> Self:
        """Votes from three columns of names.

        `items` and `annotators` name those that may have no votes; they come first, in their order. `classes` lists all
        classes in their order. A label in `no_vote` ("don't know") is no vote; None or "" in it lets cells of the label
        be empty. Where an annotator votes on an item again, all votes count (`repeats` "all"), the last one does
        ("last"), or it is an error ("error"). `annotator_extra` and `item_extra` have one value per vote too, the same
        for all votes of an annotator or on an item; `keyed_by` names columns of the latter (see `Votes`).
        """
        may_be_empty = any(name is None or (isinstance(name, str) and not name) for name in no_vote)
        no_vote = [name for name in no_vote if name is not None]
        columns = {"item": item, "annotator": annotator, "label": label}
        names, code = encoded(columns, cls.codes, missing_ok={"label"} if may_be_empty else set())
        kept = code["label"] >= 0

        def of_votes(column: Any) -> Array:
            return np.asarray(column) if kept.all() else np.asarray(column)[kept]

        columns_: dict[str, Any] = {**names, **{column: of_votes(codes) for column, codes in code.items()}}
        crowd = cls(
            **columns_,
            weight=None if weight is None else of_votes(checked_weight(weight, kept.size)),
            extra={name: of_votes(column) for name, column in (extra or {}).items()},
            annotator_extra=by_name(annotator_extra, "annotator", names["annotators"], code["annotator"]),
            item_extra=by_name(item_extra, "item", names["items"], code["item"]),
            keyed_by=(keyed_by,) if isinstance(keyed_by, str) else tuple(keyed_by),
            dropped={} if kept.all() else {"no vote": int((~kept).sum())},
        )
        crowd = crowd.without(no_vote).once(repeats)
        return crowd.with_first("item", items).with_first("annotator", annotators).with_classes(classes)

    @classmethod
    def from_triples(cls, triples: Iterable[tuple[Any, Any, Any]], **options: Any) -> Self:
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
    ) -> Self:
        """Votes from the rows of a pandas, polars or pyarrow frame.

        Columns not named here are found by their usual names (task, worker, answer ...). An ordered categorical (or
        Enum) label column gives the classes and their order. A column of probabilities makes votes soft
        (`crowdwise.soften`). Further options as in `from_columns`.

        >>> import pyarrow
        >>> Crowd.from_frame(pyarrow.table({"task": [1, 1], "worker": ["a", "b"], "label": ["x", "y"]}))
        Crowd(2 votes, 1 item, 2 annotators, 2 classes)
        """
        repeats = options.pop("repeats", "all")
        columns = vote_columns(frame, item, annotator, label, weight, probability, extra, annotator_extra, options)
        crowd = cls.from_columns(**columns)
        soft = soften(crowd) if "probability" in crowd.extra and "probability" not in extra else crowd
        return soft.once(repeats)

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, items: Iterable[Any] | None = None, annotators: Iterable[Any] | None = None, **options: Any
    ) -> Self:
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
    def from_mapping(cls, votes: Mapping[Any, Mapping[Any, Any]], **options: Any) -> Self:
        """Votes from `{item: {annotator: label}}`.

        >>> Crowd.from_mapping({"i1": {"ann": "cat", "bob": "cat"}, "i2": {}})
        Crowd(2 votes, 2 items, 2 annotators, 1 class)
        """
        triples = [(item, annotator, label) for item, row in votes.items() for annotator, label in row.items()]
        return cls.from_triples(triples, **{"items": list(votes), **options})

    # -- classes --------------------------------------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        """Number of classes, those nobody used included."""
        return len(self.classes)

    def relabel(self, mapping: Mapping[Any, Any]) -> Self:
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
        return crowd.derive(label=table[crowd.label], classes=names_array(names))

    def with_classes(self, classes: Iterable[Any] | None) -> Self:
        """The classes in the given order, or in the order that a person expects."""
        names = self.classes[natural_order(self.classes)] if classes is None else names_array(classes)
        code = find(self.classes, names)
        if (code < 0).any():
            raise InputError(f"label {shown(self.classes[code < 0][0])} is not among the classes {names.tolist()}")
        if len(set(names.tolist())) < len(names):
            raise InputError(f"the classes {names.tolist()} repeat a name")
        same = len(names) == self.n_classes and (code == np.arange(self.n_classes)).all()
        return self if same else self.derive(classes=names, label=code[self.label])

    def joined(self, more: Any) -> Self:
        """These votes and more; where the classes stood in the order that a person expects, they do so again."""
        natural = (natural_order(self.classes) == np.arange(self.n_classes)).all()
        whole = self.extend(more)
        return whole.with_classes(None) if natural else whole

    def without(self, no_vote: Collection[Any]) -> Self:
        """Without votes that say one of these, which are no classes either; they are counted."""
        wanted = find(self.classes, names_array(list(no_vote))) < 0 if no_vote else np.ones(self.n_classes, bool)
        if wanted.all():
            return self
        crowd, rank = self.take(wanted[self.label], "no vote"), np.cumsum(wanted) - 1
        return crowd.derive(label=rank[crowd.label], classes=self.classes[wanted])


def _is_no_vote(cells: Array) -> Array:
    """Where a matrix holds NaN, None or -1."""
    if cells.dtype.kind == "O":
        import pyarrow as pa
        import pyarrow.compute as pc

        empty = np.frompyfunc(lambda cell: type(cell) in (int, float) and cell == -1, 1, 1)(cells).astype(bool)
        flat = [None if minus else cell for cell, minus in zip(cells.ravel(), empty.ravel(), strict=True)]
        return np.asarray(pc.is_null(pa.array(flat, from_pandas=True))).reshape(cells.shape)
    return np.isnan(cells) | (cells == -1) if cells.dtype.kind in "if" else np.zeros(cells.shape, bool)


class Pieces(Crowd):
    """Votes on the pieces of structured answers, which are read by the columns of their own kind."""

    @classmethod
    def from_frame(cls, frame: Any, **named: Any) -> Self:
        """Answers from the rows of a frame, as `Votes.from_frame` reads them."""
        return super(Crowd, cls).from_frame(frame, **named)
