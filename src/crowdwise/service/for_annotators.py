"""Routes of annotators and machines: what to answer next, votes, undo, skip, progress."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Depends, HTTPException

from .bodies import SkipIn, VoteIn, plain
from .desk import Desk
from .store import Person, Said


def routes(desk: Desk) -> APIRouter:
    """For whoever has a token."""
    router = APIRouter()
    somebody = Depends(desk.guard.role("annotator", "machine", "admin"))

    @router.get("/api/next")
    async def next_item(beside: str | None = None, person: Person = somebody) -> dict[str, Any]:
        """What to answer next; `item` is null where there is nothing. beside: an item in hand; another one is given."""
        item = desk.project.next(person, beside=None if beside is None else desk.item_of(beside))
        asked, shown = desk.project.asked, None
        if item is not None:
            one = desk.project.item(item)
            shown = {"name": one.name, "content": dict(asked.content(one))}
        return {"item": shown, "classes": asked.classes, "ask": asked.asks()}

    @router.post("/api/votes")
    async def vote(body: VoteIn, person: Person = somebody) -> dict[str, Any]:
        """A vote of whoever sends it; the answer comes when it is on disk. An id that is there counts once."""
        item = desk.item_of(body.item)
        label = desk.kept(plain(body.label), body.item)
        before = desk.project.store.vote_of(body.id)
        if before is not None and (before.person, before.item, before.label) != (person.id, item, label):
            raise HTTPException(409, f"vote {body.id!r} is another vote already")
        new = await desk.keep(Said(body.id, item, person.id, label, body.seconds, time.time()))
        return {"new": new, "mine": desk.project.answered(person.id)}

    @router.post("/api/votes/{vote}/undo")
    async def undo(vote: str, person: Person = somebody) -> dict[str, Any]:
        """Take a vote of one's own back: a new row, nothing is erased."""
        there = desk.project.store.vote_of(vote)
        if there is None or there.person != person.id or there.label is None:
            raise HTTPException(404, "you have no such vote")
        new = await desk.keep(Said(f"undo:{vote}"[:64], there.item, person.id, None, None, time.time(), vote))
        return {"new": new, "item": desk.project.items[there.item].name}

    @router.post("/api/skip")
    async def skip(body: SkipIn, person: Person = somebody) -> dict[str, Any]:
        """Pass an item by: it is not asked again of this person."""
        item = desk.item_of(body.item)
        before = desk.project.store.vote_of(body.id)
        if before is not None and (before.person, before.item, before.label) != (person.id, item, None):
            raise HTTPException(409, f"vote {body.id!r} is another vote already")
        new = await desk.keep(Said(body.id, item, person.id, None, None, time.time()))
        return {"new": new}

    @router.get("/api/progress")
    async def progress(person: Person = somebody) -> dict[str, Any]:
        """One's own count, and how far all are; nobody's labels."""
        return {
            "name": person.name, "role": person.role, "mine": desk.project.answered(person.id),
            "items": len(desk.project.rows), "covered": desk.project.covered, "votes": desk.project.answers,
            "guidelines": desk.project.guidelines,
        }  # fmt: skip

    return router
