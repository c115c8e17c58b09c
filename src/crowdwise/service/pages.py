"""Pages of annotators and the admin, their scripts, and the links that people enter by."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from .desk import Desk
from .guard import COOKIE
from .store import Person, hashed

TOLD: dict[str, dict[str, str]] = {"text/javascript": {}, "text/css": {}}


def routes(desk: Desk) -> APIRouter:
    """For browsers."""
    router = APIRouter()
    somebody = Depends(desk.guard.role("annotator", "machine", "admin"))

    @router.get("/", response_class=HTMLResponse)
    async def page() -> Response:
        """The page of annotators."""
        return HTMLResponse(_web("annotate.html"))

    @router.get("/admin", response_class=HTMLResponse)
    async def admin_page() -> Response:
        """The page of the admin."""
        return HTMLResponse(_web("admin.html"))

    @router.get("/enter/{token}", status_code=303, response_class=RedirectResponse)
    async def enter(token: str, request: Request) -> RedirectResponse:
        """A person's own link: keeps the token in a cookie that no script can read, and opens their page."""
        known = desk.project.people.get(hashed(token))
        if known is None:
            raise HTTPException(401, "this link is not known")
        answer = RedirectResponse("/admin" if known.role == "admin" else "/", 303)
        secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=secure, max_age=30 * 86_400)
        return answer

    @router.get(
        "/web/{name}", responses={200: {"content": {"text/javascript": {}, "text/css": {}}}}, response_class=Response
    )
    async def web(name: str) -> Response:
        """Scripts and styles of the pages."""
        scripts = ("annotate.js", "answers.js", "admin.js")
        kinds = {**dict.fromkeys(scripts, "text/javascript"), "style.css": "text/css"}
        if name not in kinds:
            raise HTTPException(404, "there is no such file")
        return Response(_web(name), media_type=kinds[name])

    @router.get("/media/{path:path}", response_class=FileResponse)
    async def media(path: str, person: Person = somebody) -> FileResponse:
        """An image or a sound of the project's folder (--media)."""
        if desk.project.media is None:
            raise HTTPException(404, "the project has no folder of images and sounds (--media)")
        folder = Path(desk.project.media).resolve()
        try:
            file = (folder / path).resolve()
            there = file.is_relative_to(folder) and file.is_file()
        except (OSError, ValueError):  # no name of a file
            there = False
        if not there:
            raise HTTPException(404, "there is no such file")
        return FileResponse(file)

    return router


def _web(name: str) -> str:
    return (files(__package__) / "web" / name).read_text("utf-8")
