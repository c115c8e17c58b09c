"""Routes of admins: items, what is known of them, and votes that were given elsewhere."""

from __future__ import annotations

import json
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query
from pydantic import Field

from .asked.answer import Item
from .bodies import GivenIn, ItemIn, KnownIn, plain
from .desk import Desk
from .elsewhere import take_votes
from .store import Person


def routes(desk: Desk) -> APIRouter:
    """For admins alone."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    def about(row: Any) -> dict[str, Any]:
        return {"name": row.name, "content": json.loads(row.content), "gold": row.gold, "audit": row.audit,
                "settled": row.settled}  # fmt: skip

    @router.post("/api/items")
    async def add_items(
        body: Annotated[list[ItemIn], Field(max_length=1000)], person: Person = admin
    ) -> dict[str, int]:
        """New items; names that are there stay as they are."""
        added = desk.add_items([Item.of(one.name, one.content) for one in body])
        desk.project.store.log(person.name, f"added {added} items")
        return {"added": added}

    @router.get("/api/items")
    async def list_items(
        offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        person: Person = admin,
    ) -> list[dict[str, Any]]:
        """Items, a page at a time, with what is known of them."""
        rows = [desk.project.items[code] for code in desk.project.rows[offset : offset + limit]]
        return [about(row) for row in rows]

    @router.get("/api/item")
    async def one_item(name: str, person: Person = admin) -> dict[str, Any]:
        """One item by its name."""
        return about(desk.project.items[desk.item_of(name)])

    def tell(column: str, body: KnownIn, person: Person) -> dict[str, str]:
        desk.item_of(body.item)
        label = None if body.label is None else desk.kept(plain(body.label), body.item)
        desk.project.store.tell(column, {body.item: label})
        desk.project.take_known(body.item)
        desk.project.store.log(person.name, f"{column} of {body.item}: {label}")
        return {"item": body.item}

    @router.post("/api/gold")
    async def gold(body: KnownIn, person: Person = admin) -> dict[str, str]:
        """A known label."""
        if not desk.project.asked.golden:
            raise HTTPException(409, "a pair has no gold: what is found is of its sides; an audit measures it")
        return tell("gold", body, person)

    @router.post("/api/audit")
    async def audit(body: KnownIn, person: Person = admin) -> dict[str, str]:
        """A label that somebody trusted gave to an item drawn at random: it measures, and is told to no fit."""
        return tell("audit", body, person)

    @router.get("/api/audits")
    async def audits(n: Annotated[int, Query(ge=1, le=1000)] = 20, person: Person = admin) -> list[str]:
        """Items to audit, drawn at random from all that are not: from the queue they would tell of hard items only."""
        names = [row.name for row in desk.project.items.values() if row.audit is None]
        return secrets.SystemRandom().sample(names, min(n, len(names)))

    @router.post("/api/settle")
    async def settle_item(body: KnownIn, person: Person = admin) -> dict[str, str]:
        """A label that the admin decides; the item is asked no more."""
        return tell("settled", body, person)

    @router.post("/api/import")
    async def take_in(body: Annotated[list[GivenIn], Field(max_length=1000)], person: Person = admin) -> dict[str, int]:
        """Votes that were given elsewhere, as often as they are sent: what is here already counts once.

        All rows are taken, or none. Items that are not here yet come too, with nothing to show.
        """
        before = len(desk.project.rows)
        votes = await take_votes(desk, body)
        desk.project.store.log(person.name, f"imported {votes} votes")
        return {"votes": votes, "items": len(desk.project.rows) - before}

    return router
