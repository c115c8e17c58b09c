"""Texts: who wrote what of which item: transcripts, translations, answers in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from .codes import Array
from .columns import RowNumber, by_name, encoded, listed
from .votes import Repeats, Votes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Texts(Votes):
    """Annotator `annotators[annotator[v]]` wrote `texts[text[v]]` of `items[item[v]]`. The rest is as in `Votes`.

    >>> Texts.from_columns(["a", "a", "b"], ["ann", "bob", "ann"], ["good day", "a good day", ""])
    Texts(3 votes, 2 items, 2 annotators, 3 texts)
    """

    kind: ClassVar[str] = "texts"
    codes: ClassVar[Mapping[str, str]] = {**Votes.codes, "text": "texts"}
    told_by: ClassVar[Mapping[str, str]] = {"item": "item", "annotator": "annotator", "text": "text"}
    also_by: ClassVar[Mapping[str, str]] = {"weight": "weight"}

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
        row_number: RowNumber = lambda row: row,
    ) -> Self:
        """Texts from three columns; an empty text is an answer too. Options as in `Crowd.from_columns`."""
        written = np.array(["" if one is None or one != one else str(one) for one in listed(text)], object)  # noqa: PLR0124
        names, code = encoded({"item": item, "annotator": annotator, "text": written}, cls.codes)
        texts = cls(
            **names,
            **code,
            weight=weight,
            extra=extra or {},
            annotator_extra=by_name(annotator_extra, "annotator", names["annotators"], code["annotator"]),
        )
        return texts.once(repeats).with_first("item", items).with_first("annotator", annotators)
