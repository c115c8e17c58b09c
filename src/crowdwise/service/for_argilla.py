"""Argilla's webhooks: a response that is submitted is a vote of its user."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, HTTPException

from ..errors import InputError
from .asked.marked import Marked
from .asked.ticked import Ticked
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
        name = str(record.get("external_id") or record.get("id"))
        item, submitted = desk.item_of(name), response.get("status") == "submitted"
        label = _answer(desk, response.get("values"), name) if submitted else None
        key = key_of("ar", response["id"], f"{response.get('updated_at', '')}:{label}")
        return {"votes": await take(desk, key, item, f"argilla {author}"[:256], label)}

    return router


def _answer(desk: Desk, values: Any, item: str) -> str | None:
    """The one answer of the kind that the project asks for, whatever its question is called."""
    told = [one.get("value") for one in values.values() if isinstance(one, dict)] if isinstance(values, dict) else []
    if not isinstance(desk.project.asked, Marked | Ticked):  # text beside the answer is no list of labels
        told = [one for one in told if not isinstance(one, list)]
    else:
        told = [one for one in told if isinstance(one, list)]
    found = []
    for one in told:
        try:
            found.append(desk.project.asked.kept(one, desk.project.item(desk.item_of(item))))
        except InputError:
            continue
    if len(found) > 1:
        raise HTTPException(422, f"values: {len(found)} answers are of the kind that is asked for, and one is expected")
    return found[0] if found else None
