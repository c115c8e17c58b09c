"""Answers of an export that are no classes, as votes of their kind."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import InputError, how_many
from ..votes.boxes import Boxes
from ..votes.comparisons import Comparisons
from ..votes.label_sets import LabelSets
from ..votes.masks import Masks, pixels_of, runs_of
from ..votes.ratings import Ratings
from ..votes.sequences import Sequences, Tokens
from ..votes.votes import Votes
from ..votes.written import Texts
from .answers import OTHERS, Answers

WORD = re.compile(r"\w+|[^\w\s]")
CONTAINERS: dict[str, type[Votes]] = {"label-sets": LabelSets, "texts": Texts, "boxes": Boxes, "masks": Masks}
EMPTY = {"spans": (None, None, None), "boxes": (None,) * 5}  # somebody looked, and marked nothing
CONTEXT = "context"  # what a comparison is about: the task, the prompt


def other_votes(answers: Answers, kind: str, question: str | None = None) -> tuple[Votes, list[str]]:
    """The ratings or comparisons of one question, and notes; labels that are all numbers are ratings too.

    >>> answers = Answers("tasks.json")
    >>> answers.other("stars", "ratings", 1, "ann", 4)
    >>> answers.other("stars", "ratings", 1, "bob", 5)
    >>> other_votes(answers, "ratings")
    (Ratings(2 votes, 1 item, 2 annotators), [])
    """
    rows, chosen = chosen_answers(answers, kind, question)
    columns = [list(column) for column in zip(*rows, strict=True)]
    notes = [f"question {chosen!r}"] if chosen and len(answers.kinds) + len(answers.votes) > 1 else []
    notes += [f"{how_many(count, 'answers')} left out: {reason}" for reason, count in answers.skipped.items()]
    try:
        if kind == "ratings":
            item, who, value = columns
            return Ratings.from_columns(_names(item), _names(who), np.array(value, float)), notes
        if kind == "comparisons":
            left, right, who, winner, context = columns
            extra = {CONTEXT: np.array([str(one) for one in context], object)}
            return Comparisons.from_columns(_names(left), _names(right), _names(who), winner, extra=extra), notes
        named = {name: _names(column) if name in ("item", "document", "annotator") else column
                 for name, column in zip(OTHERS[kind], columns, strict=True)}  # fmt: skip
        if kind == "masks":
            named, more = _by_label(rows)
            return Masks.from_named(named), [*notes, *more]
        if kind == "spans":
            beyond = _beyond(answers, named["document"], named["end"])
            return Sequences.from_named(named, tokens=_tokens(answers, named["document"], named["end"])), notes + beyond
        return CONTAINERS[kind].from_named(named), notes
    except InputError as error:
        raise error.named(answers.name) from error


def _by_label(rows: list[tuple[Any, ...]]) -> tuple[dict[str, list[Any]], list[str]]:
    """Masks of one label of an image each: objects of a label put together, and empty ones of whoever drew others.

    A mask says which pixels are of a label; what several objects are is for boxes.
    """
    labels = list(dict.fromkeys(row[5] for row in rows))
    drawn: dict[tuple[Any, Any, str], list[tuple[Any, ...]]] = {}
    of_image: dict[Any, dict[str, None]] = {}
    for row in rows:
        drawn.setdefault((row[0], row[1], row[5]), []).append(row)
        of_image.setdefault(row[0], {})[row[5]] = None
    together = sum(len(own) - 1 for own in drawn.values())
    pairs = dict.fromkeys((item, who) for item, who, _ in drawn)
    size: dict[Any, tuple[Any, ...]] = {}
    for row in rows:
        if size.setdefault(row[0], row[2:4]) != row[2:4]:
            here, there = (f"{high} x {wide}" for high, wide in (row[2:4], size[row[0]]))
            raise InputError(f"a mask of image {row[0]!r} is {here}, and another of it is {there}")
    out: list[tuple[Any, ...]] = []
    for item, who in pairs:
        for label in of_image[item]:
            own = drawn.get((item, who, label), [])
            high, wide = own[0][2:4] if own else size[item]
            runs = own[0][4] if len(own) == 1 else ""
            if len(own) > 1:
                runs = runs_of(np.any([pixels_of(one[4], int(high) * int(wide)) for one in own], axis=0))
            name = item if len(labels) == 1 else f"{item} / {label}"
            out.append((name, who, high, wide, runs))
    notes = [f"{len(labels)} labels: each is an item of its own, such as {out[0][0]!r}"] * (len(labels) > 1)
    if together:
        notes.append(f"{how_many(together, 'objects')} put together with others of their label that somebody drew")
    columns = [list(column) for column in zip(*out, strict=True)]
    columns[:2] = [_names(column) for column in columns[:2]]
    return dict(zip(OTHERS["masks"], columns, strict=False)), notes


def chosen_answers(answers: Answers, kind: str, question: str | None = None) -> tuple[list[tuple[Any, ...]], str]:
    """The answers of the question that is asked for, or of the only one of that kind."""
    there = {name: rows for name, rows in answers.others.items() if answers.kinds[name] == kind}
    if kind == "ratings":
        for name, columns in answers.votes.items():
            numbers = [_number(label) for label in columns["label"]]
            if None not in numbers and (name not in answers.data or name == question):
                there.setdefault(name, list(zip(columns["item"], columns["annotator"], numbers, strict=True)))
    if kind == "label-sets":  # of a question, those with one label are votes
        for name, columns in answers.votes.items():
            if name in there or not there:
                single = [(item, who, [label]) for item, who, label in zip(columns["item"], columns["annotator"],
                          columns["label"], strict=True)]  # fmt: skip
                there[name] = [*there.get(name, []), *single]
    for name, rows in there.items():
        if kind in EMPTY and (not question or name == question):
            heard = {row[:2] for row in rows}
            there[name] = [*rows, *((*pair, *EMPTY[kind]) for pair in answers.seen if pair not in heard)]
    if question is not None and question not in there:
        raise InputError(f"{answers.name}: there are no {kind} under question {question!r}; {_told(there)}")
    if question is None and len(there) != 1:
        what = (
            f"several questions; {_told(there)}; choose one with --question" if there else f"there are no {kind} in it"
        )
        raise InputError(f"{answers.name}: {what}")
    chosen = next(iter(there)) if question is None else question
    return there[chosen], chosen


def _tokens(answers: Answers, documents: list[Any], ends: list[Any]) -> Tokens | None:
    """Words and signs of the texts of documents, where the export tells all of them, and marks lie within them."""
    texts = {str(item): text for item, text in answers.texts.items()}
    long = {str(name): len(texts.get(str(name), "")) for name in documents}
    if not documents or any(
        not long[str(name)] or (end or 0) > long[str(name)] for name, end in zip(documents, ends, strict=True)
    ):
        return None
    found = [
        (name, one.start(), one.end(), one[0])
        for name in dict.fromkeys(documents)
        for one in WORD.finditer(texts[str(name)])
    ]
    return Tokens(*(list(column) for column in zip(*found, strict=True))) if found else None


def _beyond(answers: Answers, documents: list[Any], ends: list[Any]) -> list[str]:
    """A sentence if marks end behind the text that the export has for their document."""
    texts = {str(item): len(text) for item, text in answers.texts.items()}
    wrong = [(name, end) for name, end in zip(documents, ends, strict=True)
             if end is not None and str(name) in texts and end > texts[str(name)]]  # fmt: skip
    if not wrong:
        return []
    name, end = wrong[0]
    first = f"{name!r}, which has {how_many(texts[str(name)], 'letters')}, at {end}"
    return [f"{how_many(len(wrong), 'marks')} end behind their text, such as one of {first}: words are not used"]


def _told(there: dict[str, list[tuple[Any, ...]]]) -> str:
    found = [f"{name!r} ({how_many(len(rows), 'answers')})" for name, rows in there.items()]
    return f"there are {', '.join(found)}" if found else "there are none"


def _number(label: Any) -> float | None:
    try:
        number = float(label)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def _names(values: list[Any]) -> list[Any]:
    """Names of one type."""
    return values if len({type(value) for value in values}) == 1 else [str(value) for value in values]
