"""Argilla's webhooks: a response that is submitted is a vote of its user."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, HTTPException

from .desk import Desk
from .elsewhere import key_of, take, take_back
from .store import Person

TOLD = ("response.created", "response.updated", "response.deleted")


def routes(desk: Desk) -> APIRouter:
    """For an Argilla server that logs in by an admin's token in the webhook's address."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    @router.post("/webhook/argilla", status_code=201)
    async def webhook(body: dict[str, Any], person: Person = admin) -> dict[str, int]:
        """A response: its record is the item, by external_id or id; drafts and discarded ones are no votes."""
        if body.get("type") not in TOLD:
            return {"votes": 0}
        response = body.get("data")
        if not isinstance(response, dict) or "id" not in response:
            raise HTTPException(422, "data: a response with an id is expected")
        if body["type"] == "response.deleted":
            await take_back(desk, "ar", [response["id"]])
            return {"votes": 0}
        record, user = response.get("record"), response.get("user")
        if not isinstance(record, dict) or not isinstance(user, dict):
            raise HTTPException(422, "record and user: objects are expected")
        author = user.get("username") or user.get("id")
        if not author:
            raise HTTPException(422, "user: a username or an id is expected")
        item = desk.item_of(str(record.get("external_id") or record.get("id")))
        label = _answer(response.get("values"), desk.project.classes) if response.get("status") == "submitted" else None
        key = key_of("ar", response["id"], f"{response.get('updated_at', '')}:{label}")
        return {"votes": await take(desk, key, item, f"argilla {author}"[:256], label)}

    return router


def _answer(values: Any, classes: list[str]) -> str | None:
    """The one answer that names a class, whatever its question is called."""
    told = [one.get("value") for one in values.values() if isinstance(one, dict)] if isinstance(values, dict) else []
    named = [one for one in told if isinstance(one, str) and one in classes]
    if len(named) > 1:
        raise HTTPException(422, f"values: {len(named)} answers name classes, and one is expected")
    return named[0] if named else None
