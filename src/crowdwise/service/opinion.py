"""Opinion: the votes of a project that count, and what they say together."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..collect.gains import information
from ..collect.online import Online
from ..collect.pair_table import PairTable
from ..errors import DataWarning
from ..study.settle import settle
from ..votes.codes import Array
from .asked.answer import Asked, Fitted, Found, Item
from .standing import Standing
from .store import Person

SHORTLIST = 1_024


class Opinion(ABC):
    """What the votes say. Items are told by their place, the order in which they came; people by their number."""

    def __init__(self, asked: Asked):
        self.asked = asked
        self.items: list[Item] = []
        self.counts = np.zeros(0, np.int64)

    def add_items(self, items: Iterable[Item]) -> None:
        """More items to ask about."""
        self.items += items
        self.counts = np.concatenate([self.counts, np.zeros(len(self.items) - self.counts.size, np.int64)])

    @abstractmethod
    def take_people(self, people: Mapping[int, Person]) -> None:
        """Who may be asked."""

    def load(self, place: Array, there: Standing) -> None:
        """All votes that count, at the start."""
        np.add.at(self.counts, place, 1)

    def put(self, place: int, person: Person, label: str | None) -> None:
        """What somebody says of an item now, in place of what they said before; nothing takes it back."""
        self.counts[place] += (label is not None) - self._changed(place, person, label)

    @abstractmethod
    def _changed(self, place: int, person: Person, label: str | None) -> bool:
        """Put it; whether there was something before."""

    @abstractmethod
    def snapshot(self, gold: Mapping[str, str]) -> Callable[[], Found | None]:
        """A look at the votes that there are now, with what is known of items; it may take its time."""

    @abstractmethod
    def rows(self) -> Callable[[], Iterator[tuple[Any, ...]]]:
        """The votes that count now, as rows of a table, which may be made later."""


class LiveOpinion(Opinion):
    """One class for each item: estimates as votes come."""

    def __init__(self, asked: Asked):
        super().__init__(asked)
        self.live = Online(asked.classes)

    def add_items(self, items: Iterable[Item]) -> None:
        new = list(items)
        super().add_items(new)
        self.live.add_items([item.name for item in new])

    def take_people(self, people: Mapping[int, Person]) -> None:
        self.live.families = {one.name: one.family for one in people.values() if one.family}
        self.live.add_annotators([one.name for one in people.values()])
        self._code = {number: self.live._codes["annotators"][one.name] for number, one in people.items()}

    def load(self, place: Array, there: Standing) -> None:
        super().load(place, there)
        label = {name: code for code, name in enumerate(self.asked.classes)}
        who = [self._code[person] for person in there.person.tolist()]
        said = [label[str(name)] for name in there.labels]
        self.live.load(np.array([place, who, said], np.int64).reshape(3, -1))

    def _changed(self, place: int, person: Person, label: str | None) -> bool:
        pair = self.items[place].name, person.name
        before = pair in self.live
        if before:
            self.live.retract(*pair)
        if label is not None:
            self.live.add(*pair, label)
        return before

    def snapshot(self, gold: Mapping[str, str]) -> Callable[[], Found | None]:
        self.live.set_gold(gold)
        votes = self.live.snapshot() if self.live.n_votes else None
        return lambda: None if votes is None else self._look(votes)

    def _look(self, votes: Online) -> Found:
        belief, result = votes.belief(), votes.result
        unsure = -belief.posterior.max(axis=1)
        most = min(SHORTLIST, unsure.size)
        some, codes = np.argpartition(-unsure, most - 1)[:most], votes._codes["annotators"]

        def order(who: str) -> Array:
            """By what this person's vote would tell."""
            j = codes.get(who, -1)
            matrix = belief.confusion[j] if 0 <= j < len(belief.confusion) else belief.crowd
            gain = information(belief.posterior, matrix[None], some, np.zeros(some.size, np.int64))
            return np.asarray(some[np.argsort(-gain, kind="stable")])

        return Found(result, result.labels, result.confidence, order)

    def rows(self) -> Callable[[], Iterator[tuple[Any, ...]]]:
        votes = self.live.snapshot()

        def later() -> Iterator[tuple[Any, ...]]:
            table = votes.crowd.to_table()
            return zip(*(table[name].tolist() for name in self.asked.columns), strict=True)

        return later


class FittedOpinion(Opinion):
    """Answers of any other kind: all of them are fitted anew at each look."""

    def __init__(self, asked: Fitted):
        super().__init__(asked)
        self.fitted = asked
        self.said: PairTable[str] = PairTable()
        self._people: Mapping[int, Person] = {}

    def take_people(self, people: Mapping[int, Person]) -> None:
        self._people = people

    def load(self, place: Array, there: Standing) -> None:
        super().load(place, there)
        self.said = PairTable(place, there.person, [str(label) for label in there.labels])

    def _changed(self, place: int, person: Person, label: str | None) -> bool:
        before = self.said.get(place, person.id) is not None
        if label is not None:
            self.said.set(place, person.id, label)
        elif before:
            self.said.remove(place, person.id)
        return before

    def snapshot(self, gold: Mapping[str, str]) -> Callable[[], Found | None]:
        rows_of, items, counts = self.rows(), list(self.items), self.counts.copy()

        def look() -> Found | None:
            rows = list(rows_of())
            if not rows:
                return None
            with warnings.catch_warnings():  # what they say stands in the notes of later looks, or passes
                warnings.simplefilter("ignore", DataWarning)
                votes = self.fitted.votes(rows, items)
                result = settle(votes, gold=self.fitted.taught(gold, votes))
            return self.fitted.found(result, items, counts)

        return look

    def rows(self) -> Callable[[], Iterator[tuple[Any, ...]]]:
        said, items, people = self.said.copy(), list(self.items), self._people
        return lambda: self._rows(said, items, people)

    def _rows(
        self, said: PairTable[str], items: Sequence[Item], people: Mapping[int, Person]
    ) -> Iterator[tuple[Any, ...]]:
        for (place, person), label in said.items():
            yield from self.asked.rows(items[place], people[person].name, label)


def opinion_on(asked: Asked) -> Opinion:
    """What gathers the votes of a project."""
    return FittedOpinion(asked) if isinstance(asked, Fitted) else LiveOpinion(asked)
