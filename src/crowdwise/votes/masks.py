"""Masks: who painted which pixels of an image, as runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InputError
from .codes import Array, shown
from .columns import RowNumber, encoded, is_blank, plain_numbers
from .votes import Votes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Masks(Votes):
    """Annotator `annotators[annotator[v]]` painted the pixels `masks[mask[v]]` of the image `items[item[v]]`.

    A mask is text: "start:length start:length ..." over the pixels row by row, empty where nothing is painted. Columns
    of the items: height and width. The rest is as in `Votes`.

    >>> made = Masks.from_columns(["i", "i"], ["ann", "bob"], [2, 2], [3, 3], ["0:2 3:1", "0:2"])
    >>> made, made.pixels(0).astype(int).tolist()
    (Masks(2 votes, 1 item, 2 annotators, 2 masks), [[1, 1, 0, 1, 0, 0], [1, 1, 0, 0, 0, 0]])
    """

    kind: ClassVar[str] = "masks"
    codes: ClassVar[Mapping[str, str]] = {**Votes.codes, "mask": "masks"}
    spelt: ClassVar[Mapping[str, str]] = {"mask": "runs"}
    told_by: ClassVar[Mapping[str, str]] = {
        "item": "item",
        "annotator": "annotator",
        "height": "height",
        "width": "width",
        "runs": "runs",
    }
    also_by: ClassVar[Mapping[str, str]] = {"weight": "weight"}

    mask: Array
    masks: Array

    @classmethod
    def from_columns(
        cls,
        item: Any,
        annotator: Any,
        height: Any,
        width: Any,
        runs: Any,
        *,
        weight: Any = None,
        row_number: RowNumber = lambda row: row,
    ) -> Self:
        """Masks from five columns; all masks of an image have its height and width."""
        cells = np.asarray(runs, object)
        blank = is_blank(cells).tolist()
        texts = np.array(
            ["" if no else str(cell).strip() for cell, no in zip(cells.tolist(), blank, strict=True)], object
        )
        names, code = encoded({"item": item, "annotator": annotator, "mask": texts}, cls.codes)
        ends = (("height", height), ("width", width))
        size = np.array([plain_numbers(name, column, row_number, whole=True, least=1) for name, column in ends])
        first = np.full(len(names["items"]), -1)
        first[code["item"][::-1]] = np.arange(texts.size)[::-1]
        other = (size != size[:, first[code["item"]]]).any(axis=0)
        if other.any():
            row = int(other.argmax())
            own, its = (f"{size[0, one]} x {size[1, one]}" for one in (row, first[code["item"][row]]))
            image = shown(names["items"][code["item"][row]])
            raise InputError(f"row {row_number(row)}: a mask of image {image} is {own}, and another of it is {its}")
        made = cls(
            **names, **code, weight=weight,
            item_extra={"height": size[0, first], "width": size[1, first]},
        )  # fmt: skip
        area = size[0] * size[1]
        most = np.zeros(len(names["masks"]), np.int64)
        for place, text in enumerate(names["masks"].tolist()):
            begin, length = _runs(text)
            most[place] = int((begin + length).max(initial=0))
        if (wrong := most[code["mask"]] > area).any():
            row = int(wrong.argmax())
            end = most[code["mask"][row]]
            raise InputError(f"row {row_number(row)}: the runs end at pixel {end}, and there are {area[row]}")
        return made

    @classmethod
    def from_arrays(cls, item: Any, annotator: Any, masks: Any) -> Self:
        """Masks from arrays of pixels, (height, width) each."""
        arrays = [np.asarray(mask, bool) for mask in masks]
        shapes = [mask.shape for mask in arrays]
        height, width = ([shape[axis] for shape in shapes] for axis in (0, 1))
        return cls.from_columns(item, annotator, height, width, [runs_of(mask) for mask in arrays])

    @cached_property
    def first(self) -> Array:
        """Where the votes on each item begin, and the end."""
        return np.searchsorted(self.item, np.arange(self.n_items + 1))

    def size(self, item: int) -> tuple[int, int]:
        """Height and width of an image."""
        return int(self.item_extra["height"][item]), int(self.item_extra["width"][item])

    def pixels(self, item: int) -> Array:
        """The masks of an image as rows of pixels, (votes, pixels)."""
        height, width = self.size(item)
        rows = self.mask[self.first[item] : self.first[item + 1]]
        return np.array([pixels_of(self.masks[row], height * width) for row in rows], bool).reshape(len(rows), -1)


def pixels_of(runs: str, n: int) -> Array:
    """The pixels that runs stand for."""
    edge = np.zeros(n + 1, np.int32)
    begin, length = _runs(runs)
    np.add.at(edge, begin, 1)
    np.add.at(edge, begin + length, -1)
    return np.cumsum(edge[:-1]) > 0


def runs_of(mask: Array) -> str:
    """Pixels as runs.

    >>> runs_of(np.array([[True, True, False], [True, False, False]]))
    '0:2 3:1'
    """
    flat = np.concatenate([[0], np.asarray(mask, bool).ravel().astype(np.int8), [0]])
    edge = np.flatnonzero(np.diff(flat))
    return " ".join(f"{low}:{high - low}" for low, high in zip(edge[::2].tolist(), edge[1::2].tolist(), strict=True))


def _runs(text: str) -> tuple[Array, Array]:
    parts = [part.split(":") for part in text.split()]
    try:
        pairs = np.array([(int(begin), int(length)) for begin, length in parts], np.int64).reshape(-1, 2)
    except ValueError as error:
        raise InputError(f"{text[:40]!r} are no runs: write start:length, separated by blanks") from error
    if (pairs < 0).any():
        raise InputError(f"{text[:40]!r} are no runs: starts and lengths are not below 0")
    return pairs[:, 0], pairs[:, 1]
