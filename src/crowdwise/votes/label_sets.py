"""Label sets: who ticked which of several labels."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InputError
from .codes import Array, encode, find, names_array, natural_order, shown
from .columns import RowNumber, encoded, listed
from .crowd import Crowd, Pieces
from .table import Table

NO, YES = "no", "yes"
SEPARATOR = "|"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelSets(Pieces):
    """Answers with several labels at once, as a yes or a no to each label that was on offer.

    Items are cells, of which keys tell the item (`of`) and the label (`option`). A label that was not ticked is a no
    only where it was on offer. As a `Crowd`, every method for classes takes the cells one by one.

    >>> made = LabelSets.from_columns(["a", "a", "b"], ["ann", "bob", "ann"], ["sun|sea", "sun", ""])
    >>> made, made.options.tolist()
    (LabelSets(6 votes, 4 items, 2 annotators, 2 classes), ['sea', 'sun'])
    """

    kind: ClassVar[str] = "label-sets"
    told_by: ClassVar[Mapping[str, str]] = {"item": "item", "annotator": "annotator", "labels": "labels"}
    also_by: ClassVar[Mapping[str, str]] = {"offered": "offered", "weight": "weight"}

    @cached_property
    def options(self) -> Array:
        """The labels."""
        names = encode(self.item_extra["option"])[0]
        return names[natural_order(names)]

    @cached_property
    def option(self) -> Array:
        """The label of each cell, as a code of `options`."""
        return find(self.item_extra["option"], self.options)

    @cached_property
    def owner(self) -> Array:
        """The item of each cell, as a code."""
        return np.asarray(encode(self.item_extra["of"])[1], np.int64)

    @classmethod
    def from_columns(  # type: ignore[override]
        cls,
        item: Any,
        annotator: Any,
        labels: Any,
        *,
        offered: Any = None,
        options: Iterable[Any] = (),
        separator: str = SEPARATOR,
        weight: Any = None,
        row_number: RowNumber = lambda row: row,
    ) -> Self:
        """Answers from three columns: labels are lists, or texts joined by `separator`; none of them is an empty text.

        offered: for each row the labels that were on offer, written alike; all that anybody ticked, and `options`, if
        it is not given.
        """
        names, code = encoded({"item": item, "annotator": annotator}, Crowd.codes)
        ticked = [_ticked(cell, separator) for cell in listed(labels)]
        if len(ticked) != code["item"].size:
            raise InputError(f"the columns differ in length: item {code['item'].size}, labels {len(ticked)}")
        there = dict.fromkeys([*(str(name) for name in options), *(name for own in ticked for name in own)])
        if offered is not None:
            offers = [_ticked(cell, separator) for cell in listed(offered)]
            there |= dict.fromkeys(name for own in offers for name in own)
        if not there:
            raise InputError("nobody ticked a label, and none is named as on offer: there is nothing to decide")
        known = names_array(list(there))
        known = known[natural_order(known)]
        place = {name: code_ for code_, name in enumerate(known.tolist())}
        said = np.zeros((len(ticked), known.size), bool)
        for place_, own in enumerate(ticked):
            said[place_, [place[name] for name in own]] = True
        open_ = np.ones_like(said)
        if offered is not None:
            open_ = np.zeros_like(said)
            for place_, own in enumerate(offers):
                open_[place_, [place[name] for name in own]] = True
            if (wrong := said & ~open_).any():
                at, label = np.argwhere(wrong)[0].tolist()
                raise InputError(
                    f"row {row_number(int(at))}: label {shown(known[label])} was not on offer for this item"
                )
        row, option = np.nonzero(open_)
        cell, key = np.unique(code["item"].astype(np.int64)[row] * known.size + option, return_inverse=True)
        of, own_option = np.divmod(cell, known.size)
        weights = None if weight is None else np.asarray(weight, float)[row]
        return cls(
            item=key,
            annotator=code["annotator"][row],
            label=said[row, option].astype(np.int64),
            items=_cell_names(names["items"][of], known[own_option]),
            annotators=names["annotators"],
            classes=names_array([NO, YES]),
            weight=weights,
            item_extra={"of": names["items"][of], "option": known[own_option]},
            keyed_by=("of", "option"),
        )

    def to_table(self) -> Table:
        """One row per answer, as they are read: item, annotator, the labels ticked, and those on offer if not all."""
        key, first, answer = np.unique(
            self.owner[self.item] * self.n_annotators + self.annotator, return_index=True, return_inverse=True
        )
        own, option = np.lexsort((self.option[self.item], answer)), self.options[self.option[self.item]]
        size, ticked = np.bincount(answer, minlength=key.size), self.label == 1

        def joined(some: Array) -> Array:
            chosen = own[some[own]]
            cuts = np.cumsum(np.bincount(answer[chosen], minlength=key.size))[:-1]
            return names_array([SEPARATOR.join(part) for part in np.split(option[chosen], cuts)])

        columns = {"item": self.item_extra["of"][self.item[first]], "annotator": self.annotators[self.annotator[first]]}
        columns["labels"] = joined(ticked)
        if (size < self.options.size).any():
            columns["offered"] = joined(np.ones(self.n_votes, bool))
        if self.weight is not None:
            columns["weight"] = self.weight[first]
        return Table({**columns, **{name: column[first] for name, column in self.extra.items()}})


def _ticked(cell: Any, separator: str) -> list[str]:
    """The labels of a cell: of a text or a list; nothing is none."""
    if cell is None or cell != cell:  # noqa: PLR0124
        return []
    if isinstance(cell, list | tuple | set | frozenset):
        return [str(one) for one in cell]
    text = str(cell).strip()
    if text[:1] in "[{(" and text[-1:] in "]})":  # a list as programs write it
        try:
            found = literal_eval(text)
        except (ValueError, SyntaxError):
            found = None
        if isinstance(found, list | tuple | set):
            return [str(one) for one in found]
    return [one.strip() for one in text.split(separator) if one.strip()]


def _cell_names(items: Array, options: Array) -> Array:
    return names_array([f"{item}:{option}" for item, option in zip(items.tolist(), options.tolist(), strict=True)])
