"""Routes of admins: what is known of the project, its people, what happened, pay."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query
from fastapi.concurrency import run_in_threadpool

from .bodies import PauseIn, PersonIn
from .desk import Desk
from .exports import formats_of
from .overview import speeds
from .store import Person


def routes(desk: Desk) -> APIRouter:
    """For admins alone."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    def about(one: Person, speed: dict[int, dict[str, float]]) -> dict[str, Any]:
        heard = desk.project.overview is not None and desk.project.answered(one.id)
        found = desk.project.overview.people.get(one.name, {}) if desk.project.overview and heard else {}
        return {
            "id": one.id, "name": one.name, "role": one.role, "paused": one.paused, "cost": one.cost,
            "answers": desk.project.answered(one.id), **speed.get(one.id, {}), **found,
        }  # fmt: skip

    @router.get("/api/status")
    async def status(person: Person = admin) -> dict[str, Any]:
        """What is known of the project: votes, confidence, what audits promise, people, agreement, contested items, and
        what is left."""
        project, asked = desk.project, desk.project.asked
        promised, found, speed = project.promised(), project.found, speeds(project.timed())
        told: dict[str, Any] = {
            "votes": project.answers, "items": len(project.rows), "covered": project.covered,
            "kind": asked.kind, "ask": asked.asks(), "formats": formats_of(project), "estimate": project.estimate,
            "promise": None if promised is None else promised._asdict(),
            "curve": project.curve, "left": project.left(), "can_pay": asked.kind == "classes",
            "agreement": [] if project.overview is None else project.overview.agreement,
            "people": [about(one, speed) for one in project.people.values()],
        }  # fmt: skip
        if found is not None:
            told["confidence"], told["notes"] = found.mean, list(found.result.notes)
            told["contested"] = [
                {"item": row.name, "content": row.content, "label": asked.shown(str(found.labels[k])),
                 "confidence": float(found.sure[k]) if found.mean is not None else None}
                for k in project.contested(20) for row in [project.item(project.rows[k])]
            ]  # fmt: skip
        return told

    @router.get("/api/events")
    async def events(n: Annotated[int, Query(ge=1, le=1000)] = 50, person: Person = admin) -> list[dict[str, Any]]:
        """What admins did, the last first."""
        return await run_in_threadpool(desk.project.store.events, n)

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

    @router.get("/api/pay")
    async def pay(
        amount: Annotated[float, Query(gt=0.0, le=1e12, allow_inf_nan=False)], person: Person = admin
    ) -> list[dict[str, Any]]:
        """How an amount would be shared by information: votes times the bits that one of them carries."""
        return await run_in_threadpool(desk.project.pay, amount)

    return router
