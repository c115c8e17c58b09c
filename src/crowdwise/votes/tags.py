"""Tags of tokens, and the spans that they stand for: B-PER begins a span, I-PER goes on with it, O is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from .chained import Order
from .codes import Array, names_array

OUTSIDE = "O"
MARKED = re.compile(r"^([BIESLUM])-(.+)$")
AS_BIO = {"B": "B", "U": "B", "S": "B", "I": "I", "E": "I", "L": "I", "M": "I"}  # other schemes, read as BIO


class Spans(NamedTuple):
    """First and last place (of an `Order`) of each span, and its type, a code of `Tags.types`."""

    first: Array
    last: Array
    type: Array


@dataclass(frozen=True, eq=False)
class Tags:
    """The tags of a tagging, by code: O, and B- and I- of each type; or plain tags, of which each stands for itself.

    >>> tags = Tags.of(["I-PER", "O", "B-LOC"])
    >>> tags.names.tolist(), tags.types
    (['O', 'B-LOC', 'I-LOC', 'B-PER', 'I-PER'], ('LOC', 'PER'))
    """

    names: Array

    @classmethod
    def of(cls, said: Sequence[str]) -> Tags:
        """The tags that there are, with those that belong to them."""
        there = sorted({str(tag) for tag in said})
        marks = [MARKED.match(tag) for tag in there if tag != OUTSIDE]
        if marks and all(marks):
            types = sorted({mark[2] for mark in marks if mark})
            return cls.of_types(types)
        return cls(names_array([OUTSIDE, *(tag for tag in there if tag != OUTSIDE)] if OUTSIDE in there else there))

    @classmethod
    def of_types(cls, types: Sequence[str]) -> Tags:
        """O, and B- and I- of each type."""
        return cls(names_array([OUTSIDE, *(f"{mark}-{name}" for name in types for mark in "BI")]))

    @cached_property
    def paired(self) -> bool:
        """Whether types have a B- and an I-."""
        inner = [name for name in self.names.tolist() if name != OUTSIDE]
        return bool(inner) and all(MARKED.match(str(name)) for name in inner)

    @cached_property
    def types(self) -> tuple[str, ...]:
        """What spans are of."""
        inner = (str(name) for name in self.names.tolist() if name != OUTSIDE)
        return tuple(dict.fromkeys(name[2:] if self.paired else name for name in inner))

    @cached_property
    def type(self) -> Array:
        """The type of each tag, -1 for O."""
        place = {name: code for code, name in enumerate(self.types)}
        inner = [str(name) for name in self.names.tolist()]
        return np.array([-1 if name == OUTSIDE else place[name[2:] if self.paired else name] for name in inner])

    @cached_property
    def begins(self) -> Array:
        """Which tags always begin a span."""
        return np.array([self.paired and str(name).startswith("B-") for name in self.names.tolist()], bool)

    @cached_property
    def follows(self) -> Array:
        """Which tag may follow which, (tags + 1, tags), the last row at the beginning of a chain: I-x after x only."""
        type_, inside = self.type, (self.type >= 0) & ~self.begins if self.paired else np.zeros(len(self.names), bool)
        before = np.append(type_, -1)
        return np.asarray(~inside[None, :] | (before[:, None] == type_[None, :]))

    def spans(self, tag: Array, order: Order) -> Spans:
        """The spans of tags in their order, as conlleval reads them: I-x after no x begins one too.

        >>> tags, order = Tags.of_types(["A", "B"]), Order(np.arange(6), np.array([0, 4, 6]))
        >>> tags.spans(np.array([1, 2, 1, 4, 2, 0]), order)
        Spans(first=array([0, 2, 3, 4]), last=array([1, 2, 3, 4]), type=array([0, 0, 1, 0]))
        """
        kind = self.type[tag]
        before = np.where(order.first, -1, np.concatenate([[-1], kind[:-1]]))
        starts = (kind >= 0) & (self.begins[tag] | (before != kind))
        first = np.flatnonzero(starts)
        ends = np.flatnonzero(np.append(starts | (kind < 0) | order.first, True))
        last = ends[np.searchsorted(ends, first, side="right")] - 1
        return Spans(first, last, kind[first])


def as_bio(tags: Sequence[str]) -> list[str]:
    """Tags of other schemes (BIOES, BILOU) as BIO; plain tags stay as they are.

    >>> as_bio(["S-PER", "O", "B-LOC", "E-LOC"])
    ['B-PER', 'O', 'B-LOC', 'I-LOC']
    """
    texts = ["" if tag is None else str(tag).strip() for tag in tags]
    there = {text: MARKED.match(text) for text in dict.fromkeys(texts)}
    if "" in there:
        raise InputError(f"row {texts.index('')}: the tag is empty; O is a token that belongs to no span")
    marks = [mark for text, mark in there.items() if text != OUTSIDE]
    if not marks or not all(marks):
        return texts
    plain = {text: f"{AS_BIO[mark[1]]}-{mark[2]}" if mark else text for text, mark in there.items()}
    return [plain[text] for text in texts]
