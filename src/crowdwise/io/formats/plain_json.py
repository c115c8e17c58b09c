"""Plain JSON: list columns as Hugging Face's data sets have them, and peerannot's nested answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...frames import find_column
from ..answers import Answers

PEOPLE, SAID = ("annotators", "annotator_ids", "workers", "users"), ("labels", "annotations", "answers", "votes")


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


def is_nested(content: dict[str, Any]) -> bool:
    """{item: {annotator: label}}: an object of objects of plain values."""
    return bool(content) and all(
        isinstance(votes, dict) and all(isinstance(label, str | int | float) for label in votes.values())
        for votes in content.values()
    )


def read_nested(content: dict[str, Any], answers: Answers) -> None:
    """peerannot's answers."""
    for item, votes in content.items():
        for annotator, label in votes.items():
            answers.vote("", item, annotator, label)


def _pair(record: dict[str, Any]) -> tuple[str, str] | None:
    people = next((name for name in PEOPLE if isinstance(record.get(name), list)), None)
    said = next((name for name in SAID if isinstance(record.get(name), list)), None)
    return (people, said) if people and said else None
