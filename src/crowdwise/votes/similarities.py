"""Similarities: who found which two items the same, or different."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InputError
from .codes import Array, names_array, shown
from .columns import RowNumber, by_name, encoded, listed
from .crowd import Pieces
from .votes import Votes

ANSWERS = ("different", "same")
WORDS = {
    **dict.fromkeys(("yes", "true", "1", "1.0", "same", "match", "similar", "y", "t", "duplicate"), 1),
    **dict.fromkeys(("no", "false", "0", "0.0", "different", "no match", "dissimilar", "n", "f", "distinct"), 0),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Similarities(Votes):
    """Annotator `annotators[annotator[v]]` said that `items[item[v]]` and `items[other[v]]` are the same, or different.

    `label` is a code of `classes`, which are different and same. The rest is as in `Votes`.

    >>> Similarities.from_columns(["a", "b"], ["b", "c"], ["ann", "ann"], ["yes", "no"])
    Similarities(2 votes, 3 items, 1 annotator, 2 classes)
    """

    kind: ClassVar[str] = "similarities"
    codes: ClassVar[Mapping[str, str]] = {**Votes.codes, "other": "items", "label": "classes"}
    told_by: ClassVar[Mapping[str, str]] = {"left": "left", "right": "right", "annotator": "annotator", "same": "same"}
    also_by: ClassVar[Mapping[str, str]] = {"weight": "weight"}
    spelt: ClassVar[Mapping[str, str]] = {"item": "left", "other": "right", "label": "same"}

    other: Array
    label: Array
    classes: Array

    def _pair(self) -> Array:
        low, high = np.minimum(self.item, self.other), np.maximum(self.item, self.other)
        return (low.astype(np.int64) * self.n_items + high) * self.n_annotators + self.annotator

    @property
    def same_said(self) -> Array:
        """Whether each vote says same."""
        return np.asarray(self.label == 1)

    @classmethod
    def from_columns(
        cls,
        left: Any,
        right: Any,
        annotator: Any,
        same: Any,
        *,
        weight: Any = None,
        items: Iterable[Any] = (),
        annotators: Iterable[Any] = (),
        extra: Mapping[str, Any] | None = None,
        annotator_extra: Mapping[str, Any] | None = None,
        row_number: RowNumber = lambda row: row,
    ) -> Self:
        """Similarities from four columns: two items, who looked at them, and yes or no (same or different, 1 or 0)."""
        names, code = encoded({"item": left, "other": right, "annotator": annotator}, cls.codes)
        alike = code["item"] == code["other"]
        if alike.any():
            row = int(alike.argmax())
            name = shown(names["items"][code["item"][row]])
            raise InputError(f"row {row_number(row)}: item {name} is paired with itself")
        cells = listed(same)
        said = [WORDS.get(str(cell).strip().lower(), -1) for cell in cells]
        if -1 in said:
            row = said.index(-1)
            told = shown(cells[row])
            raise InputError(f"row {row_number(row)}: {told} is neither yes nor no (same or different, 1 or 0)")
        made = cls(
            **names,
            **code,
            label=np.array(said, np.int64),
            classes=names_array(ANSWERS),
            weight=weight,
            extra=extra or {},
            annotator_extra=by_name(annotator_extra, "annotator", names["annotators"], code["annotator"]),
        )
        return made.with_first("item", items).with_first("annotator", annotators)

    @classmethod
    def from_triplets(cls, anchor: Any, near: Any, far: Any, annotator: Any) -> Self:
        """From answers that an item is more like one than like another: same with the near, different from the far one.

        Each of the two counts one half: a triplet is one answer.
        """
        one, other, third, who = (names_array(list(column)).tolist() for column in (anchor, near, far, annotator))
        said = ["same"] * len(one) + ["different"] * len(one)
        return cls.from_columns(one + one, other + third, who + who, said, weight=np.full(2 * len(one), 0.5))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Groupings(Pieces):
    """Piles: annotators put items into groups of their own, whose names mean nothing to others.

    >>> Groupings.from_columns([1, 2, 1, 2], ["ann", "ann", "bob", "bob"], ["A", "B", "left", "left"])
    Groupings(4 votes, 2 items, 2 annotators, 3 classes)
    """

    kind: ClassVar[str] = "groupings"
    told_by: ClassVar[Mapping[str, str]] = {"item": "item", "annotator": "annotator", "label": "group"}
    spelt: ClassVar[Mapping[str, str]] = {"label": "group"}
    also_by: ClassVar[Mapping[str, str]] = {"weight": "weight"}

    @classmethod
    def from_named(cls, columns: Mapping[str, Any], row_number: RowNumber = lambda row: row) -> Self:
        return cls.from_columns(**columns)
