"""Routes of annotators and machines: what to answer next, votes, undo, skip, progress."""

from __future__ import annotations

import json
import time
from typing import Any

from fastapi import APIRouter, Depends, HTTPException

from .bodies import SkipIn, VoteIn
from .desk import Desk
from .store import Person, Said


def routes(desk: Desk) -> APIRouter:
    """For whoever has a token."""
    router = APIRouter()
    somebody = Depends(desk.guard.role("annotator", "machine", "admin"))

    @router.get("/api/next")
    async def next_item(person: Person = somebody) -> dict[str, Any]:
        """What to answer next; `item` is null when there is nothing to do."""
        item = desk.project.next(person)
        row = None if item is None else desk.project.items[item]
        shown = None if row is None else {"name": row.name, "content": json.loads(row.content)}
        return {"item": shown, "classes": desk.project.classes}

    @router.post("/api/votes")
    async def vote(body: VoteIn, person: Person = somebody) -> dict[str, Any]:
        """A vote of whoever sends it; the answer comes when it is on disk. An id that is there counts once."""
        desk.require_class(body.label)
        item = desk.item_of(body.item)
        before = desk.project.store.vote_of(body.id)
        if before is not None and (before.person, before.item, before.label) != (person.id, item, body.label):
            raise HTTPException(409, f"vote {body.id!r} is another vote already")
        if before is None and (body.item, person.name) in desk.project.live:
            raise HTTPException(409, f"you have answered {body.item!r}: undo that first")
        new = await desk.keep(Said(body.id, item, person.id, body.label, body.seconds, time.time()))
        return {"new": new, "mine": len(desk.project.done.get(person.id, ()))}

    @router.post("/api/votes/{vote}/undo")
    async def undo(vote: str, person: Person = somebody) -> dict[str, Any]:
        """Take a vote of one's own back: a new row, nothing is erased."""
        there = desk.project.store.vote_of(vote)
        if there is None or there.person != person.id or there.label is None:
            raise HTTPException(404, "you have no such vote")
        new = await desk.keep(Said(f"undo:{vote}", there.item, person.id, None, None, time.time(), vote))
        return {"new": new, "item": desk.project.items[there.item].name}

    @router.post("/api/skip")
    async def skip(body: SkipIn, person: Person = somebody) -> dict[str, Any]:
        """Pass an item by: it is not asked again of this person."""
        new = await desk.keep(Said(body.id, desk.item_of(body.item), person.id, None, None, time.time()))
        return {"new": new}

    @router.get("/api/progress")
    async def progress(person: Person = somebody) -> dict[str, Any]:
        """One's own count, and how far all are; nobody's labels."""
        return {
            "name": person.name, "role": person.role, "mine": len(desk.project.done.get(person.id, ())),
            "items": len(desk.project.rows), "covered": desk.project.covered, "votes": desk.project.answers,
            "guidelines": desk.project.guidelines,
        }  # fmt: skip

    return router
