"""Routes of other tools: health, metrics, and what comes next."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import PlainTextResponse

from .desk import Desk
from .store import Person


def routes(desk: Desk) -> APIRouter:
    """For tools that have an admin's token; health is for everybody."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    @router.get("/health")
    async def health() -> dict[str, Any]:
        """Whether it runs."""
        return {"status": "UP", "estimate": desk.project.state}

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics(person: Person = admin) -> PlainTextResponse:
        """Counts for Prometheus."""
        lines = [
            ("votes_total", "counter", desk.project.n_votes), ("items", "gauge", len(desk.project.rows)),
            ("covered_items", "gauge", desk.project.covered), ("people", "gauge", len(desk.project.people)),
            ("estimate_running", "gauge", int(desk.project.state == "running")),
            ("up_seconds", "gauge", round(time.time() - desk.project.started)),
        ]  # fmt: skip
        told = (f"# TYPE crowdwise_{name} {kind}\ncrowdwise_{name} {value}\n" for name, kind, value in lines)
        return PlainTextResponse("".join(told))

    @router.get("/api/next-tasks")
    async def next_tasks(
        n: Annotated[int, Query(ge=1, le=1000)] = 20, annotator: str = "", person: Person = admin
    ) -> list[str]:
        """The items to ask next, best first; annotator: of whom. For tools that hand out tasks themselves."""
        return [desk.project.items[desk.project.rows[place]].name for place in desk.project.queue(annotator, n)]

    return router
