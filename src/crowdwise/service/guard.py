"""Guard: who may do what, how fast, and how much at once."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable
from typing import Any

from fastapi import HTTPException, Request

from .bodies import BODY
from .project import Project
from .store import Person, hashed

COOKIE = "crowdwise"
SENT_BY_PAGE = "x-crowdwise"  # a header that no other page's form can send
FROM_TOOLS = ("/predict", "/webhook", "/api/import", "/api/items")  # whose bodies hold many tasks, or votes
LARGE = 4 << 20  # bytes of such a body, at most
RATE, BURST = 50.0, 200.0  # requests a second of one token, and at once
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https: http:; "
    "media-src 'self' data: https: http:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}  # fmt: skip


class Guard:
    """Tokens of a project, and how much each may still ask for."""

    def __init__(self, project: Project):
        self.project = project
        self._left: dict[str, tuple[float, float]] = {}

    def person(self, request: Request) -> Person:
        """Who asks: by a bearer token, or the page's cookie; never by what the body says."""
        given = request.headers.get("authorization", "")
        token = given[7:] if given[:7].lower() == "bearer " else _of_basic(given)
        if not token:
            token = request.cookies.get(COOKIE, "")
            if token and request.method != "GET" and SENT_BY_PAGE not in request.headers:
                raise HTTPException(403, "a page must send the header X-Crowdwise with what it changes")
        known = self.project.people.get(hashed(token)) if token else None
        if known is None:
            raise HTTPException(401, "no token, or one that is not known: ask the admin for a link")
        self._spend(hashed(token))
        if known.paused:
            raise HTTPException(403, "you are paused: ask the admin")
        return known

    def role(self, *roles: str) -> Callable[[Request], Person]:
        """Who asks, if they have one of these roles."""

        def required(request: Request) -> Person:
            known = self.person(request)
            if known.role not in roles:
                raise HTTPException(403, f"this is for {' or '.join(roles)}, and you are {known.role}")
            return known

        return required

    def _spend(self, key: str) -> None:
        now = time.monotonic()
        left, since = self._left.get(key, (BURST, now))
        left = min(BURST, left + RATE * (now - since))
        if left < 1.0:
            raise HTTPException(429, "too many requests: wait a second")
        self._left[key] = (left - 1.0, now)


def _of_basic(given: str) -> str:
    """The password of basic authentication, by which Label Studio speaks to a backend; the name does not matter."""
    if given[:6].lower() != "basic ":
        return ""
    try:
        return base64.b64decode(given[6:], validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def small_enough(app: Any) -> Any:
    """Refuses bodies that are too large, whether their length is told or not; and adds the headers of every answer."""

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        taken = 0
        most = LARGE if scope["path"].startswith(FROM_TOOLS) else BODY

        async def counted() -> Any:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise HTTPException(413, f"a body may have {most} bytes at most")
            return message

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                there = {name for name, _ in message["headers"]}
                more = [
                    (name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in there
                ]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > most:
            await with_headers(
                {"type": "http.response.start", "status": 413, "headers": [(b"content-type", b"application/json")]}
            )
            told = f'{{"detail": "a body may have {most} bytes at most"}}'
            await send({"type": "http.response.body", "body": told.encode()})
            return
        await app(scope, counted, with_headers)

    return guarded
