"""Argilla: records with responses and suggestions, nested, or flat as its data sets have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any
from zlib import crc32

from ...votes.frames import plain_name
from ..answers import Answers
from ..file_content import as_lines, as_list
from ..outgoing import Labels, Said, items_of
from .format import Format

SUGGESTION = "suggestion"


def is_export(record: dict[str, Any]) -> bool:
    """Responses by question."""
    return isinstance(record.get("responses"), dict) and ("fields" in record or "suggestions" in record)


def read(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """`responses` hold a list of values for each question, `suggestions` what machines say."""
    for where, record in found:
        item = record.get("id", record.get("_server_id", where))
        answers.show(item, record.get("fields"))
        for question, given in _by_question(record, "responses", answers):
            for one in answers.objects(given, question):
                _vote(answers, question, item, one.get("user_id"), one.get("value"), record.get("fields"))
        for question, said in _by_question(record, "suggestions", answers):
            for one in answers.objects([said] if said else [], question):
                _suggest(answers, question, item, one, record.get("fields"))


def is_flat(record: dict[str, Any]) -> bool:
    """Columns such as `label.responses`."""
    return any(name.endswith(".responses") for name in record)


def read_flat(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """`q.responses`, `q.responses.users`, `q.responses.status` are lists side by side; discarded ones are no votes."""
    for where, record in found:
        item = record.get("id", record.get("_server_id", where))
        answers.show(item, record)
        for question in (name.removesuffix(".responses") for name in record if name.endswith(".responses")):
            values, users, status = (
                answers.listed(record.get(f"{question}.responses{part}"), f"{question}.responses{part}")
                for part in ("", ".users", ".status")
            )
            if len(values) != len(users) or (status and len(status) != len(values)):
                text = f"{len(values)} responses, {len(users)} users, {len(status)} states"
                answers.fail(f"{question}.responses", text)
            for place, (value, user) in enumerate(zip(values, users, strict=True)):
                if status and status[place] != "submitted":
                    answers.skip(f"responses that are {status[place]}")
                else:
                    _vote(answers, question, item, user, value, record)
            said = {"value": record.get(f"{question}.suggestion")}
            said |= {part: record.get(f"{question}.suggestion.{part}") for part in ("score", "agent")}
            if said["value"] is not None:
                _suggest(answers, question, item, said, record)


def write_votes(found: Iterable[tuple[Any, list[Said]]], question: str) -> Iterator[dict[str, Any]]:
    """Records with responses; the first machine's vote is the suggestion, and Argilla has room for one."""
    for item, said in found:
        given = [{"value": vote.label, "user_id": vote.annotator} for vote in said if not vote.machine]
        record = {"id": item, "fields": {"item": str(item)}, "responses": {question: given}, "suggestions": {}}
        for vote in [vote for vote in said if vote.machine][:1]:
            record["suggestions"] = {question: _suggestion(vote.label, vote.probability, vote.annotator)}
        yield record


def write_flat_votes(found: Iterable[tuple[Any, list[Said]]], question: str) -> Iterator[dict[str, Any]]:
    """The same, flat."""
    for record in write_votes(found, question):
        given, suggested = record["responses"][question], record["suggestions"].get(question, {})
        yield {
            "id": record["id"],
            "item": record["fields"]["item"],
            f"{question}.responses": [one["value"] for one in given],
            f"{question}.responses.users": [one["user_id"] for one in given],
            f"{question}.responses.status": ["submitted"] * len(given),
            **{f"{question}.suggestion{'' if name == 'value' else f'.{name}'}": suggested[name] for name in suggested},
        }


def write_labels(
    labels: Labels, question: str, records: Iterable[tuple[str, dict[str, Any]]] | None
) -> Iterator[dict[str, Any]]:
    """Records with a suggestion: those of the nested export that the votes came from, if there is one."""
    source = ((f"{item}", {"id": item, "fields": {"item": str(item)}}) for item, _, _ in labels)
    for where, record in source if records is None else records:
        found = labels.of(record.get("id", record.get("_server_id", where)))
        if labels.are_numbers:  # the order of what was ranked, or stars, which are whole
            ranks = _ranks(labels, record, question)
            found = (ranks, None) if ranks else found and (round(found[0]), None)
        kept = {name: record[name] for name in ("id", "_server_id", "fields", "metadata") if name in record}
        suggested = {} if found is None else {question: _suggestion(*found, labels.model)}
        yield kept | {"suggestions": suggested}


def _suggestion(value: Any, score: Any, agent: Any) -> dict[str, Any]:
    return {"value": value, **({} if score is None else {"score": score}), "agent": str(agent)}


def _vote(answers: Answers, question: str, item: Any, user: Any, value: Any, fields: Any) -> None:
    if _is_ranking(value):
        _rank(answers, question, item, str(answers.named(user, "user_id")), value, fields)
    elif _readable(answers, question, item, str(user), value):
        answers.vote(question, item, str(answers.named(user, "user_id")), value)


def _by_question(record: dict[str, Any], name: str, answers: Answers) -> Iterable[tuple[str, Any]]:
    given = record.get(name) or {}
    return given.items() if isinstance(given, dict) else answers.fail(name, "an object of questions is expected")


def _suggest(answers: Answers, question: str, item: Any, said: dict[str, Any], fields: Any) -> None:
    if _is_ranking(said.get("value")):
        _rank(answers, question, item, str(said.get("agent") or SUGGESTION), said["value"], fields)
    elif _readable(answers, question, item, str(said.get("agent") or SUGGESTION), said.get("value")):
        sure = answers.chance(said.get("score"))
        answers.vote(
            question, item, str(said.get("agent") or SUGGESTION), said["value"], kind="machine", probability=sure
        )


def _is_ranking(value: Any) -> bool:
    """A list of options, each with its rank."""
    return bool(isinstance(value, list) and value and all(isinstance(one, dict) and "rank" in one for one in value))


def _rank(answers: Answers, question: str, item: Any, who: str, value: list[dict[str, Any]], fields: Any) -> None:
    """A ranking as a comparison of each two of its options; equal ranks are ties.

    Options that are fields of the record, such as response-1, stand for other texts in each record: these are compared.
    """
    for option in value:
        answers.named(option.get("value"), question)
    ranks = [answers.amount(option["rank"], "rank") for option in value]
    ranked = list(zip(_options(value, fields), ranks, strict=True))
    for pair in combinations(ranked, 2):
        turned = crc32(f"{item} {who} {pair}".encode()) % 2  # a ranking has no sides: neither wins more often
        (left, one), (right, other) = pair[::-1] if turned else pair
        winner = "tie" if one == other else "left" if one < other else "right"
        answers.other(question, "comparisons", left, right, who, winner, item)


def _ranks(labels: Labels, record: dict[str, Any], question: str) -> list[dict[str, Any]] | None:
    """The options that people ranked, by their scores; None where nobody ranked any."""
    given = (record.get("responses") or {}).get(question) or []
    value = next((one["value"] for one in given if _is_ranking(one.get("value"))), None)
    scored = None if value is None else [labels.of(name) for name in _options(value, record.get("fields"))]
    if value is None or scored is None or None in scored:
        return None
    scores = [float(one[0]) for one in scored if one is not None]
    ranked = [
        {"value": one["value"], "rank": 1 + sum(better > score for better in scores)}
        for one, score in zip(value, scores, strict=True)
    ]
    return sorted(ranked, key=lambda one: one["rank"])


def _options(value: list[dict[str, Any]], fields: Any) -> list[str]:
    """What a ranking is of: its options, or what stands in the fields of their names, where all are fields."""
    names = [str(one.get("value")) for one in value]
    shown = {plain_name(name): text for name, text in fields.items()} if isinstance(fields, dict) else {}
    texts = [shown.get(plain_name(name)) for name in names]
    whole = all(isinstance(text, str) and text for text in texts) and len(set(texts)) == len(texts)
    return [str(text) for text in texts] if whole else names


def _readable(answers: Answers, question: str, item: Any, who: str, value: Any) -> bool:
    """One label; lists are several labels or spans, which are answers of their kind."""
    if isinstance(value, str | int | float) and value != "":
        return True
    if value in (None, "", []):
        answers.skip("empty")
        return False
    if not isinstance(value, list):
        answers.refuse(question, "answers of another kind")
    elif all(isinstance(one, dict) for one in value):
        for one in value:
            answers.other(question, "spans", item, who, one.get("start"), one.get("end"), str(one.get("label")))
    else:
        answers.other(question, "label-sets", item, who, value)
    return False


ROOM = frozenset({"probability", "kind"})
ARGILLA = Format(
    "records",
    looks=is_export,
    read=read,
    votes=lambda crowd, question: as_list(write_votes(items_of(crowd), question)),
    labels=lambda labels, question, found: as_list(write_labels(labels, question, found)),
    room=ROOM,
    endings=(".json",),
)
ARGILLA_FLAT = Format(
    "records",
    looks=is_flat,
    read=read_flat,
    votes=lambda crowd, question: as_lines(write_flat_votes(items_of(crowd), question)),
    room=ROOM,
    endings=(".jsonl",),
)
