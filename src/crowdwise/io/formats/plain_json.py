"""Plain JSON: list columns as Hugging Face's data sets have them, judges' distributions, peerannot's nested answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from ...votes.frames import find_column
from ...votes.soft import ROUNDED
from ..answers import Answers
from ..file_content import as_lines, as_object
from ..listed import pair_of_lists
from ..outgoing import Said, items_of
from .format import Format

CHANCES, LOGS = ("probabilities", "distribution"), ("logprobs", "top_logprobs")


def has_lists(record: dict[str, Any]) -> bool:
    """A list of annotators beside a list of labels."""
    return _pair(record) is not None


def read_lists(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """An item a record: who voted, and what, side by side."""
    for where, record in found:
        pair = _pair(record)
        if pair is None:
            answers.fail("annotators", "lists of annotators and of labels are expected")
        people, said = record[pair[0]], record[pair[1]]
        if len(people) != len(said):
            answers.fail(pair[1], f"{len(people)} in {pair[0]!r} and {len(said)} in {pair[1]!r}")
        item = find_column("item", list(record))
        for who, label in zip(people, said, strict=True):
            if label is None or label == "":
                answers.skip("empty")
            else:
                answers.vote("", record[item] if item else where, who, label)


def write_lists(found: Iterable[tuple[Any, list[Said]]]) -> Iterator[dict[str, Any]]:
    """An item a record."""
    for item, said in found:
        people, labels = [vote.annotator for vote in said], [vote.label for vote in said]
        yield {"item": item, "annotators": people, "labels": labels}


def is_judgement(record: dict[str, Any]) -> bool:
    """A distribution over classes, of an item and an annotator."""
    told = any(isinstance(record.get(name), dict | list) for name in (*CHANCES, *LOGS))
    return told and all(find_column(role, record) for role in ("item", "annotator"))


def read_judgements(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """`probabilities` by class, or `logprobs`, by class or as a list of token and logprob; `kind` may say human."""
    for _, record in found:
        field = next((name for name in (*CHANCES, *LOGS) if record.get(name)), None)
        if field is None:
            answers.fail(CHANCES[0], "a probability for each class is expected")
        given = record[field]
        if isinstance(given, list):
            given = {str(one.get("token")): one.get("logprob") for one in answers.objects(given, field)}
        if (
            not isinstance(given, dict)
            or not given
            or not all(isinstance(value, int | float) for value in given.values())
        ):
            answers.fail(field, "a number for each class is expected")
        chances = {label: math.exp(min(value, 1.0)) for label, value in given.items()} if field in LOGS else given
        if (total := sum(chances.values())) > 1.0 + ROUNDED:
            answers.fail(field, f"the probabilities sum to {total:.4g}, more than 1")
        item, who = (record.get(find_column(role, record) or "") for role in ("item", "annotator"))
        kind = record.get("kind", "machine")
        if kind not in ("human", "machine"):
            answers.fail("kind", f"{str(kind)[:40]!r} is neither human nor machine")
        label = max(chances, key=lambda name: chances[name])  # the likeliest is the vote; the others are classes
        answers.vote("", item, who, label, kind=kind, probability=min(chances[label], 1.0))
        answers.classes.setdefault("", {}).update(dict.fromkeys(chances))


def is_nested(content: dict[str, Any]) -> bool:
    """{item: {annotator: label}}: an object of objects of plain values."""
    return bool(content) and all(
        isinstance(votes, dict) and all(isinstance(label, str | int | float) for label in votes.values())
        for votes in content.values()
    )


def read_nested(found: Iterable[tuple[str, dict[str, Any]]], answers: Answers) -> None:
    """peerannot's answers, in one object or in several."""
    for _, content in found:
        for item, votes in content.items():
            if not isinstance(votes, dict):
                answers.fail(item, "an object of annotators and labels is expected")
            for annotator, label in votes.items():
                answers.vote("", item, annotator, label)


def write_nested(found: Iterable[tuple[Any, list[Said]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Items and their votes by annotator, of whom the last counts."""
    for item, said in found:
        yield str(item), {str(vote.annotator): vote.label for vote in said}


def _pair(record: dict[str, Any]) -> tuple[str, str] | None:
    return pair_of_lists({name: isinstance(value, list) for name, value in record.items()})


LISTS = Format(
    "records",
    looks=has_lists,
    read=read_lists,
    votes=lambda crowd, question: as_lines(write_lists(items_of(crowd))),
    endings=(".jsonl",),
)
JUDGEMENTS = Format("records", looks=is_judgement, read=read_judgements)
PEERANNOT = Format(
    "records",
    looks=is_nested,
    read=read_nested,
    votes=lambda crowd, question: as_object(write_nested(items_of(crowd))),
    once=True,
    endings=(".json",),
)
