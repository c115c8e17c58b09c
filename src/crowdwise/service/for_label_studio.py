"""Routes of Label Studio: its ML backend, which predicts and says what comes next, and its webhooks."""

from __future__ import annotations

import uuid
from typing import Any

from fastapi import APIRouter, Depends, HTTPException
from fastapi.concurrency import run_in_threadpool

from ..errors import InputError
from .asked.answer import Item
from .desk import Desk, by_item
from .elsewhere import key_of, take, take_back
from .store import Person
from .studio import heard, names_in, told
from .told import LONGEST

DELETED = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")
ACTIONS = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "TASKS_CREATED", *DELETED)


def routes(desk: Desk) -> APIRouter:
    """For a Label Studio that has an admin's token."""
    router = APIRouter()
    admin = Depends(desk.guard.role("admin"))

    @router.post("/setup")
    async def setup(person: Person = admin) -> dict[str, str]:
        """Label Studio asks for the version of the model."""
        return {"model_version": "crowdwise"}

    @router.post("/predict")
    async def predict(body: dict[str, Any], person: Person = admin) -> dict[str, Any]:
        """Label Studio asks for labels of tasks: one prediction each. data.item or id name the item.

        The score of a prediction says how far down the task is in the order of what is asked next, from 0 (first) to 1,
        so that sampling by uncertainty hands tasks out in that order; how sure an answer is stands in its results.
        """
        tasks = body.get("tasks")
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise HTTPException(422, "tasks: a list of tasks is expected")
        kind = desk.project.asked.kind
        found, wanted = await run_in_threadpool(lambda: (by_item(desk.project), desk.project.wanted()))
        named, results = names_in(body.get("label_config"), kind), list[dict[str, Any]]()
        for task in tasks:
            name = _name(task)
            if name not in desk.project.names:
                results.append({})
                continue
            code, rows = desk.project.names[name], found.get(name, [])
            text = desk.project.item(code).content.get("text", "")
            answer = told(kind, rows, named, text)
            sure = min((row["confidence"] for row in rows if row.get("confidence") is not None), default=None)
            answer = answer if sure is None else [{**one, "score": one.get("score", sure)} for one in answer]
            score = float(wanted[desk.project.place[code]])
            results.append({"model_version": "crowdwise", "result": answer, "score": score})
        return {"results": results, "model_version": "crowdwise"}

    @router.post("/webhook", status_code=201)
    async def webhook(body: dict[str, Any], person: Person = admin) -> dict[str, int]:
        """Label Studio tells of annotations: each answer is a vote of its author."""
        if body.get("action") not in ACTIONS:
            return {"votes": 0}
        if body["action"] == "TASKS_CREATED":
            desk.add_items([_item(desk, task) for task in _objects(body, "tasks")])
            return {"votes": 0}
        if body["action"] in DELETED:
            listed = body["annotations"] if isinstance(body.get("annotations"), list) else []
            gone = [*_objects(body, "annotation"), *listed]
            await take_back(desk, "ls", [one["id"] for one in gone if isinstance(one, dict) and "id" in one])
            return {"votes": 0}
        annotations, tasks = _objects(body, "annotation"), _objects(body, "task")
        if not annotations or not tasks:
            raise HTTPException(422, "task and annotation: objects are expected")
        by_id = {str(task.get("id")): task for task in tasks}
        pairs = [(by_id.get(str(one.get("task")), tasks[0] if len(tasks) == 1 else None), one) for one in annotations]
        if any(task is None for task, _ in pairs):
            raise HTTPException(422, "task: that of each annotation is expected")
        return {"votes": sum([await _vote(desk, task, annotation) for task, annotation in pairs if task is not None])}

    return router


async def _vote(desk: Desk, task: dict[str, Any], annotation: dict[str, Any]) -> int:
    """What an annotation says, as a vote of its author; how many votes that is."""
    if _name(task) not in desk.project.names:  # it came after the project began
        desk.add_items([_item(desk, task)])
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
    return await take(desk, key, item, f"label-studio {author}"[:256], label)


def _objects(body: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects under a name: one, or a list of them."""
    told = body.get(name)
    return [one for one in (told if isinstance(told, list) else [told]) if isinstance(one, dict)]


def _item(desk: Desk, task: dict[str, Any]) -> Item:
    """A task of Label Studio as an item: what of its data is shown by a project of this kind."""
    data = task.get("data")
    shown = (
        {kind: str(value) for kind, value in data.items() if kind in desk.project.asked.shows}
        if isinstance(data, dict)
        else {}
    )
    return Item.of(_name(task), shown)


def _name(task: dict[str, Any]) -> str:
    """The item that a task of Label Studio is about."""
    data = task.get("data")
    return str(data.get("item", task.get("id")) if isinstance(data, dict) else task.get("id"))[:LONGEST]
