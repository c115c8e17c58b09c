"""One class for each item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from ...fit.result import Result
from ...votes.votes import Votes
from .answer import Asked, Item, Row, require_class


class OneClass(Asked):
    """Which class an item belongs to."""

    kind: ClassVar[str] = "classes"
    columns: ClassVar[tuple[str, ...]] = ("item", "annotator", "label")

    def kept(self, said: Any, item: Item) -> str:
        return require_class(said, self.classes)

    def rows(self, item: Item, who: str, kept: str) -> Iterator[tuple[Any, ...]]:
        yield item.name, who, kept

    def said_in(self, votes: Votes) -> Iterator[tuple[Item, str, Any]]:
        table = votes.to_table()
        for name, who, label in zip(*(table[column].tolist() for column in self.columns), strict=True):
            yield Item(str(name)), str(who), str(label)

    def answers(self, result: Result) -> Iterable[Row]:
        for item, label, sure in zip(result.items, result.labels, result.confidence, strict=True):
            yield {"item": str(item), "label": str(label), "confidence": round(float(sure), 6)}

    def decided(self, item: Item, kept: str) -> Iterable[Row]:
        yield {"item": item.name, "label": kept, "confidence": 1.0}
