"""Routes of admins: what comes out."""

from __future__ import annotations

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse

from .desk import Desk, answers_of, as_csv
from .exports import exported, formats_of
from .store import Person


def routes(desk: Desk) -> APIRouter:
    """For admins alone."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    @router.get(
        "/api/export.{form}",
        response_class=Response,
        responses={200: {"content": {"text/csv": {}, "application/json": {}, "application/octet-stream": {}}}},
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
