"""Boxes: who drew which rectangles around which objects of an image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InputError
from .codes import Array
from .columns import RowNumber, encoded, is_blank, plain_numbers
from .table import Table
from .votes import Votes

SIDES = ("left", "top", "right", "bottom")
NOTHING = ""  # the label of an answer without a box: somebody looked, and saw nothing
OBJECT = "object"  # where boxes have no label


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Boxes(Votes):
    """Annotator `annotators[annotator[v]]` drew a box in the image `items[item[v]]` around a `classes[label[v]]`.

    Sides are pixels, or any unit: left < right, top < bottom. An annotator may draw several boxes in an image; who saw
    the image and drew none has a vote with the label "". The rest is as in `Votes`.

    >>> Boxes.from_columns(["i"] * 2, ["ann", "bob"], [0, 1], [0, 1], [10, 11], [5, 5], ["cat", "cat"])
    Boxes(2 votes, 1 item, 2 annotators, 1 class)
    """

    kind: ClassVar[str] = "boxes"
    codes: ClassVar[Mapping[str, str]] = {**Votes.codes, "label": "classes"}
    values: ClassVar[tuple[str, ...]] = SIDES
    told_by: ClassVar[Mapping[str, str]] = {
        "item": "item",
        "annotator": "annotator",
        "left": "left_side",
        "top": "top_side",
        "right": "right_side",
        "bottom": "bottom_side",
    }
    also_by: ClassVar[Mapping[str, str]] = {"label": "label", "weight": "weight"}

    left: Array
    top: Array
    right: Array
    bottom: Array
    label: Array
    classes: Array

    @property
    def drawn(self) -> Array:
        """Which votes are boxes: the others say that there is nothing."""
        return np.asarray(self.right > self.left)

    @property
    def sides(self) -> Array:
        """The sides of each box, (votes, 4)."""
        return np.stack([getattr(self, side) for side in SIDES], axis=1)

    def to_table(self) -> Table:
        """One row per box; who saw the image and drew none has a row without sides."""
        columns = dict(super().to_table().columns)
        return Table({**columns, **{side: np.where(self.drawn, columns[side], np.nan) for side in SIDES}})

    @classmethod
    def from_columns(
        cls,
        item: Any,
        annotator: Any,
        left: Any,
        top: Any,
        right: Any,
        bottom: Any,
        label: Any = None,
        *,
        weight: Any = None,
        row_number: RowNumber = lambda row: row,
    ) -> Self:
        """Boxes from seven columns; a row whose sides are all empty says that somebody saw nothing in the image."""
        given = dict(zip(SIDES, (np.asarray(side, object) for side in (left, top, right, bottom)), strict=True))
        blank = np.stack([is_blank(column) for column in given.values()])
        some = ~blank.all(axis=0)
        if (half := some & blank.any(axis=0)).any():
            raise InputError(f"row {row_number(int(half.argmax()))}: a box has four sides, and one of them is empty")
        numbers, rows = {side: np.zeros(some.size) for side in SIDES}, np.flatnonzero(some)
        for side, column in given.items():
            numbers[side][some] = plain_numbers(side, column[some], lambda row: row_number(int(rows[row])))
        flat = some & ((numbers["right"] <= numbers["left"]) | (numbers["bottom"] <= numbers["top"]))
        if flat.any():
            row = int(flat.argmax())
            told = ", ".join(f"{side} {numbers[side][row]:g}" for side in SIDES)
            raise InputError(f"row {row_number(row)}: the box has no area: {told}")
        names_ = np.full(some.size, OBJECT, object) if label is None else np.asarray(label, object)
        names_ = np.where(some, names_, NOTHING)
        if (unnamed := some & is_blank(names_)).any():
            raise InputError(f"row {row_number(int(unnamed.argmax()))}, column 'label': the cell is empty")
        names_ = np.array([str(name) for name in names_.tolist()], object)
        names, code = encoded({"item": item, "annotator": annotator, "label": names_}, cls.codes)
        columns: dict[str, Any] = {**names, **code, **numbers}
        return cls(**columns, weight=weight)
