"""Plan: whom to ask what next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..errors import InputError, OptionError
from ..fit.options import Natural, checked_options
from ..votes.codes import Array, names_array, shown
from ..votes.table import Table
from .gains import GAINS, Belief, item_information
from .online import Online

CHOICES = ("cover", *GAINS)
SHORTLIST = 1_024  # items of which every annotator's gain is looked at
PAIRS = 1_000_000  # as long as there are no more pairs than these
LOOKED_AT = 8  # times as many, drawn at random, from which they are taken
Choice = Literal[
    "cover", "joint", "error-reduction", "item-information", "entropy", "margin", "entropy-skill", "thompson", "ucb",
    "overlap", "random",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How questions are chosen. Everything is by name; costs are of one answer.

    choose: "cover" asks every item once, and then what tells most ("joint": of item and annotator together);
    "error-reduction", "item-information", "entropy", "margin", "entropy-skill" (the tutorial's rule), "thompson",
    "ucb", "overlap" (fewest votes first) and "random" are there too. explore: the share of questions drawn at random.
    cost: of an annotator's answer; a gain counts by its cost. capacity: how many answers an annotator gives at most,
    these votes among them. max_votes: of an item. excluded: pairs (item, annotator) that are never asked. seed: of the
    lots.

    >>> live = Online(["cat", "dog"], items=["a", "b", "c"])
    >>> live.update([("a", "ann", "cat"), ("a", "bob", "dog"), ("b", "ann", "cat")])
    3
    >>> Plan(explore=0).next_votes(live, 1).records()[0]["item"]
    'c'
    """

    choose: Choice = "cover"
    explore: float = 0.1
    max_votes: int | None = None
    cost: Mapping[Any, float] = field(default_factory=dict)
    capacity: Mapping[Any, int] = field(default_factory=dict)
    excluded: Collection[tuple[Any, Any]] = ()
    seed: Natural = 0

    def __post_init__(self) -> None:
        checked_options(Plan, {"choose": self.choose, "seed": self.seed})
        if not 0.0 <= self.explore <= 1.0:
            raise OptionError(f"explore={self.explore} must lie between 0 and 1")
        if self.max_votes is not None and self.max_votes < 1:
            raise OptionError(f"max_votes={self.max_votes} must be at least 1")
        for name, price in self.cost.items():
            if not (np.isfinite(price) and price > 0.0):
                raise InputError(f"the cost of annotator {shown(name)} is {price}: it must be above 0")
        for name, most in self.capacity.items():
            if most < 0:
                raise InputError(f"the capacity of annotator {shown(name)} is {most}: it must be at least 0")

    def next_votes(
        self, live: Online, n: int = 1, annotator: Any = None, leased: Collection[tuple[Any, Any]] = ()
    ) -> Table:
        """The next questions, best first: item, annotator, gain, cost, why; no item twice.

        annotator: somebody who is here now and asks what to do: questions are for them. leased: pairs that were handed
        out and not answered yet: they count as asked, and their items wait until no other is left. Where a family of
        annotators is known (`Online(families=...)`), one of them is asked about an item.
        """
        if n < 1:
            raise OptionError(f"n={n} must be at least 1")
        for name in (*(() if annotator is None else (annotator,)), *self.cost):  # who may be asked, and is not here yet
            if name not in live._codes["annotators"]:
                live.add_annotators([name])
        belief = live.belief()
        rng, n = np.random.default_rng([self.seed, live.n_votes]), min(n, max(len(live.items), 1))
        people = self._people(live, belief, annotator, leased)
        if not len(live.items) or not people.size:
            return _table([], [], np.empty(0), [], [])
        taken = _taken(live, leased, self.excluded)
        waiting = _leases(live, leased)
        counts = belief.item_votes + waiting
        free = np.ones(counts.size, bool) if self.max_votes is None else counts < self.max_votes
        if annotator is not None:
            free[_answered(live, int(people[0]), taken)] = False
        left = self._left(live, belief, people, leased)
        return self._chosen(live, belief, counts, free, waiting > 0, people, left, taken, n, rng)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _chosen(
        self, live: Online, belief: Belief, counts: Array, free_items: Array, waiting: Array, people: Array,
        left: Array, taken: _Taken, n: int, rng: np.random.Generator,
    ) -> Table:  # fmt: skip
        """Explored, covered and best pairs: every annotator as long as they have time, every item once."""
        open_ = np.flatnonzero(free_items & ~waiting)
        price = np.array([self.cost.get(name, 1.0) for name in live.annotators])
        free = dict(zip(people.tolist(), left.tolist(), strict=True))
        families = _families(live)
        used: set[int] = set()
        rows: list[tuple[int, int, float, str]] = []

        def take(i: int, j: int, gain: float, why: str) -> None:
            used.add(i)
            free[j] -= 1
            rows.append((i, j, gain, why))

        def may(i: int, j: int) -> bool:
            if i in used or free[j] <= 0 or (i, j) in taken:
                return False
            return not any((i, other) in taken for other in families.get(j, ()))

        explored = int(rng.binomial(n, self.explore)) if self.choose not in ("random", "overlap") else 0
        for _ in range(20 * explored):
            if len(rows) >= explored or not open_.size:
                break
            i, j = int(rng.choice(open_)), int(rng.choice(people))
            if may(i, j):
                take(i, j, 0.0, "by lot: a share of questions is drawn at random")
        name = "joint" if self.choose == "cover" else self.choose
        gain_of, words = GAINS[name]
        uncovered = open_[counts[open_] == 0] if self.choose == "cover" else np.empty(0, np.int64)
        asked = np.flatnonzero(free_items & waiting)
        for group, why in ((uncovered, "no vote yet"), (open_, words), (asked, f"handed out before; {words}")):
            if len(rows) >= n or not group.size:
                continue
            some = self._shortlist(belief, group, n, people.size, rng)
            pairs = np.repeat(some, people.size), np.tile(people, some.size)
            gain = gain_of(belief, *pairs, rng)
            order = np.lexsort((rng.random(gain.size), -gain / price[pairs[1]]))
            for place in order.tolist():
                i, j = int(pairs[0][place]), int(pairs[1][place])
                if may(i, j):
                    take(i, j, float(gain[place]), why.format(gain=gain[place]))
                    if len(rows) >= n:
                        break
        items, annotators = live.items, live.annotators
        at = [(items[i], annotators[j], gain, price[j], why) for i, j, gain, why in rows]
        columns: list[Any] = list(zip(*at, strict=True)) if at else [()] * 5
        return _table(columns[0], columns[1], np.array(columns[2], float), columns[3], columns[4])

    def _shortlist(self, belief: Belief, items: Array, n: int, n_people: int, rng: np.random.Generator) -> Array:
        """Items that are worth a closer look: by what a usual vote would tell, or by the fewest votes."""
        most = max(min(SHORTLIST, PAIRS // n_people), 4 * n)
        if items.size <= most:
            return items
        if items.size > LOOKED_AT * most:  # a look at some is as good as a look at all
            items = items[np.unique(rng.integers(items.size, size=LOOKED_AT * most))]
        if self.choose in ("overlap", "random"):
            rank = -belief.item_votes[items].astype(float) if self.choose == "overlap" else rng.random(items.size)
        else:
            rank = item_information(belief, items, items, rng)
        return items[np.argpartition(-rank, most)[:most]]

    def _people(self, live: Online, belief: Belief, annotator: Any, leased: Collection[tuple[Any, Any]]) -> Array:
        codes = live._codes["annotators"]
        if annotator is not None:
            return np.array([codes[annotator]])
        people = np.arange(len(codes))
        return people[self._left(live, belief, people, leased) > 0]

    def _left(self, live: Online, belief: Belief, people: Array, leased: Collection[tuple[Any, Any]]) -> Array:
        """How many more answers annotators may give."""
        names = live.annotators
        given = np.array(belief.annotator_votes, np.int64)
        for _, who in leased:
            if who in live._codes["annotators"]:
                given[live._codes["annotators"][who]] += 1
        most = np.array([self.capacity.get(name, np.iinfo(np.int64).max) for name in names], np.int64)
        return np.maximum(most - given, 0)[people]


def whom_to_ask(live: Online, items: Collection[Any]) -> list[Any]:
    """For each item the annotator whose vote would tell most, of those who have not voted there; None if all have."""
    belief, names = live.belief(), live.annotators
    people, found = np.arange(len(names)), []
    for item in items:
        i = live._codes["items"][item]
        gain = GAINS["joint"][0](belief, np.full(people.size, i), people, np.random.default_rng(0))
        best = next((j for j in np.argsort(-gain, kind="stable").tolist() if not live._has(i, j)), None)
        found.append(None if best is None else names[best])
    return found


class _Taken:
    """Pairs that are not asked: voted on, handed out, or excluded."""

    def __init__(self, live: Online, more: Collection[tuple[int, int]]):
        self.live, self.more = live, frozenset(more)

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return self.live._has(*pair) or pair in self.more


def _taken(live: Online, leased: Collection[tuple[Any, Any]], excluded: Collection[tuple[Any, Any]]) -> _Taken:
    codes = live._codes
    more = {(codes["items"].get(item, -1), codes["annotators"].get(who, -1)) for item, who in (*leased, *excluded)}
    return _Taken(live, more)


def _answered(live: Online, annotator: int, taken: _Taken) -> Array:
    """Items that an annotator is not asked about: they voted there, or one of their family did, or the pair is out."""
    kin = [annotator, *_families(live).get(annotator, ())]
    item, who = live._columns[:2, : live.n_votes]
    voted = item[who == annotator] if len(kin) == 1 else item[np.isin(who, kin)]
    return np.array([*voted.tolist(), *(i for i, j in taken.more if j in kin and i >= 0)], np.int64)


def _families(live: Online) -> dict[int, list[int]]:
    """The others of their family, of annotators who have one."""
    members: dict[Any, list[int]] = {}
    codes = live._codes["annotators"]
    for name, family in live.families.items():
        if name in codes and family is not None:
            members.setdefault(family, []).append(codes[name])
    return {j: [other for other in all_ if other != j] for all_ in members.values() for j in all_ if len(all_) > 1}


def _leases(live: Online, leased: Collection[tuple[Any, Any]]) -> Array:
    counts = np.zeros(max(len(live.items), 1), np.int64)
    for item, _ in leased:
        if item in live._codes["items"]:
            counts[live._codes["items"][item]] += 1
    return counts


def _table(items: Any, annotators: Any, gain: Array, cost: Any, why: Any) -> Table:
    return Table({
        "item": names_array(list(items)), "annotator": names_array(list(annotators)), "gain": gain,
        "cost": np.array(list(cost), float), "why": np.array(list(why), object),
    })  # fmt: skip
