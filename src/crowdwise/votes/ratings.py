"""Ratings: who gave which number to which item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .codes import Array
from .columns import by_name, encoded
from .frames import as_table, find_column, require_column, values_of
from .votes import Repeats, Votes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ratings(Votes):
    """Numbers: annotator `annotators[annotator[v]]` gave `value[v]` to `items[item[v]]`. The rest is as in `Votes`.

    >>> Ratings.from_columns(["a", "a", "b"], ["ann", "bob", "ann"], [3.0, 4.0, 1.0])
    Ratings(3 votes, 2 items, 2 annotators)
    """

    kind: ClassVar[str] = "ratings"
    values: ClassVar[tuple[str, ...]] = ("value",)

    value: Array

    @classmethod
    def from_columns(
        cls,
        item: Any,
        annotator: Any,
        value: Any,
        *,
        weight: Any = None,
        items: Iterable[Any] = (),
        annotators: Iterable[Any] = (),
        repeats: Repeats = "all",
        extra: Mapping[str, Any] | None = None,
        annotator_extra: Mapping[str, Any] | None = None,
        item_extra: Mapping[str, Any] | None = None,
    ) -> Self:
        """Ratings from two columns of names and one of numbers; options as in `Crowd.from_columns`."""
        names, code = encoded({"item": item, "annotator": annotator}, cls.codes)
        ratings = cls(
            **names,
            **code,
            value=value,
            weight=weight,
            extra=extra or {},
            annotator_extra=by_name(annotator_extra, "annotator", names["annotators"], code["annotator"]),
            item_extra=by_name(item_extra, "item", names["items"], code["item"]),
        )
        return ratings.once(repeats).with_first("item", items).with_first("annotator", annotators)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        item: str | None = None,
        annotator: str | None = None,
        value: str | None = None,
        **options: Any,
    ) -> Self:
        """Ratings from the rows of a pandas, polars or pyarrow frame; columns are found by their usual names."""
        table = as_table(frame)
        weight = None if "weight" in options else find_column("weight", table.columns)
        return cls.from_columns(
            values_of(table[require_column("item", table.columns, item)]),
            values_of(table[require_column("annotator", table.columns, annotator)]),
            table[require_column("value", table.columns, value)].to_numpy(),
            **({"weight": table[weight].to_numpy()} if weight else {}),
            **options,
        )
