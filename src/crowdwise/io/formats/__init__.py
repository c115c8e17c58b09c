"""FORMATS: every way in which votes come and go, by name. `--format`, `--to`, the docs and the tests follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...registry import Entry, Registry


@dataclass(frozen=True)
class FormatEntry(Entry):
    """What a person wants to know of a format, and what it can do."""

    room: ClassVar[str] = "crowdwise.io.formats"
    line: str
    reads: bool = True
    votes: bool = False
    labels: bool = False
    numbers: tuple[str, ...] = ()
    """Kinds other than classes whose results are written as labels."""


OWN = {
    "table": FormatEntry(".plain_tables:TABLE", "CSV, TSV, JSON or Parquet, one row per vote", votes=True, labels=True),
    "label-studio": FormatEntry(
        ".label_studio:LABEL_STUDIO",
        "Label Studio's JSON",
        votes=True,
        labels=True,
        numbers=("ratings", "spans", "label-sets", "texts", "boxes", "masks"),
    ),
    "label-studio-min": FormatEntry(".label_studio:LABEL_STUDIO_MIN", "Label Studio's JSON_MIN"),
    "prodigy": FormatEntry(
        ".prodigy:PRODIGY",
        "Prodigy's JSON lines: choices, binary, spans",
        votes=True,
        labels=True,
        numbers=("spans", "label-sets"),
    ),
    "argilla": FormatEntry(
        ".argilla:ARGILLA", "Argilla's nested records", votes=True, labels=True, numbers=("ratings", "comparisons")
    ),
    "argilla-flat": FormatEntry(".argilla:ARGILLA_FLAT", "Argilla's flat records", votes=True),
    "lists": FormatEntry(".plain_json:LISTS", "one row per item, with lists of annotators and labels", votes=True),
    "judgements": FormatEntry(".plain_json:JUDGEMENTS", "one row per item, with one verdict for each judge"),
    "peerannot": FormatEntry(".plain_json:PEERANNOT", "JSON of items, their annotators and labels", votes=True),
    "mturk": FormatEntry(".tables:MTURK", "Mechanical Turk's batch results"),
    "toloka": FormatEntry(".tables:TOLOKA", "Toloka's assignments"),
    "zooniverse": FormatEntry(".tables:ZOONIVERSE", "Zooniverse's classifications"),
    "doccano": FormatEntry(
        ".folders:DOCCANO", "doccano's files, one for each annotator", votes=True, numbers=("spans", "label-sets")
    ),
    "brat": FormatEntry(".folders:BRAT", "brat's folders, one for each annotator", numbers=("spans",)),
    "cvat": FormatEntry(".folders:CVAT", "CVAT's XML, one file for each job", numbers=("boxes", "label-sets")),
    "conll": FormatEntry(".conll:CONLL", "CoNLL's columns: a token, and the tag of each annotator", numbers=("spans",)),
    "coco": FormatEntry(".coco:COCO", "COCO's JSON, whose annotations tell who drew them", numbers=("boxes", "masks")),
    "wide": FormatEntry(".plain_tables:WIDE", "a table with one column per annotator", reads=False, votes=True),
    "hugging-face": FormatEntry(
        ".hugging_face:HUGGING_FACE", "Parquet with class names, for Hugging Face", reads=False, labels=True
    ),
    "cleanlab": FormatEntry(".cleanlab:CLEANLAB", "arrays for cleanlab", reads=False, votes=True, labels=True),
}
FORMATS = Registry("format", OWN, group="crowdwise.formats")


def read_formats() -> list[str]:
    """Names of the formats that are read."""
    return [name for name, entry in FORMATS.items() if entry.reads]


def vote_formats() -> list[str]:
    """Names of the formats that votes are written in."""
    return [name for name, entry in FORMATS.items() if entry.votes]


def label_formats() -> list[str]:
    """Names of the formats that labels are written in."""
    return [name for name, entry in FORMATS.items() if entry.labels]


def number_formats(kind: str) -> list[str]:
    """Names of the formats that the results of another kind are written in, but for tables."""
    return [name for name, entry in FORMATS.items() if kind in entry.numbers]
