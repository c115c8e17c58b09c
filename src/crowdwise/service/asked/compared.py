"""Which of two things is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from ...engine.comparison_sums import sigmoid
from ...errors import InputError
from ...fit.estimates import Scores
from ...fit.result import Result
from ...votes.codes import Array, find, names_array
from ...votes.comparisons import Comparisons
from ...votes.keyed import hashed
from ...votes.votes import Votes
from .answer import Fitted, Found, Item, Row, by_gain
from .rated import LEVEL, six_digits

SIDES = ("left", "right")


class Compared(Fitted):
    """Which side of a pair is better, or that there is no difference. An item is a pair; its sides are what is ranked.

    A side is shown by its name, or by what stands in "left text", "left image" or "left audio", and likewise right.
    """

    kind: ClassVar[str] = "comparisons"
    columns: ClassVar[tuple[str, ...]] = ("left", "right", "annotator", "winner")
    shows: ClassVar[tuple[str, ...]] = (
        *Fitted.shows, *SIDES, *(f"{side}_{shown}" for side in SIDES for shown in Fitted.shows),
    )  # fmt: skip
    needs_classes: ClassVar[bool] = False
    golden: ClassVar[bool] = False

    def __init__(self, settings: Any):
        super().__init__(settings)
        self.winners = (*SIDES, "tie") if settings.get("ties", True) else SIDES

    def kept(self, said: Any, item: Item) -> str:
        if said not in self.winners:
            raise InputError(f"{said!r} is none of {', '.join(self.winners)}")
        return str(said)

    def asks(self) -> dict[str, Any]:
        return {"kind": self.kind, "classes": list(self.winners)}

    def content(self, item: Item) -> Mapping[str, str]:
        """The names of the sides are not shown where something else of them is: who is compared may sway."""
        content = item.content
        blind = [side for side in SIDES if any(name.startswith(f"{side}_") for name in content)]
        return {name: value for name, value in content.items() if name not in blind}

    def require_item(self, item: Item) -> None:
        content = item.content
        left, right = (content.get(side, "") for side in SIDES)
        if not left or not right or left == right:
            raise InputError(f"item {item.name!r} is no pair: it needs left and right, two different names")

    def index(self, items: Iterable[Item]) -> dict[Any, Item]:
        return {tuple(item.content.get(side) for side in SIDES): item for item in items}

    def met(self, item: Item, said: Any, index: Mapping[Any, Item]) -> tuple[Item | None, Any]:
        """A pair is the same in whatever order its sides are named, and whatever it is called."""
        left, right = (item.content[side] for side in SIDES)
        if (left, right) in index:
            return index[left, right], said
        return index.get((right, left)), {"left": "right", "right": "left"}.get(said, said)

    def measures(self, kept: str) -> bool:
        return kept in SIDES  # that there is no difference is never believed

    def rows(self, item: Item, who: str, kept: str) -> Iterator[tuple[Any, ...]]:
        content = item.content
        yield content["left"], content["right"], who, kept

    def said_in(self, votes: Votes) -> Iterator[tuple[Item, str, Any]]:
        table = votes.to_table()
        for left, right, who, winner in zip(*(table[column].tolist() for column in self.columns), strict=True):
            yield pair_of(str(left), str(right)), str(who), str(winner)

    def votes(self, rows: Sequence[tuple[Any, ...]], items: Sequence[Item]) -> Votes:
        return Comparisons.from_columns(*map(list, zip(*rows, strict=True)))

    def found(self, result: Result, items: Sequence[Item], counts: Array) -> Found:
        assert isinstance(result.estimate, Scores)
        contents = [one.content for one in items]
        left, right = (find(names_array([one[side] for one in contents]), result.items) for side in SIDES)
        there, mean, sd = (left >= 0) & (right >= 0), result.estimate.mean, result.estimate.sd
        apart = np.where(there, mean[left] - mean[right], 0.0)
        variance = np.where(there, sd[left] ** 2 + sd[right] ** 2, np.inf)
        sure = np.where(there, ndtr(np.abs(apart) / np.sqrt(np.maximum(variance, 1e-300))), np.nan)
        labels = np.array(["left" if one > 0.0 else "right" for one in apart.tolist()], object)
        labels[~there] = None
        win = sigmoid(apart)
        return Found(result, labels, sure, by_gain(win * (1.0 - win) * variance))  # as `next_pairs` has it

    def answers(self, result: Result) -> Iterable[Row]:
        assert isinstance(result.estimate, Scores)
        low, high = result.estimate.interval(LEVEL)
        columns = {**result.estimate.columns(), "low": low, "high": high}
        for item, *numbers in zip(result.items.tolist(), *(own.tolist() for own in columns.values()), strict=True):
            yield {"item": str(item)} | dict(zip(columns, map(six_digits, numbers), strict=True))

    def decided(self, item: Item, kept: str) -> Iterable[Row]:
        return ()  # a pair is decided, and what is told is of its sides

    def of_item(self, row: Row) -> str | None:
        return None


def pair_of(left: str, right: str) -> Item:
    """A pair as an item."""
    return Item.of(f"{left} | {right}", {"left": left, "right": right})


def pairs_among(things: Sequence[Item]) -> list[Item]:
    """Pairs of things, so many that each one meets about twice log2 of them: things in a ring meet their neighbours.

    The ring is in the order of the names' hashes; the side on which a thing stands alternates.
    """
    order = np.argsort(hashed(names_array([one.name for one in things])), kind="stable").tolist()
    n, pairs = len(things), []
    for apart in range(1, min(int(np.log2(max(n, 2))) + 1, n // 2) + 1):
        for k in range(n if 2 * apart < n else n // 2):
            both = [things[order[k]], things[order[(k + apart) % n]]]
            left, right = both if (k + apart) % 2 else both[::-1]
            shown = {f"{side}_{name}": value for side, one in zip(SIDES, (left, right), strict=True)
                     for name, value in one.content.items()}  # fmt: skip
            pair = pair_of(left.name, right.name)
            pairs.append(Item.of(pair.name, {**pair.content, **shown}))
    return pairs
