"""Comparisons: who found which of two items better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import InputError
from .codes import Array, find, names_array, shown
from .columns import RowNumber, by_name, encoded
from .frames import as_table, find_column, require_column, values_of
from .votes import Votes

CONTEXT = "context"
EVERYBODY = "everybody"  # who answered, where a table does not tell
SIDES = ("left", "right", "tie")
SIDE_WORDS = {"left": "left", "right": "right", "a": "left", "b": "right", "model_a": "left", "model_b": "right",
              "response_a": "left", "response_b": "right", "answer_a": "left", "answer_b": "right",
              "option_a": "left", "option_b": "right"}  # fmt: skip
TIES = (
    "tie",
    "tied",
    "draw",
    "equal",
    "both",
    "neither",
    "same",
    "none",
    "",
    "tie (bothbad)",
    "bothbad",
    "both_bad",
    "both bad",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparisons(Votes):
    """Annotator `annotators[annotator[v]]` compared `items[item[v]]` (left) with `items[other[v]]` (right).

    `label` says which was better: a code of `classes`, which are left, right and tie. The rest is as in `Votes`.

    >>> made = Comparisons.from_columns(["a", "b"], ["b", "c"], ["ann", "ann"], ["left", "tie"])
    >>> made, made.won.tolist()
    (Comparisons(2 votes, 3 items, 1 annotator, 3 classes), [1.0, 0.5])
    """

    kind: ClassVar[str] = "comparisons"
    codes: ClassVar[Mapping[str, str]] = {**Votes.codes, "other": "items", "label": "classes"}
    spelt: ClassVar[Mapping[str, str]] = {"item": "left", "other": "right", "label": "winner"}

    other: Array
    label: Array
    classes: Array

    @property
    def won(self) -> Array:
        """How much the left item won: 1, 0, or one half for a tie."""
        return np.array([1.0, 0.0, 0.5])[self.label]

    def _pair(self) -> Array:
        return (self.item.astype(np.int64) * self.n_items + self.other) * self.n_annotators + self.annotator

    @classmethod
    def from_columns(
        cls,
        left: Any,
        right: Any,
        annotator: Any,
        label: Any,
        *,
        weight: Any = None,
        items: Iterable[Any] = (),
        annotators: Iterable[Any] = (),
        extra: Mapping[str, Any] | None = None,
        annotator_extra: Mapping[str, Any] | None = None,
        row_number: RowNumber = lambda row: row,
    ) -> Self:
        """Comparisons from four columns: two items, who compared them, and which was better (left, right or tie).

        row_number: how a person counts the rows, for messages.
        """
        names, code = encoded({"item": left, "other": right, "annotator": annotator}, cls.codes)
        said = names_array(label)
        side = find(said, names_array(SIDES))
        if (side < 0).any():
            row = int((side < 0).argmax())
            raise InputError(f"column 'label', row {row_number(row)}: {shown(said[row])} is not left, right or tie")
        same = code["item"] == code["other"]
        if same.any():
            row = int(same.argmax())
            raise InputError(
                f"row {row_number(row)}: item {shown(names['items'][code['item'][row]])} is compared with itself"
            )
        made = cls(
            **names,
            **code,
            label=side,
            classes=names_array(SIDES),
            weight=weight,
            extra=extra or {},
            annotator_extra=by_name(annotator_extra, "annotator", names["annotators"], code["annotator"]),
        )
        return made.with_first("item", items).with_first("annotator", annotators)

    @classmethod
    def from_rankings(cls, rankings: Iterable[Iterable[Any]], annotators: Iterable[Any], **options: Any) -> Self:
        """Comparisons of each two items of ranked lists, best first; the context says which list they are of.

        >>> Comparisons.from_rankings([["a", "b", "c"], ["b", "a"]], ["ann", "bob"]).to_table()["context"].tolist()
        [0, 0, 0, 1]
        """
        lists, names = [list(ranking) for ranking in rankings], list(annotators)
        if len(lists) != len(names):
            raise InputError(f"{len(lists)} rankings by {len(names)} annotators")
        pairs = [
            (better, worse, who, number)
            for number, (ranking, who) in enumerate(zip(lists, names, strict=True))
            for better, worse in combinations(ranking, 2)
        ]
        left, right, who, number = zip(*pairs, strict=True) if pairs else ((), (), (), ())
        extra = {"context": np.array(number, np.int64), **options.pop("extra", {})}
        return cls.from_columns(left, right, who, np.full(len(pairs), "left", object), extra=extra, **options)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        left: str | None = None,
        right: str | None = None,
        annotator: str | None = None,
        label: str | None = None,
        **options: Any,
    ) -> Self:
        """Comparisons from the rows of a frame, of any make, with the columns left, right, annotator and label.

        Other names are given by role: `from_frame(frame, left="answer_a", right="answer_b")`. What is called winner, or
        label, may also name the item that won. A column "context" tells what the comparison was about, or which list
        it is of.
        """
        table = as_table(frame)
        roles = {"left": left, "right": right, "annotator": annotator}
        one, other, who = (values_of(table[require_column(role, table.columns, name)]) for role, name in roles.items())
        weight = find_column("weight", table.columns)
        if CONTEXT in table.columns and "extra" not in options:
            options["extra"] = {CONTEXT: np.asarray(names_array(values_of(table[CONTEXT])))}
        said = names_array(values_of(table[require_column("winner", table.columns, label)]))
        return cls.from_columns(
            one,
            other,
            who,
            sides(names_array(one), names_array(other), said),
            weight=None if weight is None else table[weight].to_numpy(),
            **options,
        )


def sides(
    left: Array, right: Array, winner: Array, row_number: Callable[[int], int] = lambda place: place + 1
) -> Array:
    """Which side won each comparison, from the name of a side, of an item, or a word for a tie.

    >>> sides(np.array(["a", "a", "a"]), np.array(["b", "b", "b"]), np.array(["b", "Tie", "left"])).tolist()
    ['right', 'tie', 'left']
    """
    words = np.array([str(name).strip().casefold() for name in winner.tolist()], object)
    text = winner.astype(object)
    found = np.full(words.size, None, object)
    for word, side in {**dict.fromkeys(TIES, "tie"), **SIDE_WORDS}.items():
        found[words == word] = side
    found[text == right.astype(object)] = "right"
    found[text == left.astype(object)] = "left"
    unknown = np.array([side is None for side in found], bool)
    if unknown.any():
        row = int(unknown.argmax())
        both = f"{shown(left[row])} nor {shown(right[row])}"
        raise InputError(
            f"row {row_number(row)}: the winner {shown(winner[row])} is neither {both}, nor left, right or tie"
        )
    return found
