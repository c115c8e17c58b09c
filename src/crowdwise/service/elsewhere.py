"""Answers that people give in another tool: votes of theirs, changed and taken back here as they are there."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from fastapi import HTTPException

from .bodies import GivenIn
from .desk import Desk
from .store import Said, hashed


def key_of(tool: str, answer: Any, state: str) -> str:
    """The id of the vote that an answer is, in one of its states: those of one answer begin alike."""
    told = [hashed(str(part).encode("utf-8", "replace").decode())[:20] for part in (answer, state)]
    return f"{tool}:{told[0]}:{told[1]}"


async def take(desk: Desk, key: str, item: int, who: str, label: str | None) -> int:
    """Keep what somebody says of an item now, in place of what they said before; how many votes that is."""
    if not is_text(who):
        raise HTTPException(422, "the author's name is no text")
    known = next((one for one in desk.project.people.values() if one.name == who), None)
    if known is None:
        desk.project.store.add_person(who, "annotator")
        desk.project.take_people()
        known = next(one for one in desk.project.people.values() if one.name == who)
    if desk.project.store.vote_of(key) is not None:  # told twice
        return 0
    await _undone(desk, item, known.id)
    if label is None or label not in desk.project.classes:
        return 0
    return int(await desk.keep(Said(key, item, known.id, label, None, time.time())))


async def take_back(desk: Desk, tool: str, answers: Iterable[Any]) -> None:
    """Votes of answers that are gone are taken back."""
    starts = tuple(key_of(tool, answer, "").rpartition(":")[0] + ":" for answer in answers)
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
    for vote in votes:
        if vote.label is not None:
            desk.require_class(vote.label)
    desk.project.store.add_items((vote.item, {}) for vote in votes)
    desk.project.take_items()
    new = 0
    for vote in votes:
        item = desk.item_of(vote.item)
        who = next((one.id for one in desk.project.people.values() if one.name == vote.annotator), 0)
        earlier = desk.project.standing.get(item, who) or ""
        before = desk.project.store.vote_of(earlier) if earlier else None
        if (None if before is None else before.label) != vote.label:
            key = key_of("in", f"{item} {vote.annotator}", f"{vote.label} {earlier}")
            new += await take(desk, key, item, vote.annotator, vote.label)
    return new


def is_text(name: str) -> bool:
    """Whether a name can be kept: half of a letter cannot."""
    return name.encode("utf-8", "replace").decode() == name
