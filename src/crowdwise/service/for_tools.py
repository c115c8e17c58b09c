"""Routes of other tools: health, metrics, Label Studio's ML backend and webhooks."""

from __future__ import annotations

import time
import uuid
from typing import Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import PlainTextResponse

from .desk import Desk, labels_of
from .store import Person, Said

CHOICE = {"from_name": "label", "to_name": "text", "type": "choices"}


def routes(desk: Desk) -> APIRouter:
    """For tools that have an admin's token; health is for everybody."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    @router.get("/health")
    async def health() -> dict[str, Any]:
        """Whether it runs."""
        return {"status": "UP", "votes": desk.project.answers, "estimate": desk.project.broken or "running"}

    @router.get("/metrics")
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
        found = {one["item"]: one for one in labels_of(desk.project)}
        results = []
        for task in tasks:
            one = found.get(_name(task))
            results.append({} if one is None else {
                "model_version": "crowdwise", "score": one["confidence"],
                "result": [{**CHOICE, "value": {"choices": [one["label"]]}}],
            })  # fmt: skip
        return {"results": results, "model_version": "crowdwise"}

    @router.post("/webhook", status_code=201)
    async def webhook(body: dict[str, Any], person: Person = admin) -> dict[str, int]:
        """Label Studio tells of annotations: each choice is a vote of its author."""
        if body.get("action") not in ("ANNOTATION_CREATED", "ANNOTATION_UPDATED"):
            return {"votes": 0}
        task, annotation = body.get("task"), body.get("annotation")
        if not isinstance(task, dict) or not isinstance(annotation, dict):
            raise HTTPException(422, "task and annotation: objects are expected")
        item, label = desk.item_of(_name(task)), _choice(annotation)
        if label is None or label not in desk.project.classes:
            return {"votes": 0}
        author = annotation.get("completed_by")
        author = author.get("id", author.get("email")) if isinstance(author, dict) else author
        who = f"label-studio {author}"
        known = next((one for one in desk.project.people.values() if one.name == who), None)
        if known is None:
            desk.project.store.add_person(who, "annotator")
            desk.project.people = desk.project.store.people()
            known = next(one for one in desk.project.people.values() if one.name == who)
        key = f"ls:{annotation.get('id', uuid.uuid4())}:{annotation.get('updated_at', '')}"[:64]
        return {"votes": int(await desk.keep(Said(key, item, known.id, label, None, time.time())))}

    return router


def _name(task: dict[str, Any]) -> str:
    """The item that a task of Label Studio is about."""
    data = task.get("data")
    return str(data.get("item", task.get("id")) if isinstance(data, dict) else task.get("id"))


def _choice(annotation: dict[str, Any]) -> str | None:
    """The one choice of a Label Studio annotation."""
    for result in annotation.get("result") or []:
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, dict) and isinstance(value.get("choices"), list) and len(value["choices"]) == 1:
            return str(value["choices"][0])
    return None
