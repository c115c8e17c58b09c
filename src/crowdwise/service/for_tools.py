"""Routes of other tools: health, metrics, Label Studio's ML backend and webhooks."""

from __future__ import annotations

import re
import time
import uuid
from typing import Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import PlainTextResponse

from .desk import Desk, labels_of
from .store import Person, Said, hashed

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
            return {"votes": await _deleted(desk, body)}
        task, annotation = body.get("task"), body.get("annotation")
        if not isinstance(task, dict) or not isinstance(annotation, dict):
            raise HTTPException(422, "task and annotation: objects are expected")
        item, label = desk.item_of(_name(task)), _choice(annotation)
        author = annotation.get("completed_by")
        author = author.get("id", author.get("email")) if isinstance(author, dict) else author
        who = f"label-studio {author}"[:256]
        if not is_text(who):
            raise HTTPException(422, "completed_by: this is no text")
        known = next((one for one in desk.project.people.values() if one.name == who), None)
        if known is None:
            desk.project.store.add_person(who, "annotator")
            desk.project.take_people()
            known = next(one for one in desk.project.people.values() if one.name == who)
        key = _key(annotation.get("id", uuid.uuid4()), f"{annotation.get('updated_at', '')}:{label}")
        if desk.project.store.vote_of(key) is not None:  # told twice
            return {"votes": 0}
        await _undone(desk, item, known.id)  # an annotation was changed
        if label is None or label not in desk.project.classes:
            return {"votes": 0}
        return {"votes": int(await desk.keep(Said(key, item, known.id, label, None, time.time())))}

    return router


def _key(annotation: Any, state: str) -> str:
    """The id of the vote that an annotation is, in one of its states: those of one annotation begin alike."""
    told = [hashed(str(part).encode("utf-8", "replace").decode())[:20] for part in (annotation, state)]
    return f"ls:{told[0]}:{told[1]}"


async def _undone(desk: Desk, item: int, person: int) -> bool:
    """Take back what somebody says of an item, if they say anything."""
    earlier = desk.project.standing.get((item, person))
    if earlier is None:
        return False
    return await desk.keep(Said(f"undo:{hashed(earlier)[:40]}", item, person, None, None, time.time(), earlier))


async def _deleted(desk: Desk, body: dict[str, Any]) -> int:
    """Votes of annotations that are gone are taken back: one of them, or a list."""
    gone = [body.get("annotation"), *(body["annotations"] if isinstance(body.get("annotations"), list) else [])]
    starts = tuple(
        _key(one["id"], "").rpartition(":")[0] + ":" for one in gone if isinstance(one, dict) and "id" in one
    )
    there = [pair for pair, vote in desk.project.standing.items() if starts and vote.startswith(starts)]
    for item, person in there:
        await _undone(desk, item, person)
    return 0


def _tags(config: Any) -> dict[str, str]:
    """What a project calls its choices and what they are of, by its labelling interface."""
    tag = TAG.search(config) if isinstance(config, str) else None
    found = {name: pattern.search(tag[0]) for name, pattern in NAMED.items()} if tag else {}
    return CHOICE | {name: one[1] for name, one in found.items() if one is not None}


def is_text(name: str) -> bool:
    """Whether a name can be kept: half of a letter cannot."""
    return name.encode("utf-8", "replace").decode() == name


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
