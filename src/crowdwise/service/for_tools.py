"""Routes of other tools: health, metrics, Label Studio's ML backend and webhooks."""

from __future__ import annotations

import time
import uuid
from typing import Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import PlainTextResponse

from ..errors import InputError
from .desk import Desk, by_item
from .elsewhere import key_of, take, take_back
from .store import Person
from .studio import heard, names_in, told

DELETED = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")
ACTIONS = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED", *DELETED)


def routes(desk: Desk) -> APIRouter:
    """For tools that have an admin's token; health is for everybody."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    @router.get("/health")
    async def health() -> dict[str, Any]:
        """Whether it runs."""
        return {"status": "UP", "estimate": "broken" if desk.project.broken else "running"}

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics(person: Person = admin) -> PlainTextResponse:
        """Counts for Prometheus."""
        lines = [
            f"crowdwise_votes_total {desk.project.n_votes}", f"crowdwise_items {len(desk.project.rows)}",
            f"crowdwise_covered_items {desk.project.covered}", f"crowdwise_people {len(desk.project.people)}",
            f"crowdwise_up_seconds {time.time() - desk.project.started:.0f}",
        ]  # fmt: skip
        return PlainTextResponse("\n".join(lines) + "\n")

    @router.post("/setup")
    async def setup(person: Person = admin) -> dict[str, str]:
        """Label Studio asks for the version of the model."""
        return {"model_version": "crowdwise"}

    @router.post("/predict")
    async def predict(body: dict[str, Any], person: Person = admin) -> dict[str, Any]:
        """Label Studio asks for labels of tasks: one prediction each, with its score. data.item or id name the item."""
        tasks = body.get("tasks")
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise HTTPException(422, "tasks: a list of tasks is expected")
        kind, found = desk.project.asked.kind, by_item(desk.project)
        named, results = names_in(body.get("label_config"), kind), list[dict[str, Any]]()
        for task in tasks:
            name = _name(task)
            rows = found.get(name)
            if rows is None:
                results.append({})
                continue
            text = desk.project.item(desk.project.names[name]).content.get("text", "")
            score = min((row["confidence"] for row in rows if "confidence" in row), default=None)
            results.append({"model_version": "crowdwise", "result": told(kind, rows, named, text), "score": score})
        return {"results": results, "model_version": "crowdwise"}

    @router.post("/webhook", status_code=201)
    async def webhook(body: dict[str, Any], person: Person = admin) -> dict[str, int]:
        """Label Studio tells of annotations: each answer is a vote of its author."""
        if body.get("action") not in ACTIONS:
            return {"votes": 0}
        if body["action"] in DELETED:
            listed = body["annotations"] if isinstance(body.get("annotations"), list) else []
            gone = [body.get("annotation"), *listed]
            await take_back(desk, "ls", [one["id"] for one in gone if isinstance(one, dict) and "id" in one])
            return {"votes": 0}
        task, annotation = body.get("task"), body.get("annotation")
        if not isinstance(task, dict) or not isinstance(annotation, dict):
            raise HTTPException(422, "task and annotation: objects are expected")
        item, kind = desk.item_of(_name(task)), desk.project.asked.kind
        said = heard(kind, annotation, desk.project.item(item).content.get("text", ""))
        try:
            label = None if said is None else desk.project.asked.kept(said, desk.project.item(item))
        except InputError as error:
            if kind != "classes":
                raise HTTPException(422, str(error)) from error
            label = None  # it names another class, so that what was said before does not hold
        author = annotation.get("completed_by")
        author = author.get("id", author.get("email")) if isinstance(author, dict) else author
        if author is None:
            raise HTTPException(422, "completed_by: an id or an email is expected")
        key = key_of("ls", annotation.get("id", uuid.uuid4()), f"{annotation.get('updated_at', '')}:{label}")
        return {"votes": await take(desk, key, item, f"label-studio {author}"[:256], label)}

    return router


def _name(task: dict[str, Any]) -> str:
    """The item that a task of Label Studio is about."""
    data = task.get("data")
    return str(data.get("item", task.get("id")) if isinstance(data, dict) else task.get("id"))
