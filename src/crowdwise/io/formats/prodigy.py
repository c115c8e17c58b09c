"""Prodigy: a JSON line an answer; binary questions, choices, and spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..answers import Answers
from ..file_content import as_lines
from ..outgoing import Labels, Said, items_of
from .format import Format
from .spans import OUTSIDE, Spans

CHOICE, SPANS, COMPARE = "choice", "spans", "compare"  # questions; those that are asked of a label have its name
OF_ONE = {"_annotator_id", "_session_id", "_timestamp", "answer", "accept", "spans"}  # of an annotator, not of a task


def is_export(record: dict[str, Any]) -> bool:
    """Hashes of input and task."""
    return {"_input_hash", "_task_hash"} <= record.keys()


def read(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """A choice is a vote on the input; accept or reject of a label is a vote on the task; spans are votes on places."""
    spans = Spans(SPANS, answers)
    for _, record in found:
        who = answers.named(record.get("_annotator_id") or record.get("_session_id"), "_annotator_id")
        answer, time = record.get("answer"), record.get("_timestamp")
        for key in ("_input_hash", "_task_hash"):
            answers.show(record.get(key), record.get("text"))
        if answer not in ("accept", "reject", "ignore"):
            answers.fail("answer", f"{answer!r} is not accept, reject or ignore")
        if answer == "ignore":
            answers.skip("ignored")
        elif {"A", "B"} <= record.keys() and isinstance(record.get("mapping"), dict):
            _compare(record, answer, str(who), answers)
        elif "options" in record or "accept" in record:
            _choice(record, answer, str(who), answers, time)
        elif "spans" in record and not record.get("_is_binary"):
            if answer == "reject":
                answers.skip("rejected")
                continue
            marked = [
                (span.get("start"), span.get("end"), span.get("label"))
                for span in answers.objects(record["spans"], "spans")
            ]
            spans.mark(answers.named(record.get("_input_hash"), "_input_hash"), str(who), marked)
        elif "label" in record:
            answers.vote(
                str(answers.named(record["label"], "label")), record.get("_task_hash"), str(who), answer, time=time
            )
        else:
            answers.vote("answer", record.get("_task_hash"), str(who), answer, time=time)
    spans.tell()


def write_votes(found: Iterable[tuple[Any, list[Said]]], classes: list[Any]) -> Iterator[dict[str, Any]]:
    """A choice among classes a vote."""
    for item, said in found:
        for vote in said:
            time = {} if vote.time is None else {"_timestamp": vote.time}
            who = {"_annotator_id": vote.annotator, "_session_id": vote.annotator}
            yield _task(item, classes) | {"accept": [vote.label], "answer": "accept", **time, **who}


def write_labels(
    labels: Labels, question: str, records: Iterable[tuple[str, dict[str, Any]]] | None
) -> Iterator[dict[str, Any]]:
    """A task an item, answered; the tasks of the export that the votes came from, if there is one."""
    if records is None:
        for item, label, sure in labels:
            yield _task(item, labels.classes.tolist()) | {"accept": [label], "answer": "accept", "score": sure}
        return
    spans = _spans_by_document(labels) if question == SPANS else {}
    key, seen = "_input_hash" if question in (CHOICE, SPANS) else "_task_hash", set()
    for _, record in records:
        item = record.get(key)
        if item in seen:
            continue
        seen.add(item)
        task = {name: value for name, value in record.items() if name not in OF_ONE}
        found = labels.of(item)
        if question == SPANS and str(item) in spans:
            yield task | {"spans": spans[str(item)], "answer": "accept"}
        elif found is not None:
            answer = {"accept": [found[0]], "answer": "accept"} if question == CHOICE else {"answer": found[0]}
            yield task | answer | {"score": found[1]}


def _task(item: Any, classes: list[Any]) -> dict[str, Any]:
    options = [{"id": name, "text": str(name)} for name in classes]
    return {"text": str(item), "options": options, "_input_hash": item, "_task_hash": item, "_view_id": "choice"}


def _spans_by_document(labels: Labels) -> dict[str, list[dict[str, Any]]]:
    """Places that have a label, of each document that has places."""
    spans: dict[str, list[dict[str, Any]]] = {}
    assert labels.keys is not None
    for (document, start, end), label, sure in zip(
        labels.keys.rows(), labels.labels, labels.confidence.round(6).tolist(), strict=True
    ):
        marked = spans.setdefault(document, [])
        if label not in (None, OUTSIDE):
            marked.append({"start": start, "end": end, "label": label, "score": sure})
    return spans


def _compare(record: dict[str, Any], answer: str, who: str, answers: Answers) -> None:
    """`prodigy compare`: two versions, shown as A and B; `mapping` says which is accepted if A or B is."""
    sides = {side: _version(record[side], record["mapping"].get(side), side) for side in ("A", "B")}
    accepted = next((side for side, means in record["mapping"].items() if means == "accept"), "A")
    other = "B" if accepted == "A" else "A"
    better = accepted if answer == "accept" else other
    answers.other(COMPARE, "comparisons", sides["A"], sides["B"], who, "left" if better == "A" else "right",
                  record.get("_input_hash"))  # fmt: skip


def _version(content: Any, means: Any, side: str) -> str:
    """What a side shows: its text, or the version that stands behind it."""
    text = content.get("text", content.get("id")) if isinstance(content, dict) else content
    return str(text or means or side)


def _choice(record: dict[str, Any], answer: str, who: str, answers: Answers, time: Any) -> None:
    accepted, config = answers.listed(record.get("accept"), "accept"), record.get("config")
    if answer == "reject":
        answers.skip("rejected")
    elif (isinstance(config, dict) and config.get("choice_style") == "multiple") or len(accepted) > 1:
        answers.other(CHOICE, "label-sets", record.get("_input_hash"), who, accepted)
    elif not accepted:
        answers.skip("nothing chosen")
    else:
        answers.vote(CHOICE, record.get("_input_hash"), who, accepted[0], time=time)


PRODIGY = Format(
    "records",
    looks=is_export,
    read=read,
    votes=lambda crowd, question: as_lines(write_votes(items_of(crowd), crowd.classes.tolist())),
    labels=lambda labels, question, found: as_lines(write_labels(labels, question, found)),
    room=frozenset({"time"}),
    endings=(".jsonl",),
)
