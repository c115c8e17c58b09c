"""Estimates: what is found of the items, one row each. A Result holds one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from statistics import NormalDist
from typing import ClassVar, Self

import numpy as np

from ..votes.codes import Array
from ..votes.table import Table


@dataclass(frozen=True, eq=False)
class Estimate(ABC):
    """What a table, a file and the command line ask of what was found. Files hold the fields by their names."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def main(self) -> Array:
        """The numbers that two estimates are compared by, one row per item."""

    @abstractmethod
    def columns(self) -> dict[str, Array]:
        """Columns of a table, one row per item."""

    def rows(self, items: Array, keys: Table | None) -> Table:
        """What was found as a table: one row per item, with its name, and what it is where that is more than a name."""
        return Table({"item": items, **({} if keys is None else keys.columns), **self.columns()})

    def pack(self) -> dict[str, Array]:
        """Arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def unpack(cls, arrays: Mapping[str, Array]) -> Self:
        """What `pack` took apart."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})


@dataclass(frozen=True, eq=False)
class Classes(Estimate):
    """A distribution over classes for each item, the classes in their order, and the class that is chosen.

    posterior: (items, classes). chosen: codes; where ties go is the method's to say, once, here.
    """

    kind: ClassVar[str] = "classes"
    posterior: Array
    classes: Array
    chosen: Array

    @property
    def labels(self) -> Array:
        """The class of each item."""
        return self.classes[self.chosen]

    @property
    def confidence(self) -> Array:
        """The probability of each item's class."""
        return self.posterior[np.arange(len(self.chosen)), self.chosen]

    @property
    def main(self) -> Array:
        return self.posterior

    def columns(self) -> dict[str, Array]:
        return {"label": self.labels, "confidence": self.confidence}


@dataclass(frozen=True, eq=False)
class Values(Estimate):
    """A number for each item, and its standard deviation."""

    kind: ClassVar[str] = "values"
    mean: Array
    sd: Array

    @property
    def main(self) -> Array:
        return self.mean

    def columns(self) -> dict[str, Array]:
        return {"value": self.mean, "sd": self.sd}

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Ends of the interval that holds the value with this probability.

        >>> low, high = Values(np.zeros(1), np.ones(1)).interval(0.95)
        >>> round(float(high[0]), 2)
        1.96
        """
        half = NormalDist().inv_cdf(0.5 + level / 2.0) * self.sd
        return self.mean - half, self.mean + half


@dataclass(frozen=True, eq=False)
class Scores(Values):
    """As Values, on a scale whose zero means nothing: what is read off is the rank."""

    kind: ClassVar[str] = "scores"

    def columns(self) -> dict[str, Array]:
        score = np.round(self.mean, 9)  # equal scores share a rank
        rank = 1 + np.searchsorted(np.sort(-score), -score)
        return {"score": self.mean, "sd": self.sd, "rank": rank}
