"""What is written to tools: an item and what was said of it, or its label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.table import Table

if TYPE_CHECKING:
    from ..fit.result import Result


class Said(NamedTuple):
    """One vote, with what is known of it; None where nothing is."""

    annotator: Any
    label: Any
    machine: bool
    time: Any
    seconds: Any
    probability: Any


def items_of(crowd: Crowd) -> Iterator[tuple[Any, list[Said]]]:
    """Each item that has votes, and its votes."""
    table = crowd.to_table()

    def column(name: str) -> list[Any]:
        values = table.columns.get(name)
        if values is None:
            return [None] * crowd.n_votes
        return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124

    machine = [kind == "machine" for kind in column("kind")]
    columns = (column("annotator"), column("label"), machine, column("time"), column("seconds"), column("probability"))
    votes = [Said(*row) for row in zip(*columns, strict=True)]
    begins = np.flatnonzero(np.diff(crowd.item, prepend=-1)) if votes else np.empty(0, int)
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(votes)], strict=False):
        yield table["item"][begin : begin + 1].tolist()[0], votes[begin:end]


@dataclass(frozen=True)
class Labels:
    """Labels of items and how sure they are; None where there is no label to tell."""

    items: Array
    labels: list[Any]
    confidence: Array
    posterior: Array
    classes: Array
    model: str
    keys: Table | None = None  # what each item is, where it is more than a name

    @classmethod
    def of_result(cls, result: Result, confidence: Array | None = None, least: float = 0.0) -> Labels:
        """A result's labels, without those whose confidence (the result's, or another) is less than `least`."""
        sure = result.confidence if confidence is None else confidence
        labels = [label if tell else None for label, tell in zip(result.labels.tolist(), sure >= least, strict=True)]
        return cls(
            result.items, labels, sure, result.posterior, result.classes, f"crowdwise {result.method.name}", result.keys
        )

    @classmethod
    def of_numbers(cls, result: Result) -> Labels:
        """A result's values or scores; how sure they are is no chance, and left out."""
        found, nothing = result.estimate.columns(), np.empty(0)
        numbers = found.get("value", found.get("score"))
        assert numbers is not None
        unsure = np.full(len(numbers), np.nan)
        return cls(result.items, numbers.tolist(), unsure, nothing, nothing, f"crowdwise {result.method.name}")

    @property
    def are_numbers(self) -> bool:
        """Whether these are values or scores."""
        return not self.classes.size

    def __iter__(self) -> Iterator[tuple[Any, Any, float | None]]:
        """Item, label and confidence of those that have a label."""
        sure = [None if np.isnan(one) else one for one in self.confidence.round(6).tolist()]
        return (row for row in zip(self.items.tolist(), self.labels, sure, strict=True) if row[1] is not None)

    @cached_property
    def _by_text(self) -> dict[str, tuple[Any, float | None]]:
        return {str(item): (label, sure) for item, label, sure in self}

    def of(self, item: Any) -> tuple[Any, float | None] | None:
        """Label and confidence of an item, whether its name is a text or a number; None where there is none."""
        return self._by_text.get(str(item))
