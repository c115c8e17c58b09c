"""Pages of annotators and the admin, their scripts, and the links that people enter by."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from .desk import Desk
from .guard import COOKIE
from .store import hashed


def routes(desk: Desk) -> APIRouter:
    """For browsers."""
    router = APIRouter()

    @router.get("/", response_class=HTMLResponse)
    async def page() -> Response:
        """The page of annotators."""
        return HTMLResponse(_web("annotate.html"))

    @router.get("/admin", response_class=HTMLResponse)
    async def admin_page() -> Response:
        """The page of the admin."""
        return HTMLResponse(_web("admin.html"))

    @router.get("/enter/{token}")
    async def enter(token: str, request: Request) -> Response:
        """A person's own link: keeps the token in a cookie that no script can read, and opens their page."""
        known = desk.project.people.get(hashed(token))
        if known is None:
            raise HTTPException(401, "this link is not known")
        answer = RedirectResponse("/admin" if known.role == "admin" else "/", 303)
        secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=secure, max_age=30 * 86_400)
        return answer

    @router.get("/web/{name}")
    async def web(name: str) -> Response:
        """Scripts and styles of the pages."""
        scripts = ("annotate.js", "answers.js", "admin.js")
        kinds = {**dict.fromkeys(scripts, "text/javascript"), "style.css": "text/css"}
        if name not in kinds:
            raise HTTPException(404, "there is no such file")
        return Response(_web(name), media_type=kinds[name])

    return router


def _web(name: str) -> str:
    return (files(__package__) / "web" / name).read_text("utf-8")
