"""Routes of admins: status, people, items, gold, audits, exports."""

from __future__ import annotations

import json
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import Field

from ..errors import InputError
from .asked.answer import Item
from .bodies import GivenIn, ItemIn, KnownIn, PauseIn, PersonIn, plain
from .desk import Desk, answers_of, as_csv
from .elsewhere import take_votes
from .exports import exported, formats_of
from .store import Person


def routes(desk: Desk) -> APIRouter:  # noqa: PLR0915 - one small function for each route
    """For admins alone."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    @router.get("/api/status")
    async def status(person: Person = admin) -> dict[str, Any]:
        """What is known of the project: votes, confidence, what audits promise, people and contested items."""
        promised, found, asked = desk.project.promised(), desk.project.found, desk.project.asked
        told: dict[str, Any] = {
            "votes": desk.project.answers, "items": len(desk.project.rows), "covered": desk.project.covered,
            "kind": asked.kind, "formats": formats_of(desk.project), "estimate": desk.project.broken or "running",
            "promise": None if promised is None else promised._asdict(),
            "curve": desk.project.curve,
            "people": [
                {"id": one.id, "name": one.name, "role": one.role, "paused": one.paused,
                 "answers": desk.project.given.get(one.id, 0)} for one in desk.project.people.values()
            ],
        }  # fmt: skip
        if found is not None:
            told["confidence"], told["notes"] = found.mean, list(found.result.notes)
            told["contested"] = [
                {"item": desk.project.items[desk.project.rows[k]].name, "label": asked.shown(str(found.labels[k])),
                 "confidence": float(found.sure[k]) if found.mean is not None else None}
                for k in desk.project.contested(20)
            ]  # fmt: skip
        return told

    @router.post("/api/people")
    async def add_person(body: PersonIn, person: Person = admin) -> dict[str, Any]:
        """Somebody new; their token is told here, once."""
        token = desk.project.store.add_person(body.name, body.role, cost=body.cost, family=body.family)
        desk.project.take_people()
        desk.project.store.log(person.name, f"added {body.role} {body.name}")
        return {"name": body.name, "token": token}

    @router.post("/api/people/{who}/pause")
    async def pause(who: Annotated[int, Path(ge=1, le=2**53)], body: PauseIn, person: Person = admin) -> dict[str, Any]:
        """Ask somebody no more, or again."""
        if body.paused and who == person.id:
            raise HTTPException(409, "you cannot pause yourself: nobody could undo it")
        if not desk.project.store.pause(who, body.paused):
            raise HTTPException(404, "there is nobody of that number")
        desk.project.take_people()
        desk.project.store.log(person.name, f"{'paused' if body.paused else 'asked again'} person {who}")
        return {"paused": body.paused}

    @router.post("/api/items")
    async def add_items(
        body: Annotated[list[ItemIn], Field(max_length=1000)], person: Person = admin
    ) -> dict[str, int]:
        """New items; names that are there stay as they are."""
        items = [Item.of(one.name, one.content) for one in body]
        for item in items:
            try:
                desk.project.asked.require_item(item)
            except InputError as error:
                raise HTTPException(422, str(error)) from error
        added = desk.project.store.add_items((item.name, item.content) for item in items)
        desk.project.take_items()
        return {"added": added}

    @router.get("/api/items")
    async def list_items(
        offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        person: Person = admin,
    ) -> list[dict[str, Any]]:
        """Items, a page at a time, with what is known of them."""
        rows = [desk.project.items[code] for code in desk.project.rows[offset : offset + limit]]
        return [{"name": row.name, "content": json.loads(row.content), "gold": row.gold, "audit": row.audit,
                 "settled": row.settled} for row in rows]  # fmt: skip

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
        """Items to audit, drawn at random from all: from the queue they would tell of hard items only."""
        rows = desk.project.rows
        places = secrets.SystemRandom().sample(range(len(rows)), min(n, len(rows)))
        return [desk.project.items[rows[place]].name for place in places]

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
        return {"votes": votes, "items": len(desk.project.rows) - before}

    @router.get("/api/pay")
    async def pay(
        amount: Annotated[float, Query(gt=0.0, le=1e12, allow_inf_nan=False)], person: Person = admin
    ) -> list[dict[str, Any]]:
        """How an amount would be shared by information: votes times the bits that one of them carries."""
        return await run_in_threadpool(desk.project.pay, amount)

    @router.get(
        "/api/export.{form}",
        response_class=Response,
        responses={200: {"content": {"text/csv": {}, "application/json": {}}}},
    )
    async def export(form: str, person: Person = admin) -> Response:
        """labels.csv or labels.json; votes.csv with every vote that counts; or what a tool imports. No tokens."""
        if form == "votes.csv":
            with desk.project.lock:
                rows = desk.project.opinion.rows()
            text = await run_in_threadpool(lambda: as_csv([desk.project.asked.columns, *rows()]))
            return PlainTextResponse(text, media_type="text/csv")
        await run_in_threadpool(desk.project.look)
        found = answers_of(desk.project)
        if form == "labels.json":
            return JSONResponse(found)
        if form == "labels.csv":
            head = list(found[0]) if found else ["item"]
            return PlainTextResponse(as_csv([head, *(one.values() for one in found)]), media_type="text/csv")
        if form in formats_of(desk.project):
            name, content = await run_in_threadpool(exported, desk.project, form)
            attached = {"content-disposition": f'attachment; filename="{name}"'}
            return Response(content, media_type="application/octet-stream", headers=attached)
        forms = ", ".join(["labels.csv", "labels.json", "votes.csv", *formats_of(desk.project)])
        raise HTTPException(404, f"exports are {forms}")

    return router
