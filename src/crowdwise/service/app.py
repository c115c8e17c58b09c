"""The API of a project: what annotators, machines, admins and other tools ask of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DBAPIError

from .. import __version__
from ..errors import InputError
from . import for_admins, for_annotators, for_argilla, for_exports, for_items, for_label_studio, for_tools, pages
from .desk import Desk
from .guard import small_enough
from .store import Store

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "the body cannot be read"},
    401: {"description": "no token, or one that is not known"},
    403: {"description": "not for this role, or paused"},
    404: {"description": "there is no such thing"},
    409: {"description": "it contradicts what is there"},
    413: {"description": "the body is too large"},
    422: {"description": "the body is not as it should be"},
    429: {"description": "too many requests"},
    503: {"description": "it cannot be kept now"},
}


def make_app(store: Store) -> FastAPI:
    """The application over a store; it owns the project as long as it runs."""
    desk = Desk(store)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        desk.open()
        yield
        desk.close()

    app = FastAPI(
        title="crowdwise", version=__version__, lifespan=life, responses=ERRORS, docs_url=None, redoc_url=None
    )
    app.state.project = desk.project
    app.add_middleware(_Small)

    @app.exception_handler(InputError)
    async def _told(request: Request, error: InputError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 409)

    @app.exception_handler(DBAPIError)
    async def _not_kept(request: Request, error: DBAPIError) -> JSONResponse:
        """The disk is full, or the database does not answer: nothing is lost, and it may be sent again."""
        return JSONResponse({"detail": f"this cannot be kept now, try again: {error.orig}"}, 503)

    @app.exception_handler(RequestValidationError)
    async def _not_so(request: Request, error: RequestValidationError) -> JSONResponse:
        """What is wrong and where; not what was sent, which may be no text."""
        told = [{"loc": [str(part) for part in one["loc"]], "msg": one["msg"]} for one in error.errors()]
        return JSONResponse({"detail": json.loads(json.dumps(told).encode("ascii", "replace"))}, 422)

    for part in (for_annotators, for_admins, for_items, for_exports, for_tools, for_label_studio, for_argilla, pages):
        app.include_router(part.routes(desk))
    return app


class _Small:
    """`small_enough` as a middleware."""

    def __init__(self, app: Any):
        self.guarded = small_enough(app)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.guarded(scope, receive, send)
