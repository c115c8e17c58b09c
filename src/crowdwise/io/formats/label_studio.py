"""Label Studio: tasks with annotations and predictions (JSON), and one flat record an annotation (JSON_MIN)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..answers import Answers
from ..file_content import as_list
from ..outgoing import Labels, Said, items_of
from .format import Format
from .label_studio_regions import READ, read_region

# Kinds of results that are no choice of one class among several.
NOT_READ = {
    "ranker": "rankings", "datetime": "dates", "relation": "relations", "polygonlabels": "polygons",
    "keypointlabels": "points", "ellipselabels": "ellipses", "timeserieslabels": "spans of time", "video": "tracks",
    "videorectangle": "boxes of videos",
}  # fmt: skip
OTHER = {"rating": "rating", "number": "number", "pairwise": "selected"}  # of another kind, and where the answer is
ITEM = "item"  # what data are called where there is nothing but an item's name
FEW = 5
RESERVED = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}


def is_export(record: dict[str, Any]) -> bool:
    """A task: data, and annotations (in old exports completions) or predictions."""
    return "data" in record and not record.keys().isdisjoint({"annotations", "completions", "predictions"})


def read(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """Questions are the results' `from_name`; predictions are machines named by `model_version`."""
    for where, task in found:
        item = task.get("id", where)
        answers.show(item, task.get("data"))
        for annotation in answers.objects(task.get("annotations", task.get("completions")), "annotations"):
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                answers.skip("skipped")
                continue
            who = _person(annotation.get("completed_by"), answers)
            more: dict[str, Any] = {"time": annotation.get("created_at"), "seconds": annotation.get("lead_time")}
            _others(annotation, item, task.get("data"), who, answers)
            answers.saw(item, who)
            for question, label in _choices(annotation, item, who, answers):
                if annotation.get("ground_truth") or annotation.get("was_ground_truth"):
                    answers.known(question, item, label)  # and no vote: nobody is measured by their own word
                else:
                    answers.vote(question, item, who, label, **more)
        for prediction in answers.objects(task.get("predictions"), "predictions"):
            model = prediction.get("model_version") or "prediction"
            _others(prediction, item, task.get("data"), str(model), answers)
            for question, label in _choices(prediction, item, str(model), answers):
                sure = answers.chance(prediction.get("score"))
                answers.vote(question, item, str(model), label, kind="machine", probability=sure)


def write_votes(found: Iterable[tuple[Any, list[Said]]], question: str) -> Iterator[dict[str, Any]]:
    """Tasks with annotations, and predictions of machines."""
    for item, said in found:
        task: dict[str, Any] = {"id": item, "data": {ITEM: item}, "annotations": [], "predictions": []}
        for vote in said:
            result = [_choice(question, ITEM, vote.label)]
            if vote.machine:
                score = {} if vote.probability is None else {"score": vote.probability}
                task["predictions"].append({"model_version": str(vote.annotator), **score, "result": result})
            else:
                more = {"created_at": vote.time, "lead_time": vote.seconds}
                more = {name: value for name, value in more.items() if value is not None}
                task["annotations"].append({"completed_by": _id(vote.annotator), **more, "result": result})
        yield task


def write_labels(
    labels: Labels, question: str, tasks: Iterable[tuple[str, dict[str, Any]]] | None
) -> Iterator[dict[str, Any]]:
    """Tasks with a prediction each, those that have a label; of the export that the votes came from, if there is one.

    `score` is the confidence: Label Studio's uncertainty sampling shows the lowest first.
    """
    told = "text"
    source = ((f"{item}", {"id": item, "data": {ITEM: item}}) for item, _, _ in labels) if tasks is None else tasks
    for where, task in source:
        told = _shown(task, question) or (told if tasks is not None else ITEM)
        found = labels.of(task.get("id", where))
        if found is None:  # imported once more, a task without a prediction would be one task too many
            continue
        result = _number(task, question, told, found[0]) if labels.are_numbers else _choice(question, told, found[0])
        score = {} if found[1] is None else {"score": found[1]}
        prediction = {"model_version": labels.model, **score, "result": [result]}
        yield {name: task[name] for name in ("id", "data") if name in task} | {"predictions": [prediction]}


def is_flat(record: dict[str, Any]) -> bool:
    """A record an annotation."""
    return {"annotation_id", "annotator"} <= record.keys()


def read_flat(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """Questions and data are keys alike here: a key that nearly every item has a value of its own of is data."""
    for _, record in found:
        item = answers.named(record.get("id"), "id")
        who = _person(record.get("annotator"), answers)
        more: dict[str, Any] = {"time": record.get("created_at"), "seconds": record.get("lead_time")}
        for question, value in record.items():
            if question in RESERVED:
                continue
            if isinstance(value, dict) and set(value) == {"choices"}:
                answers.other(question, "label-sets", item, who, answers.listed(value["choices"], "choices"))
            elif isinstance(value, dict) and set(value) == {"rating"}:
                answers.other(question, "ratings", item, who, answers.amount(value["rating"], "rating"))
            elif isinstance(value, str | int | float) and value != "":
                answers.vote(question, item, who, value, **more)
            elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and "rating" in value[0]:
                answers.other(question, "ratings", item, who, answers.amount(value[0]["rating"], "rating"))
            elif isinstance(value, list):
                answers.refuse(question, "spans, boxes or several results")
    answers.data = {name for name, columns in answers.votes.items() if _is_data(columns)}


def _is_data(columns: dict[str, list[Any]]) -> bool:
    """Of a few items nobody can tell."""
    items = len(set(columns["item"]))
    return items >= FEW and 2 * len(set(columns["label"])) > items


def _id(name: Any) -> Any:
    """A user's number as a number, as Label Studio has it."""
    return int(name) if str(name).isascii() and str(name).isdecimal() and str(int(name)) == str(name) else name


def _choice(question: str, shown: str, label: Any) -> dict[str, Any]:
    return {"from_name": question, "to_name": shown, "type": "choices", "value": {"choices": [label]}}


def _number(task: dict[str, Any], question: str, shown: str, value: float) -> dict[str, Any]:
    """A value as people answered: stars are whole."""
    kind = _told(task, question, "type")
    said = {"rating": round(value)} if kind == "rating" else {"number": round(value, 6)}
    return {"from_name": question, "to_name": shown, "type": kind or "number", "value": said}


def _shown(task: dict[str, Any], question: str) -> str | None:
    """What a question is about (`to_name`), by the answers to it."""
    return _told(task, question, "to_name")


def _told(task: dict[str, Any], question: str, field: str) -> str | None:
    """What the first answer to a question says of it."""
    for annotation in [*(task.get("annotations") or task.get("completions") or []), *(task.get("predictions") or [])]:
        for result in annotation.get("result") or []:
            if isinstance(result, dict) and result.get("from_name") == question:
                return str(result.get(field))
    return None


def _choices(annotation: dict[str, Any], item: Any, who: str, answers: Answers) -> Iterable[tuple[str, Any]]:
    """The single choices among results; the others are answers of another kind, or are refused by what they are."""
    results = answers.objects(annotation.get("result"), "result")
    for result in results:
        question, kind, value = str(result.get("from_name")), result.get("type"), result.get("value")
        if kind in OTHER:
            continue
        if kind in READ:
            read_region(result, item, who, answers)
        elif kind != "choices" or not isinstance(value, dict):
            answers.refuse(question, NOT_READ.get(str(kind), f"results of type {kind!r}"))
        elif "start" in value or "x" in value:
            answers.refuse(question, "choices on regions")
        elif not isinstance(value.get("choices"), list) or not value["choices"]:
            answers.fail("choices", "a list of labels is expected")
        elif len(value["choices"]) > 1:
            answers.other(question, "label-sets", item, who, value["choices"])
        else:
            yield question, value["choices"][0]


def _others(annotation: dict[str, Any], item: Any, data: Any, who: str, answers: Answers) -> None:
    """Ratings, numbers, and which of two is better."""
    for result in answers.objects(annotation.get("result"), "result"):
        question, kind, value = str(result.get("from_name")), str(result.get("type")), result.get("value")
        if kind not in OTHER:
            continue
        said = value.get(OTHER[kind]) if isinstance(value, dict) else None
        if kind != "pairwise":
            number = answers.amount(said, OTHER[kind])
            answers.other(question, "ratings", item, who, number)
            continue
        if said not in ("left", "right"):
            answers.fail("selected", f"{str(said)[:40]!r} is neither left nor right")
        left, right = _sides(result.get("to_name"), item, data)
        answers.other(question, "comparisons", left, right, who, said, item)


def _sides(shown: Any, item: Any, data: Any) -> tuple[str, str]:
    """What stood left and right: what the task's data say under those names, or the task's name and a side."""
    names = [name.strip() for name in str(shown).split(",")]
    data = data if isinstance(data, dict) else {}
    texts = [data.get(name) for name in names]
    if len(names) == 2 and all(isinstance(text, str) and text for text in texts) and texts[0] != texts[1]:
        return str(texts[0]), str(texts[1])
    return f"{item}: left", f"{item}: right"


def _person(who: Any, answers: Answers) -> str:
    """An id, or an object with one."""
    return str(answers.named(who.get("id", who.get("email")) if isinstance(who, dict) else who, "completed_by"))


LABEL_STUDIO = Format(
    "records",
    looks=is_export,
    read=read,
    votes=lambda crowd, question: as_list(write_votes(items_of(crowd), question)),
    labels=lambda labels, question, tasks: as_list(write_labels(labels, question, tasks)),
    room=frozenset({"time", "seconds", "probability", "kind"}),
    endings=(".json",),
)
LABEL_STUDIO_MIN = Format("records", looks=is_flat, read=read_flat)
