"""What an export holds: answers to questions, of which one becomes a crowd."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from ..errors import InputError, OtherKind, how_many
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.frames import find_column

COLUMNS = ("item", "annotator", "label", "time", "seconds", "probability", "kind")
LARGEST = 1 << 63  # whole number
EXTRA = ("time", "seconds", "probability")  # of the votes
PLACE = ("document", "start", "end")  # of a piece of text
OTHERS = {
    "ratings": ("item", "annotator", "value"),
    "comparisons": ("left", "right", "annotator", "winner", "context"),
    "spans": ("document", "annotator", "begin", "end", "label"),
    "label-sets": ("item", "annotator", "labels"),
    "texts": ("item", "annotator", "text"),
    "boxes": ("item", "annotator", "left", "top", "right", "bottom", "label"),
    "masks": ("item", "annotator", "height", "width", "runs", "label"),
}
NAMES = {"item", "annotator", "document", "left", "right", "value", "winner", "context"}  # values that name something


@dataclass
class Answers:
    """Votes by question, gold, and what was left out or cannot be read; readers of formats fill it in.

    >>> answers = Answers("tasks.json")
    >>> answers.vote("sentiment", 1, "ann", "good", seconds=3.5)
    >>> answers.vote("sentiment", 1, "llm", "bad", kind="machine", probability=0.8)
    >>> answers.refuse("stars", "ratings")
    >>> crowd, gold, notes = answers.crowd()
    >>> crowd, crowd.annotator_extra["kind"].tolist()
    (Crowd(2 votes, 1 item, 2 annotators, 2 classes), ['human', 'machine'])
    >>> notes
    ["question 'sentiment'", "question 'stars' is left out: it holds ratings (--kind ratings reads them)"]
    """

    name: str
    form: str = ""  # of the export, one of FORMATS
    votes: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    gold: dict[str, dict[Any, Any]] = field(default_factory=dict)
    places: dict[str, dict[Any, tuple[Any, ...]]] = field(default_factory=dict)  # by question: what items are
    texts: dict[Any, str] = field(default_factory=dict)  # by item: what was looked at, where the export tells
    skipped: Counter[str] = field(default_factory=Counter)
    refused: dict[str, tuple[str, int]] = field(default_factory=dict)  # by question: what it holds, and how often
    kinds: dict[str, str] = field(default_factory=dict)  # by question: the kind of its answers that are no classes
    others: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)  # and these, in the columns of `OTHERS`
    data: set[str] = field(default_factory=set)  # questions that seem to be none: taken only if they are asked for
    classes: dict[str, dict[Any, None]] = field(default_factory=dict)  # that a question has beside those that were said
    seen: dict[tuple[Any, str], None] = field(default_factory=dict)  # who looked at which item
    not_chances: int = 0  # scores of machines that are no probabilities
    where: str = ""  # the record that is being read

    def walk(self, found: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The records, each remembered while it is read, so that errors can say where they are."""
        for self.where, record in found:
            yield self.where, record

    def fail(self, field: str, text: str) -> NoReturn:
        """An error that names file, record and field."""
        raise InputError(", ".join(part for part in (self.name, self.where) if part) + f", field {field!r}: {text}")

    def listed(self, value: Any, field: str) -> list[Any]:
        """A list; nothing is an empty one."""
        return value if isinstance(value, list) else [] if value is None else self.fail(field, "a list is expected")

    def objects(self, value: Any, field: str) -> list[dict[str, Any]]:
        """A list of objects; nothing is an empty one."""
        if not all(isinstance(each, dict) for each in self.listed(value, field)):
            self.fail(field, "a list of objects is expected")
        return value or []

    def named(self, value: Any, field: str) -> Any:
        """A text or a number that can name something."""
        if isinstance(value, str | int | float) and value == value and value != "":  # noqa: PLR0124
            return value
        self.fail(field, "it is missing" if value in (None, "") else f"{str(value)[:40]!r} is no name")

    def amount(self, value: Any, field: str) -> float:
        """A finite number."""
        if isinstance(value, int | float) and not isinstance(value, bool) and -math.inf < value < math.inf:
            return float(value)
        self.fail(field, f"{str(value)[:40]!r} is not a finite number")

    def number(self, value: Any, field: str) -> float | None:
        """A number of no less than 0; nothing stays nothing."""
        if value is None or (isinstance(value, int | float) and 0.0 <= value < math.inf):
            return value
        self.fail(field, f"{str(value)[:40]!r} is not a finite number of at least 0")

    def vote(
        self, question: str, item: Any, annotator: Any, label: Any, *, kind: str = "human", time: Any = None,
        seconds: Any = None, probability: Any = None, place: tuple[Any, ...] = (),
    ) -> None:  # fmt: skip
        """One answer, with what the format tells of it; `place` is what the item is, in the words of `PLACE`."""
        item, annotator = self.named(item, "item"), self.named(annotator, "annotator")
        label = self.named(label, question or "label")
        time = None if time is None else self.named(time, "time")
        seconds, probability = self.number(seconds, "seconds"), self.number(probability, "probability")
        if probability is not None and probability > 1.0:
            self.fail("probability", f"{probability} is more than 1")
        if place:
            self.places.setdefault(question, {})[item] = place
        columns = self.votes.setdefault(question, {name: [] for name in COLUMNS})
        for name, value in zip(COLUMNS, (item, annotator, label, time, seconds, probability, kind), strict=True):
            columns[name].append(value)

    def show(self, item: Any, text: Any) -> None:
        """What an item is about: a text, or an object whose text, prompt, or only one, is told."""
        if isinstance(text, dict):
            texts = {name: value for name, value in text.items() if isinstance(value, str)}
            chosen = "text" if "text" in texts else find_column("prompt", texts)
            text = texts.get(chosen or "", next(iter(texts.values())) if len(texts) == 1 else None)
        if isinstance(text, str) and text and isinstance(item, str | int | float):
            self.texts.setdefault(item, text)

    def known(self, question: str, item: Any, label: Any) -> None:
        """A gold answer; two that differ are an error."""
        item, label = self.named(item, "item"), self.named(label, question)
        before = self.gold.setdefault(question, {}).setdefault(item, label)
        if before != label:
            self.fail(question, f"item {item!r} has gold {label!r} here and {before!r} above")

    def saw(self, item: Any, who: Any) -> None:
        """Somebody looked at an item: where they marked nothing, that is an answer."""
        self.seen[item, str(who)] = None

    def skip(self, reason: str) -> None:
        """One answer that is no vote."""
        self.skipped[reason] += 1

    def refuse(self, question: str, what: str) -> None:
        """An answer of a kind that is not read."""
        known, count = self.refused.get(question, (what, 0))
        self.refused[question] = known, count + 1

    def other(self, question: str, kind: str, *values: Any) -> None:
        """An answer of another kind, its values in the order of `OTHERS`; of two kinds, the first is kept."""
        self.refuse(question, kind)
        if self.kinds.setdefault(question, kind) == kind:
            self._keep(question, kind, values)

    def beside(self, question: str, kind: str, *values: Any) -> None:
        """An answer of another kind that stands beside votes on the same question: marks, and the places of marks."""
        if self.kinds.setdefault(question, kind) == kind:
            self._keep(question, kind, values)

    def _keep(self, question: str, kind: str, values: tuple[Any, ...]) -> None:
        pairs = zip(OTHERS[kind], values, strict=True)
        strict = NAMES if kind != "boxes" else {"item", "annotator"}
        named = [self.named(value, name) if name in strict else value for name, value in pairs]
        self.others.setdefault(question, []).append(tuple(named))

    def chance(self, score: Any) -> float | None:
        """A machine's score, if it is a probability: some put other scores there."""
        if isinstance(score, int | float) and 0.0 <= score <= 1.0:
            return float(score)
        self.not_chances += score is not None
        return None

    def crowd(
        self, question: str | None = None, no_vote: Collection[Any] = ()
    ) -> tuple[Crowd, dict[Any, Any], list[str]]:
        """The votes on one question, its gold, and notes."""
        chosen = self.chosen(question)
        columns, known = self.votes[chosen], self.gold.get(chosen, {})
        notes = [f"question {chosen!r}"] if chosen and len(self.votes) + len(self.refused) > 1 else []
        _tell_apart(columns)
        for role in ("item", "annotator", "label"):
            columns[role], changed = _of_one_type(columns[role])
            if changed:
                notes.append(f"{role}s are of several types, or too large for numbers, and are read as text")
        places = self.places.get(chosen, {})
        keys = zip(*(places[item] for item in columns["item"]), strict=True) if places else ()
        crowd = Crowd.from_columns(
            columns["item"], columns["annotator"], columns["label"], no_vote=no_vote,
            item_extra={name: np.array(column) for name, column in zip(PLACE, keys, strict=False)},
            keyed_by=PLACE if places else (),
            extra={name: _column(name, columns[name]) for name in EXTRA if set(columns[name]) != {None}},
            annotator_extra={"kind": columns["kind"]} if "machine" in columns["kind"] else None,
        )  # fmt: skip
        as_text = columns["item"] and isinstance(columns["item"][0], str)
        said_text = columns["label"] and isinstance(columns["label"][0], str)
        gold = {str(item) if as_text else item: str(label) if said_text else label for item, label in known.items()}
        crowd = crowd.with_names(items=list(gold), classes=self.classes.get(chosen, {})).with_classes(None)
        if gold:
            notes.append(f"gold of {how_many(len(gold), 'items')}")
        left_out = [f"{how_many(count, 'answers')} left out: {reason}" for reason, count in self.skipped.items()]
        if self.not_chances:
            left_out.append(
                f"{how_many(self.not_chances, 'scores')} not used: not between 0 and 1, and so no probabilities"
            )
        for name, (what, count) in self.refused.items():
            whose = (
                f"{how_many(count, 'answers')} left out: "
                if name == chosen
                else f"question {name!r} is left out: it holds "
            )
            left_out.append(f"{whose}{SAID.get(what, what)}{_hint(what)}")
        return crowd, gold, [*notes, *left_out]

    def chosen(self, question: str | None) -> str:
        """The question that is asked for, or the only one."""
        if question is not None:
            what, count = self.refused.get(question, ("", 0))
            if question in self.votes and count <= len(self.votes[question]["label"]):
                return question
            if count:
                raise self._other(f"question {question!r} holds {SAID.get(what, what)}{_hint(what)}", what)
            raise InputError(f"{self.name}: there is no question {question!r}; {self._questions()}")
        if not self.votes:
            found = [
                f"question {name!r} holds {SAID.get(what, what)}{_hint(what)}"
                for name, (what, _) in self.refused.items()
            ]
            if found:
                raise self._other("; ".join(found), next(iter(self.kinds.values()), ""))
            skipped = ", ".join(f"{count} {reason}" for reason, count in self.skipped.items())
            raise InputError(f"{self.name}: there are no votes in it" + (f" ({skipped})" if skipped else ""))
        likely = [name for name in self.votes if name not in self.data] or list(self.votes)
        if len(likely) > 1:
            raise InputError(f"{self.name}: several questions; {self._questions()}; choose one with --question")
        return likely[0]

    def _other(self, text: str, kind: str) -> InputError:
        """An error about answers of another kind, which may be read as such."""
        error = OtherKind(f"{self.name}: {text}")
        error.kind = kind
        return error if kind in OTHERS else InputError(f"{self.name}: {text}")

    def _questions(self) -> str:
        found = [f"{name!r} ({how_many(len(columns['label']), 'votes')})" for name, columns in self.votes.items()]
        return f"there are {', '.join(found)}"


SAID = {"label-sets": "several labels at once", "texts": "free texts"}


def _hint(what: str) -> str:
    return f" (--kind {what} reads them)" if what in OTHERS else ", which are not read yet"


def _tell_apart(columns: dict[str, list[Any]]) -> None:
    """A machine that has a person's name gets one of its own."""
    machine = [kind == "machine" for kind in columns["kind"]]
    people = {str(who) for who, made in zip(columns["annotator"], machine, strict=True) if not made}
    columns["annotator"] = [
        f"{who} (machine)" if made and str(who) in people else who
        for who, made in zip(columns["annotator"], machine, strict=True)
    ]


def _of_one_type(values: list[Any]) -> tuple[list[Any], bool]:
    """Names of one type, as text where they are of several; and whether that changed them."""
    kinds = {type(value) for value in values}
    fit = kinds <= {str} or kinds <= {bool} or kinds <= {float}
    if fit or (kinds <= {int} and -LARGEST <= min(values, default=0) <= max(values, default=0) < LARGEST):
        return values, False
    return [str(value) for value in values], True


def _column(name: str, values: list[Any]) -> Array:
    """A further column of the votes: numbers, NaN where there is none, or texts."""
    if name == "time":
        return np.array([None if value is None else str(value) for value in values], object)
    return np.array([np.nan if value is None else value for value in values], float)
