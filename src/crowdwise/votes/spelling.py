"""Labels that may not be what they seem: spellings of one word, words for nothing, lists, texts, scales."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import how_many
from .codes import Array, shown

if TYPE_CHECKING:
    from .crowd import Crowd

NOTHING = {"na", "n/a", "n.a.", "nan", "null", "none", "nil", "-", "--", "?", "unknown", "#n/a", "missing"}
SCALES = (
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("very bad", "bad", "neutral", "good", "very good"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("none", "low", "medium", "high", "very high"),
)
LIST = re.compile(r"^\s*(\[.*\]|\(.*,.*\)|\{.*\})\s*$", re.S)
SEVERAL = re.compile(r"[^\s|;][|;][^\s|;]|[|;] \S")
LONG = 60  # letters, of a label that is a text
MANY = 30  # votes from which the number of distinct labels says something
DISTINCT = 0.5  # of the votes: so many distinct labels are no classes


def key_of(label: Any) -> str:
    """What labels that mean the same have in common: no case, no blanks around or doubled, no ".0".

    >>> key_of(" Big  Cat") == key_of("big cat"), key_of("1.0") == key_of(1)
    (True, True)
    """
    text = " ".join(str(label).split()).casefold()
    return text[:-2] if re.fullmatch(r"-?\d+\.0", text) else text


def normalised(crowd: Crowd) -> tuple[Crowd, str]:
    """Spellings of one label made one, the commonest; and a sentence that says which, or ""."""
    count = np.bincount(crowd.label, minlength=crowd.n_classes)
    order = np.argsort(-count, kind="stable").tolist()
    first: dict[str, Any] = {}
    for code in order:
        first.setdefault(key_of(crowd.classes[code]), crowd.classes[code])
    labels = crowd.classes.tolist()
    changed = {label: first[key_of(label)] for label in labels if first[key_of(label)] != label}
    if not changed:
        return crowd, ""
    told = ", ".join(f"{shown(old)} is {shown(new)}" for old, new in list(changed.items())[:4])
    more = f" and {len(changed) - 4} more" if len(changed) > 4 else ""
    return crowd.relabel(changed).with_classes(None), f"labels made one: {told}{more}"


def same_spelling(known: Mapping[Any, Any], classes: Array) -> dict[Any, Any]:
    """Known labels spelt as the classes are."""
    spelt = {key_of(name): name for name in classes.tolist()}
    return {item: spelt.get(key_of(label), label) for item, label in known.items()}


def remarks(crowd: Crowd) -> list[str]:
    """Sentences about labels that deserve a look, each with what to do about it."""
    labels = crowd.classes.tolist()
    count = np.bincount(crowd.label, minlength=crowd.n_classes)
    if crowd.n_votes >= MANY and crowd.n_classes > DISTINCT * crowd.n_votes:
        return [
            f"{how_many(crowd.n_classes, 'distinct labels')} in {how_many(crowd.n_votes, 'votes')}: these are texts or "
            "numbers rather than classes; is another column the label (--label)?"
        ]
    return [note for note in (_spellings(labels), _no_answers(labels, count), _shapes(labels), _scale(labels)) if note]


def _spellings(labels: list[Any]) -> str:
    groups: dict[str, list[Any]] = {}
    for label in labels:
        groups.setdefault(key_of(label), []).append(label)
    several = [group for group in groups.values() if len(group) > 1]
    if not several:
        return ""
    said = ", ".join(shown(label) for label in several[0][:4])
    more = f", and so do {how_many(len(several) - 1, 'others')}" if len(several) > 1 else ""
    return (
        f"labels differ in case, blanks or '.0' only ({said}) and count as {len(several[0])} classes{more}; "
        "--normalise makes them one"
    )


def _no_answers(labels: list[Any], count: Array) -> str:
    empty = [(label, int(n)) for label, n in zip(labels, count.tolist(), strict=True) if key_of(label) in NOTHING]
    if not empty or len(empty) == len(labels):
        return ""
    votes = how_many(sum(n for _, n in empty), "votes")
    names = ", ".join(shown(label) for label, _ in empty)
    count_as, mean = ("counts as a class", "it means") if len(empty) == 1 else ("count as classes", "they mean")
    options = " ".join(f"--no-vote {_quoted(label)}" for label, _ in empty)
    return f"{names} {count_as} ({votes}); if {mean} no answer, {options}"


def _shapes(labels: list[Any]) -> str:
    texts = [label for label in labels if isinstance(label, str)]
    lists = [label for label in texts if LIST.match(label) or SEVERAL.search(label)]
    if texts and len(lists) > len(labels) / 2:
        return (
            f"labels look like lists, such as {shown(lists[0])}, and each list counts as one class; to aggregate their "
            "parts, make one vote of each item and part"
        )
    if texts and np.mean([len(label) for label in texts]) > LONG:
        return f"labels look like free text, such as {shown(texts[0][:LONG])}; classes are words or numbers that repeat"
    return ""


def _scale(labels: list[Any]) -> str:
    """A scale in words, or whole numbers in a row that do not begin at 0, where codes of classes do."""
    words = {key_of(label) for label in labels}
    ordered = len(words) > 2 and any(words <= set(scale) for scale in SCALES)
    if all(re.fullmatch(r"-?\d{1,2}", word) for word in words):
        numbers = sorted(int(word) for word in words)
        in_a_row = len(numbers) > 3 and numbers == list(range(numbers[0], numbers[-1] + 1))
        ordered = in_a_row and len(numbers) <= 11 and (numbers[0] != 0 or len(numbers) == 11)
    if not ordered:
        return ""
    return (
        "labels look like an ordered scale, whose order is not used; if it is one, --method ordinal, and agreement "
        "--metric ordinal"
    )


def _quoted(label: Any) -> str:
    text = str(label)
    return text if re.fullmatch(r"[\w./#]+", text) else f"'{text}'"
