"""Asked: one kind of answer that a project asks for: how it is checked, kept, drawn, counted and told."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from unicodedata import normalize

import numpy as np

from ...errors import InputError
from ...fit.result import Result
from ...votes.codes import Array, find, names_array
from ...votes.votes import Votes

Row = dict[str, Any]


class Item(NamedTuple):
    """What is asked about: its name, and what is shown of it, as JSON."""

    name: str
    shown: str = "{}"

    @property
    def content(self) -> dict[str, str]:
        """What is shown of it."""
        return dict(json.loads(self.shown))

    @classmethod
    def of(cls, name: str, content: Mapping[str, str]) -> Item:
        """An item by what is shown of it; lines end alike, so that places in a text are the same in every browser."""
        told = {kind: value.replace("\r\n", "\n").replace("\r", "\n") for kind, value in content.items()}
        return cls(name, json.dumps(told))


@dataclass(frozen=True)
class Found:
    """What all votes said at one look, by places of items.

    labels: answers as they are kept, None where nothing is known. sure: chances of them; NaN where they have none.
    order: the places to ask somebody about, by their name, best first. spread: standard deviations, of numbers.
    """

    result: Result
    labels: Any
    sure: Array
    order: Callable[[str], Array]
    spread: Array | None = None

    @property
    def mean(self) -> float | None:
        """The mean chance of the answers, if they have one."""
        there = self.sure[np.isfinite(self.sure)]
        return float(there.mean()) if there.size else None

    @property
    def contested(self) -> Array:
        """Places of items that have an answer, the least sure first."""
        places = np.flatnonzero(np.array([label is not None for label in self.labels], bool))
        vague = 1.0 - self.sure if self.spread is None else self.spread
        return places[np.argsort(-vague[places], kind="stable")]


class Asked(ABC):
    """What a project asks for. Answers are kept as text, the same text for the same answer."""

    kind: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    """Of the table of votes, as `crowdwise aggregate` reads it."""
    shows: ClassVar[tuple[str, ...]] = ("text", "image", "audio")
    """Columns of the table of items that are kept."""
    needs_classes: ClassVar[bool] = True
    golden: ClassVar[bool] = True
    """Whether an answer that is known stands in the export."""
    audited: ClassVar[bool] = True
    """Whether an answer is right or wrong, so that audited ones promise something."""

    def __init__(self, settings: Mapping[str, Any]):
        self.classes: list[str] = list(settings.get("classes", []))
        if self.needs_classes and not self.classes:
            raise InputError("the project has no classes: name them when it is made, with --classes")

    @abstractmethod
    def kept(self, said: Any, item: Item) -> str:
        """An answer as it is kept; an `InputError` where it is none."""

    def shown(self, kept: str) -> str:
        """An answer as a person reads it."""
        return kept

    def asks(self) -> dict[str, Any]:
        """What the page has to know to draw the question."""
        return {"kind": self.kind, "classes": self.classes}

    def content(self, item: Item) -> Mapping[str, str]:
        """What an annotator sees of an item."""
        return item.content

    def require_item(self, item: Item) -> None:  # noqa: B027 - any item will do
        """An item that can be asked about; an `InputError` where it cannot."""

    def index(self, items: Iterable[Item]) -> dict[Any, Item]:
        """Items of a project, by what answers from elsewhere are told by."""
        return {item.name: item for item in items}

    def met(self, item: Item, said: Any, index: Mapping[Any, Item]) -> tuple[Item | None, Any]:
        """The item that an answer from elsewhere is about, if it is here, and the answer as said of it."""
        return index.get(item.name), said

    def measures(self, kept: str) -> bool:
        """Whether an audited answer can be held against what is believed."""
        return self.audited

    @abstractmethod
    def rows(self, item: Item, who: str, kept: str) -> Iterator[tuple[Any, ...]]:
        """A vote as rows of the table of votes."""

    @abstractmethod
    def said_in(self, votes: Votes) -> Iterator[tuple[Item, str, Any]]:
        """Votes that were read elsewhere: of which item, whose, and what was said."""

    @abstractmethod
    def answers(self, result: Result) -> Iterable[Row]:
        """What was found as rows of a table."""

    @abstractmethod
    def decided(self, item: Item, kept: str) -> Iterable[Row]:
        """The same rows for an answer that is known."""

    def of_item(self, row: Row) -> str | None:
        """The item that a row of the answers is about, if it is about one."""
        return str(row["item"])


class Fitted(Asked):
    """Answers that are fitted anew at each look, by the default method of their kind."""

    @abstractmethod
    def votes(self, rows: Sequence[tuple[Any, ...]], items: Sequence[Item]) -> Votes:
        """What holds the rows of votes; items that have none are among its items where the kind allows it."""

    def taught(self, gold: Mapping[str, str], votes: Votes) -> Mapping[Any, Any] | None:
        """What is known of items, as a fit takes it; None where no method of this kind learns from it."""
        return None

    @abstractmethod
    def found(self, result: Result, items: Sequence[Item], counts: Array) -> Found:
        """What was found, by places of items, of which each has so many votes."""


def require_class(label: Any, classes: Sequence[str]) -> str:
    """A label that is one of the classes."""
    alike = {normalize("NFC", name): name for name in classes}  # the same letters, put together otherwise
    if not isinstance(label, str) or normalize("NFC", label) not in alike:
        raise InputError(f"{label!r} is none of the classes {', '.join(classes)}")
    return alike[normalize("NFC", label)]


def by_place(items: Sequence[Item], names: Any) -> Array:
    """Where each item stands among names; -1 where it does not."""
    return find(names_array([item.name for item in items]), names) if len(names) else np.full(len(items), -1)


def by_gain(gain: Array) -> Callable[[str], Array]:
    """The same order for everybody: what tells most first."""
    order = np.argsort(-gain, kind="stable")
    return lambda who: order


def where_known(place: Array, values: Array) -> Array:
    """Values by places, None where there is none."""
    found = values[place].astype(object) if len(values) else np.full(place.size, None, object)
    found[place < 0] = None
    return np.asarray(found)
