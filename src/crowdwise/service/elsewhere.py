"""Answers that people give in another tool: votes of theirs, changed and taken back here as they are there."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from typing import Any

from fastapi import HTTPException

from ..errors import InputError
from .asked.answer import Item
from .bodies import GivenIn, plain
from .desk import Desk
from .store import Said, hashed


def key_of(tool: str, answer: Any, state: str) -> str:
    """The id of the vote that an answer is, in one of its states: those of one answer begin alike."""
    told = [hashed(str(part).encode("utf-8", "replace").decode())[:20] for part in (answer, state)]
    return f"{tool}:{told[0]}:{told[1]}"


def new_key() -> str:
    """The id of a vote of which it is known that it is new."""
    return f"in:{uuid.uuid4().hex}"


async def take(desk: Desk, key: str, item: int, who: str, label: str | None) -> int:
    """Keep what somebody says of an item now, in place of what they said before; how many votes that is."""
    async with desk.one_by_one:
        return await _taken(desk, key, item, who, label)


async def _taken(desk: Desk, key: str, item: int, who: str, label: str | None) -> int:
    if not is_text(who):
        raise HTTPException(422, "the author's name is no text")
    known = desk.project.called(who)
    if known is None:
        desk.project.take_people()  # another process may have added them
        known = desk.project.called(who)
    if known is None:
        desk.project.store.add_person(who, "annotator")
        desk.project.take_people()
        known = desk.project.called(who)
        assert known is not None
    if desk.project.store.vote_of(key) is not None:  # told twice
        return 0
    await _undone(desk, item, known.id)
    if label is None:
        return 0
    return int(await desk.keep(Said(key, item, known.id, label, None, time.time())))


async def take_back(desk: Desk, tool: str, answers: Iterable[Any]) -> None:
    """Votes of answers that are gone are taken back."""
    starts = tuple(key_of(tool, answer, "").rpartition(":")[0] + ":" for answer in answers)
    async with desk.one_by_one:
        there = [pair for pair, vote in desk.project.standing.items() if starts and vote.startswith(starts)]
        for item, person in there:
            await _undone(desk, item, person)


async def _undone(desk: Desk, item: int, person: int) -> None:
    """Take back what somebody says of an item, if they say anything."""
    earlier = desk.project.standing.get(item, person)
    if earlier is not None:
        await desk.keep(Said(undo_of(earlier), item, person, None, None, time.time(), earlier))


def undo_of(vote: str) -> str:
    """The id of the row that takes a vote back."""
    return f"undo:{hashed(vote)[:40]}"


async def take_votes(desk: Desk, votes: Iterable[GivenIn]) -> int:
    """Votes that were given elsewhere, those that are here already once; items that are not here yet come too."""
    votes = list(votes)
    said = []
    for row, vote in enumerate(votes, start=1):
        try:
            said.append(None if vote.label is None else desk.kept(plain(vote.label), vote.item))
        except HTTPException as error:
            raise HTTPException(error.status_code, f"row {row}, item {vote.item!r}: {error.detail}") from error
    new = [vote.item for vote in votes if vote.item not in desk.project.names]
    try:
        for name in new:
            desk.project.asked.require_item(Item(name))
    except InputError as error:
        raise HTTPException(422, f"{error}: add it first") from error
    desk.project.store.add_items((name, {}) for name in new)
    desk.project.take_items()
    taken = 0
    async with desk.one_by_one:
        for vote, label in zip(votes, said, strict=True):
            item, known = desk.item_of(vote.item), desk.project.called(vote.annotator)
            earlier = None if known is None else desk.project.standing.get(item, known.id)
            before = None if earlier is None else desk.project.store.vote_of(earlier)
            if (None if before is None else before.label) != label:
                taken += await _taken(desk, new_key(), item, vote.annotator, label)
    return taken


def is_text(name: str) -> bool:
    """Whether a name can be kept: half of a letter cannot."""
    return name.encode("utf-8", "replace").decode() == name
