"""RatingMethod: what methods for ratings have in common."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import DataWarning, InputError, how_many
from ...fit.estimates import Values
from ...fit.method import Method
from ...votes.codes import Array, find, shown
from ...votes.frames import labels_by_item
from ...votes.known import KnownValues
from ...votes.ratings import Ratings


@dataclass(frozen=True, kw_only=True)
class RatingMethod(Method[Any, Values]):
    """Ratings in, a value with a standard deviation for each item out. Sums are taken over the ratings themselves."""

    takes: ClassVar[type[Ratings]] = Ratings
    gives: ClassVar[type[Values]] = Values

    def look_at(self, votes: Ratings) -> None:
        if votes.n_votes > 1 and np.ptp(votes.value) == 0.0:
            text = f"every rating is {votes.value[0]:g}: nothing tells one item from another"
            warnings.warn(text, DataWarning, stacklevel=3)

    def known(self, votes: Ratings, gold: Any, item_prior: Any) -> KnownValues | None:
        if item_prior is not None:
            raise InputError(f"{self.name} takes no item_prior")
        if gold is None:
            return None
        items, value = labels_by_item(gold)
        place = find(items, votes.items)
        try:
            numbers = value.astype(float)
        except (TypeError, ValueError) as error:
            raise InputError(f"gold of ratings must be numbers, not such as {shown(value[0])}") from error
        if not np.isfinite(numbers).all():
            wrong = shown(items[int((~np.isfinite(numbers)).argmax())])
            raise InputError(f"gold of item {wrong} is not a finite number")
        strange = place < 0
        if strange.any():
            count, first = how_many(int(strange.sum()), "items"), shown(items[strange][0])
            warnings.warn(f"gold names {count} without ratings, such as {first}; left out", DataWarning, stacklevel=3)
        found: dict[int, float] = {}
        for code, number in zip(place[~strange].tolist(), numbers[~strange].tolist(), strict=True):
            if found.setdefault(code, number) != number:
                raise InputError(f"gold has several values for item {shown(votes.items[code])}")
        item = np.array(sorted(found), np.int64)
        return KnownValues(item, np.array([found[code] for code in item.tolist()], float))

    def bind(self, votes: Ratings, engine: str) -> Any:
        if engine not in ("auto", "numpy"):
            raise InputError(f"engine {engine!r}: {self.name} runs on numpy only")
        return votes

    def as_estimate(self, found: Values, votes: Ratings) -> Values:
        return found


def weight_of(ratings: Ratings) -> Array:
    """How much each rating counts."""
    return np.ones(ratings.n_votes) if ratings.weight is None else ratings.weight


def by_item(ratings: Ratings, value: Array) -> Array:
    """Numbers of ratings, summed by item."""
    return np.bincount(ratings.item, value, ratings.n_items).astype(float)


def by_annotator(ratings: Ratings, value: Array) -> Array:
    """Numbers of ratings, summed by annotator."""
    return np.bincount(ratings.annotator, value, ratings.n_annotators).astype(float)
