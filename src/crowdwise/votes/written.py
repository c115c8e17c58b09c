"""Texts: who wrote what of which item: transcripts, translations, answers in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from .codes import Array
from .columns import by_name, encoded
from .frames import as_table, require_column, values_of
from .votes import Repeats, Votes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Texts(Votes):
    """Annotator `annotators[annotator[v]]` wrote `texts[text[v]]` of `items[item[v]]`. The rest is as in `Votes`.

    >>> Texts.from_columns(["a", "a", "b"], ["ann", "bob", "ann"], ["good day", "a good day", ""])
    Texts(3 votes, 2 items, 2 annotators, 3 texts)
    """

    kind: ClassVar[str] = "texts"
    codes: ClassVar[Mapping[str, str]] = {**Votes.codes, "text": "texts"}

    text: Array
    texts: Array

    @classmethod
    def from_columns(
        cls,
        item: Any,
        annotator: Any,
        text: Any,
        *,
        weight: Any = None,
        items: Iterable[Any] = (),
        annotators: Iterable[Any] = (),
        repeats: Repeats = "all",
        extra: Mapping[str, Any] | None = None,
        annotator_extra: Mapping[str, Any] | None = None,
    ) -> Self:
        """Texts from three columns; an empty text is an answer too. Options as in `Crowd.from_columns`."""
        written = np.array(["" if one is None or one != one else str(one) for one in _listed(text)], object)  # noqa: PLR0124
        names, code = encoded({"item": item, "annotator": annotator, "text": written}, cls.codes)
        texts = cls(
            **names,
            **code,
            weight=weight,
            extra=extra or {},
            annotator_extra=by_name(annotator_extra, "annotator", names["annotators"], code["annotator"]),
        )
        return texts.once(repeats).with_first("item", items).with_first("annotator", annotators)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        item: str | None = None,
        annotator: str | None = None,
        text: str | None = None,
        **options: Any,
    ) -> Self:
        """Texts from the rows of a frame of any make; columns are found by their usual names."""
        table = as_table(frame)
        roles = {"item": item, "annotator": annotator, "text": text}
        columns = (values_of(table[require_column(role, table.columns, name)]) for role, name in roles.items())
        return cls.from_columns(*columns, **options)


def _listed(column: Any) -> list[Any]:
    return column.tolist() if hasattr(column, "tolist") else list(column)
