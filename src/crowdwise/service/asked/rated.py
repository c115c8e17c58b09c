"""A number on a scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, OptionError
from ...fit.estimates import Values
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.ratings import Ratings
from ...votes.votes import Votes
from .answer import Fitted, Found, Item, Row, by_gain, by_place

LEVEL = 0.9  # of the intervals that are told


class Rated(Fitted):
    """How much, from the lower to the upper end of a scale, in steps; a step of 0 takes every number between."""

    kind: ClassVar[str] = "ratings"
    columns: ClassVar[tuple[str, ...]] = ("item", "annotator", "value")
    needs_classes: ClassVar[bool] = False
    audited: ClassVar[bool] = False

    def __init__(self, settings: Any):
        super().__init__(settings)
        self.low, self.high, self.step = (float(number) for number in settings.get("scale", (1.0, 5.0, 1.0)))
        if not self.low < self.high or self.step < 0.0 or self.step > self.high - self.low:
            raise OptionError(
                f"--scale {self.low:g},{self.high:g},{self.step:g}: the lower end, the upper end, and a step between"
            )
        steps = (self.high - self.low) / self.step if self.step else 0.0
        if abs(steps - round(steps)) > 1e-6:
            raise OptionError(f"--scale {self.low:g},{self.high:g},{self.step:g}: no step ends at {self.high:g}")

    def kept(self, said: Any, item: Item) -> str:
        try:
            number = np.nan if isinstance(said, bool) else float(said)
        except (TypeError, ValueError, OverflowError):
            number = np.nan
        steps = (number - self.low) / self.step if self.step else 0.0
        if not self.low <= number <= self.high or abs(steps - round(steps)) > 1e-6:
            of = f" in steps of {self.step:g}" if self.step else ""
            raise InputError(f"{said!r} is no number from {self.low:g} to {self.high:g}{of}")
        return f"{round(self.low + round(steps) * self.step, 10) + 0.0:.10g}" if self.step else f"{number:.10g}"

    def asks(self) -> dict[str, Any]:
        return {"kind": self.kind, "classes": [], "low": self.low, "high": self.high, "step": self.step}

    def rows(self, item: Item, who: str, kept: str) -> Iterator[tuple[Any, ...]]:
        yield item.name, who, float(kept)

    def said_in(self, votes: Votes) -> Iterator[tuple[Item, str, Any]]:
        table = votes.to_table()
        for name, who, value in zip(*(table[column].tolist() for column in self.columns), strict=True):
            yield Item(str(name)), str(who), value

    def votes(self, rows: Sequence[tuple[Any, ...]], items: Sequence[Item]) -> Votes:
        return Ratings.from_columns(*map(list, zip(*rows, strict=True)))

    def taught(self, gold: Mapping[str, str], votes: Votes) -> Mapping[Any, Any] | None:
        there = set(votes.items.tolist())
        return {item: float(value) for item, value in gold.items() if item in there} or None

    def found(self, result: Result, items: Sequence[Item], counts: Array) -> Found:
        assert isinstance(result.estimate, Values)
        place, mean, sd = by_place(items, result.items), result.estimate.mean, result.estimate.sd
        spreads = [f" ± {one:.2g}" if np.isfinite(one) else "" for one in sd.tolist()]
        labels = np.array([f"{mean[at]:.3g}{spreads[at]}" if at >= 0 else None for at in place.tolist()], object)
        spread = np.where(place >= 0, sd[place], np.inf)
        return Found(result, labels, np.full(len(items), np.nan), by_gain(spread**2 / (1.0 + counts)), spread)

    def answers(self, result: Result) -> Iterable[Row]:
        assert isinstance(result.estimate, Values)
        low, high = (np.clip(end, self.low, self.high) for end in result.estimate.interval(LEVEL))
        columns = (result.items, result.estimate.mean, result.estimate.sd, low, high)
        for item, *numbers in zip(*(column.tolist() for column in columns), strict=True):
            yield {"item": str(item)} | dict(zip(("value", "sd", "low", "high"), map(six_digits, numbers), strict=True))

    def decided(self, item: Item, kept: str) -> Iterable[Row]:
        yield {"item": item.name, "value": float(kept), "sd": 0.0, "low": float(kept), "high": float(kept)}


def six_digits(number: float) -> float | None:
    """A number as it is written down; None where it is none."""
    return float(f"{number:.6g}") if np.isfinite(number) else None
