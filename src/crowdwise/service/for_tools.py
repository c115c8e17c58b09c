"""Routes of other tools: health, metrics, Label Studio's ML backend and webhooks."""

from __future__ import annotations

import re
import time
import uuid
from typing import Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import PlainTextResponse

from .desk import Desk, labels_of
from .elsewhere import key_of, take, take_back
from .store import Person

DELETED = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")
ACTIONS = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED", *DELETED)
CHOICE = {"from_name": "label", "to_name": "text", "type": "choices"}
TAG = re.compile(r"<Choices\b[^>]*>")
NAMED = {"from_name": re.compile(r"\bname=[\"']([^\"']+)"), "to_name": re.compile(r"\btoName=[\"']([^\"']+)")}


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
        """Label Studio asks for labels of tasks: one prediction each, with a score. data.item or id name it."""
        tasks = body.get("tasks")
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise HTTPException(422, "tasks: a list of tasks is expected")
        found, tags = {one["item"]: one for one in labels_of(desk.project)}, _tags(body.get("label_config"))
        results = []
        for task in tasks:
            one = found.get(_name(task))
            results.append({} if one is None else {
                "model_version": "crowdwise", "score": one["confidence"],
                "result": [{**tags, "value": {"choices": [one["label"]]}}],
            })  # fmt: skip
        return {"results": results, "model_version": "crowdwise"}

    @router.post("/webhook", status_code=201)
    async def webhook(body: dict[str, Any], person: Person = admin) -> dict[str, int]:
        """Label Studio tells of annotations: each choice is a vote of its author."""
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
        item, label = desk.item_of(_name(task)), _choice(annotation)
        author = annotation.get("completed_by")
        author = author.get("id", author.get("email")) if isinstance(author, dict) else author
        if author is None:
            raise HTTPException(422, "completed_by: an id or an email is expected")
        key = key_of("ls", annotation.get("id", uuid.uuid4()), f"{annotation.get('updated_at', '')}:{label}")
        return {"votes": await take(desk, key, item, f"label-studio {author}"[:256], label)}

    return router


def _tags(config: Any) -> dict[str, str]:
    """What a project calls its choices and what they are of, by its labelling interface."""
    tag = TAG.search(config) if isinstance(config, str) else None
    found = {name: pattern.search(tag[0]) for name, pattern in NAMED.items()} if tag else {}
    return CHOICE | {name: one[1] for name, one in found.items() if one is not None}


def _name(task: dict[str, Any]) -> str:
    """The item that a task of Label Studio is about."""
    data = task.get("data")
    return str(data.get("item", task.get("id")) if isinstance(data, dict) else task.get("id"))


def _choice(annotation: dict[str, Any]) -> str | None:
    """The one choice of a Label Studio annotation."""
    results = annotation.get("result")
    for result in results if isinstance(results, list) else []:
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, dict) and isinstance(value.get("choices"), list) and len(value["choices"]) == 1:
            return str(value["choices"][0])
    return None
