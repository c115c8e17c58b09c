"""A project that runs elsewhere comes in: its items, people, votes and gold, as often as it is exported anew."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import how_many
from ..votes.votes import Votes
from .asked.answer import Asked, Item
from .desk import FORMULA
from .elsewhere import new_key, undo_of
from .standing import Standing
from .store import Said as Row
from .store import Store

AT_ONCE = 1_000  # votes of one transaction


class TakenIn(NamedTuple):
    """What was new: items, people, and votes, of which some take the place of earlier ones."""

    items: int
    people: int
    votes: int
    changed: int

    def __str__(self) -> str:
        named = zip(self, ("items", "annotators", "votes"), strict=False)
        told = "new: " + ", ".join(how_many(count, name) for count, name in named)
        return told + (f"; {self.changed:,} in place of an earlier one" if self.changed else "")


class Said(NamedTuple):
    """An answer as it is kept: of which item, whose, and what."""

    item: Item
    who: str
    kept: str


def said_in(asked: Asked, votes: Votes, texts: Mapping[Any, str], there: Mapping[str, Item]) -> list[Said]:
    """The answers that were read, as they are kept; texts: those that items show; there: items of the project."""
    rows, index = [], asked.index(there.values())
    for item, person, said in asked.said_in(votes):
        here = item._replace(name=unguarded(item.name))
        known, told = asked.met(here, said, index)
        if known is None:
            known, told = Item.of(here.name, {"text": texts[here.name]}) if here.name in texts else here, said
            asked.require_item(known)
        rows.append(Said(known, unguarded(person), asked.kept(told, known)))
    return rows


def unguarded(name: str) -> str:
    """A name that an export kept from being a formula, as it was."""
    return name[1:] if name[:1] == "'" and name[1:2] in tuple(FORMULA) else name


def take_in(store: Store, said: Sequence[Said], gold: Mapping[str, str]) -> TakenIn:
    """Answers that were given elsewhere, those that are here already once, the last one of a person on an item."""
    last = {(one.item.name, one.who): one for one in said}
    content = {one.item.name: one.item.content for one in said}
    items = store.add_items({**{name: {} for name in gold}, **content}.items())
    there = {one.name for one in store.people().values()}
    people = [name for name in dict.fromkeys(who for _, who in last) if name not in there]
    store.add_people([(name, "annotator") for name in people])
    item_of = {row.name: row.id for row in store.items()}
    person_of = {one.name: one.id for one in store.people().values()}
    triples = ((item_of[item], person_of[who], one.kept) for (item, who), one in last.items())
    rows = list(_changes(triples, Standing.of(store.each_vote())))
    for low in range(0, len(rows), AT_ONCE):
        store.add_votes(rows[low : low + AT_ONCE])
    store.tell("gold", gold)
    undone = sum(row.label is None for row in rows)
    return TakenIn(items, len(people), len(rows) - undone, undone)


def _changes(votes: Iterable[tuple[int, int, str]], there: Standing) -> Iterator[Row]:
    """The rows that make votes of these: none where the same is said already, an undo first where another thing is."""
    ids, labels, at = there.by_id(), there.by_label(), time.time()
    for item, person, label in votes:
        earlier = ids.get(item, person)
        if earlier is not None:
            if labels.get(item, person) == label:
                continue
            yield Row(undo_of(earlier), item, person, None, None, at, earlier)
        yield Row(new_key(), item, person, label, None, at)
