"""Attributes: groups of items, or of annotators, by what is known of them beside the votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, OptionError
from .codes import Array, encode, find, names_array
from .keyed import hashed
from .votes import Votes

MOST_GROUPS = 50
NOBODY_SAID = ("None", "nan", "NaT", "<NA>", "NA", "")


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column of names: what it is called, its values in their order, and the code of each, -1 where nobody said."""

    called: str
    names: Array
    code: Array

    @property
    def hashes(self) -> Array:
        """A number for each value, by its name: what a fit keeps of the groups."""
        return hashed(self.names.astype(object)).view(np.int64)

    def among(self, hashes: Array) -> Array:
        """Where these values stand among those of a fit; one that is not there is an error."""
        place = np.asarray(find(self.hashes, hashes), np.int64)
        if (place < 0).any():
            new = self.names[place < 0][0]
            raise InputError(f"{self.called}: there was no {new!r} in the votes that were fitted")
        return place


def attribute_of_items(votes: Votes, by: Any) -> Attribute:
    """The groups of items: a column of theirs, {item: value}, or one value per item."""
    return _attribute(votes.items, votes.item_extra, by, "items")


def attribute_of_annotators(votes: Votes, by: Any) -> Attribute:
    """The groups of annotators: a column of theirs, {annotator: value}, or one value per annotator."""
    return _attribute(votes.annotators, votes.annotator_extra, by, "annotators")


def groups_of_items(votes: Votes, by: str) -> Attribute:
    """The groups of items by a column, those of which nobody said being a group of their own; one without a column."""
    if not by:
        return Attribute("all items", np.array(["all"]), np.zeros(votes.n_items, np.int64))
    found = attribute_of_items(votes, by)
    if (found.code >= 0).all():
        return found
    return Attribute(by, np.append(found.names, ""), np.where(found.code < 0, found.names.size, found.code))


def _attribute(names: Array, columns: Mapping[str, Array], by: Any, what: str) -> Attribute:
    called = by if isinstance(by, str) else "the attribute"
    if isinstance(by, str):
        if by not in columns:
            there = ", ".join(columns) or "none"
            raise OptionError(f"by={by!r}: the {what} have no such column; they have {there}")
        values = np.asarray(columns[by])
    elif isinstance(by, Mapping):
        place = find(names, names_array(list(by)))
        values = np.array([*by.values(), None], object)[place]  # -1: the last
    else:
        values = np.asarray(by)
        if values.shape != (len(names),):
            raise InputError(f"{called}: {values.size} values for {len(names)} {what}")
    text = values.astype(str)
    told = ~np.isin(text, NOBODY_SAID)
    groups, code = encode(text[told])
    if groups.size < 2:
        raise InputError(f"{called}: two groups of {what} are needed, and there is {groups.size}")
    if groups.size > MOST_GROUPS:
        raise InputError(f"{called} has {groups.size:,} values among the {what}: put them into a few groups")
    order = np.argsort(groups)
    out = np.full(len(names), -1, np.int64)
    out[told] = np.argsort(order)[np.asarray(code)]
    return Attribute(called, groups[order].astype(str), out)
