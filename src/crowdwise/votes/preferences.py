"""Preferences: pairs of answers to prompts, and which of the two annotators prefer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from ..errors import InputError, how_many
from .codes import Array, names_array
from .crowd import Crowd
from .keyed import hashed

SIDES = ("first", "second")


class Preferences(NamedTuple):
    """Each pair once, and the votes on it.

    prompt, first, second: one row per pair; texts, or lists of messages. Which answer is called first depends on its
    words only, so that it tells nothing. crowd: pairs are items, by number, and votes name "first" or "second".

    >>> made = Preferences.of(["2 + 2?", "2 + 2?"], ["4", "5"], ["5", "4"], ["ann", "bob"])[0]
    >>> made.crowd, len(set(made.crowd.label.tolist()))
    (Crowd(2 votes, 1 item, 2 annotators, 2 classes), 2)
    """

    prompt: Array
    first: Array
    second: Array
    crowd: Crowd

    @classmethod
    def of(
        cls, prompt: Sequence[Any], chosen: Sequence[Any], rejected: Sequence[Any], annotator: Sequence[Any]
    ) -> tuple[Self, list[str]]:
        """Preferences from four columns, and what was left out."""
        sizes = {len(column) for column in (prompt, chosen, rejected, annotator)}
        if len(sizes) > 1:
            raise InputError(f"the columns of preferences differ in length: {sorted(sizes)}")
        asked, better, worse = (hashed(names_array([text_of(cell) for cell in column])) for column in
                                (prompt, chosen, rejected))  # fmt: skip
        told, notes = better != worse, []
        if not told.all():
            notes.append(f"{how_many(int((~told).sum()), 'preferences')} left out: chosen and rejected are the same")
        if not told.any():
            raise InputError("there is no preference in it: chosen and rejected are the same everywhere")
        as_given = better < worse
        keys = np.stack([asked, np.minimum(better, worse), np.maximum(better, worse)], axis=1)[told]
        _, first_row, code = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first_row)  # pairs as they first appear
        pair, begin = np.argsort(order)[code.ravel()], np.flatnonzero(told)[first_row[order]]
        one, other, question = (cells(column) for column in (chosen, rejected, prompt))
        crowd = Crowd.from_columns(
            pair,
            names_array(list(annotator))[told],
            names_array(np.where(as_given[told], *SIDES)),
            items=np.arange(len(begin)),
            classes=SIDES,
        )
        turned = ~as_given[begin]
        first, second = one[begin], other[begin]
        first[turned], second[turned] = other[begin][turned], one[begin][turned]
        return cls(question[begin], first, second, crowd), notes


def cells(column: Sequence[Any]) -> Array:
    """An array of whatever the cells are, lists too."""
    made = np.empty(len(column), object)
    made[:] = list(column)
    return made


def text_of(cell: Any) -> str:
    """What tells cells apart: a text, or messages as JSON."""
    return cell if isinstance(cell, str) else json.dumps(cell, sort_keys=True, ensure_ascii=False, default=str)
