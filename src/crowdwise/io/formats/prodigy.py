"""Prodigy: a JSON line an answer; binary questions, choices, and spans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..answers import Answers
from .spans import Spans


def is_export(record: dict[str, Any]) -> bool:
    """Hashes of input and task."""
    return {"_input_hash", "_task_hash"} <= record.keys()


def read(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """A choice is a vote on the input; accept or reject of a label is a vote on the task; spans are votes on places."""
    spans = Spans("spans", answers)
    for _, record in found:
        who = answers.named(record.get("_annotator_id") or record.get("_session_id"), "_annotator_id")
        answer, time = record.get("answer"), record.get("_timestamp")
        if answer not in ("accept", "reject", "ignore"):
            answers.fail("answer", f"{answer!r} is not accept, reject or ignore")
        if answer == "ignore":
            answers.skip("ignored")
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


def _choice(record: dict[str, Any], answer: str, who: str, answers: Answers, time: Any) -> None:
    accepted, config = answers.listed(record.get("accept"), "accept"), record.get("config")
    if answer == "reject":
        answers.skip("rejected")
    elif (isinstance(config, dict) and config.get("choice_style") == "multiple") or len(accepted) > 1:
        answers.refuse("choice", "several labels at once")
        answers.skip("several labels at once")
    elif not accepted:
        answers.skip("nothing chosen")
    else:
        answers.vote("choice", record.get("_input_hash"), who, accepted[0], time=time)
