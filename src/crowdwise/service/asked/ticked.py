"""Several labels at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, OptionError
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.label_sets import SEPARATOR, LabelSets
from ...votes.votes import Votes
from .answer import Fitted, Found, Item, Row, by_gain, by_place, require_class, where_known


class Ticked(Fitted):
    """Which of the labels an item has: none, one or several."""

    kind: ClassVar[str] = "label-sets"
    columns: ClassVar[tuple[str, ...]] = ("item", "annotator", "labels")

    def __init__(self, settings: Any):
        super().__init__(settings)
        if wrong := [name for name in self.classes if SEPARATOR in name]:
            raise OptionError(f"--classes: {wrong[0]!r} has a {SEPARATOR}, which stands between labels")

    def kept(self, said: Any, item: Item) -> str:
        if isinstance(said, str):
            said = said.split(SEPARATOR) if said else []
        if not isinstance(said, list):
            raise InputError(f"{said!r} is no list of labels")
        there = {require_class(label, self.classes) for label in said}
        return SEPARATOR.join(label for label in self.classes if label in there)

    def shown(self, kept: str) -> str:
        return kept.replace(SEPARATOR, ", ") or "none"

    def rows(self, item: Item, who: str, kept: str) -> Iterator[tuple[Any, ...]]:
        yield item.name, who, kept

    def said_in(self, votes: Votes) -> Iterator[tuple[Item, str, Any]]:
        table = votes.to_table()
        for name, who, labels in zip(*(table[column].tolist() for column in self.columns), strict=True):
            yield Item(str(name)), str(who), str(labels)

    def votes(self, rows: Sequence[tuple[Any, ...]], items: Sequence[Item]) -> Votes:
        item, annotator, labels = map(list, zip(*rows, strict=True))
        return LabelSets.from_columns(item, annotator, labels, options=self.classes)

    def found(self, result: Result, items: Sequence[Item], counts: Array) -> Found:
        table = result.to_table()
        place = by_place(items, table["item"])
        told = np.array([self.kept(labels, items[0]) for labels in table["labels"].tolist()], object)
        labels = where_known(place, told)
        sure = np.where(place >= 0, table["confidence"][place], np.nan)
        return Found(result, labels, sure, by_gain((1.0 - np.nan_to_num(sure)) / (1.0 + counts)))

    def answers(self, result: Result) -> Iterable[Row]:
        for row in result.to_table().records():
            yield {**row, "item": str(row["item"]), "labels": self.kept(row["labels"], Item(str(row["item"])))}

    def decided(self, item: Item, kept: str) -> Iterable[Row]:
        yield {"item": item.name, "labels": kept, "confidence": 1.0}
