"""A project that runs elsewhere comes in: its items, people, votes and gold, as often as it is exported anew."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import InputError, how_many
from ..votes.codes import shown
from ..votes.crowd import Crowd
from .elsewhere import new_key, undo_of
from .standing import Standing
from .store import Said, Store

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


def take_in(store: Store, votes: Crowd, gold: Mapping[Any, Any], texts: Mapping[Any, str]) -> TakenIn:
    """Votes that were given elsewhere, those that are here already once; nothing is taken if a label is no class."""
    classes = store.settings()["classes"]
    votes = votes.once("last")
    require_classes(votes, gold, classes)
    content = {str(name): {"text": texts[name]} if name in texts else {} for name in votes.items.tolist()}
    items = store.add_items({**{str(name): {} for name in gold}, **content}.items())
    there = {one.name for one in store.people().values()}
    people = [name for name in map(str, votes.annotators.tolist()) if name not in there]
    store.add_people([(name, "annotator") for name in people])
    item_of = {row.name: row.id for row in store.items()}
    person_of = {one.name: one.id for one in store.people().values()}
    item = [item_of[str(name)] for name in votes.items.tolist()]
    person = [person_of[str(name)] for name in votes.annotators.tolist()]
    said = [str(name) for name in votes.classes.tolist()]
    triples = zip(votes.item.tolist(), votes.annotator.tolist(), votes.label.tolist(), strict=True)
    rows = list(_changes(((item[i], person[j], said[k]) for i, j, k in triples), Standing.of(store.each_vote())))
    for low in range(0, len(rows), AT_ONCE):
        store.add_votes(rows[low : low + AT_ONCE])
    store.tell("gold", {str(name): str(label) for name, label in gold.items()})
    undone = sum(row.label is None for row in rows)
    return TakenIn(items, len(people), len(rows) - undone, undone)


def require_classes(votes: Crowd, gold: Mapping[Any, Any], classes: Collection[str]) -> None:
    """Every label is one of the project's classes."""
    for label in (*votes.classes.tolist(), *gold.values()):
        if str(label) not in classes:
            there = ", ".join(classes)
            more = ",".join([*classes, str(label)])
            raise InputError(f"label {shown(label)} is none of the classes {there}: add it with --classes {more}")


def _changes(votes: Iterable[tuple[int, int, str]], there: Standing) -> Iterator[Said]:
    """The rows that make votes of these: none where the same is said already, an undo first where another thing is."""
    ids, labels, at = there.by_id(), there.by_label(), time.time()
    for item, person, label in votes:
        earlier = ids.get(item, person)
        if earlier is not None:
            if labels.get(item, person) == label:
                continue
            yield Said(undo_of(earlier), item, person, None, None, at, earlier)
        yield Said(new_key(), item, person, label, None, at)
