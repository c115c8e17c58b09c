"""KINDS: the kinds of answers, how a table tells which it holds, and how it is read: one table for every door."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..votes.frames import as_table, find_column, library_of, plain_name
from .cells import decoded
from .source import Source, open_source
from .table_rows import columns_of, read_rows
from .workbooks import WORKBOOKS

WMT = {"judgeID", "segmentId", "system1Id", "system1rank"}  # columns of its judgments
WINNERS = {"winner", "preferred", "better"}
NUMBERS = ("value", "rating", "score")  # names of columns that may hold ratings
MANY = 11  # distinct numbers, from which they are no classes
MOSTLY = 0.9  # of the cells: numbers of which one is misspelt are numbers
FEWEST = 3  # cells for each misspelt one
LEAST_VOTERS = 2  # columns of a wide table, and so many are looked at


@dataclass
class Look:
    """A table that is looked at: its columns, what they were said to be, and cells, read only if asked for."""

    names: list[str]
    given: Mapping[str, str | None] = field(default_factory=dict)
    cells_of: Callable[[str], list[Any]] = lambda name: []

    @cached_property
    def plainly(self) -> dict[str, str]:
        """Columns by their names without case and blanks."""
        return {plain_name(name): name for name in reversed(self.names)}

    def column(self, role: str, strictly: Sequence[str] = ()) -> str | None:
        """The column of a role, as it was named, or by one of its usual names; only by some of them, if told so."""
        named = self.given.get(role)
        if named in self.names:
            return named
        if strictly:
            return next((self.plainly[name] for name in strictly if name in self.plainly), None)
        return find_column(role, self.names)

    def has(self, *roles: str) -> bool:
        """Whether there are columns for all of these."""
        return all(self.column(role) for role in roles)


@dataclass(frozen=True)
class Kind:
    """How a table of a kind is told (a sentence, or nothing), and what holds its answers: module:class."""

    looks: Callable[[Look], str]
    holds: str
    asked: str
    """What is asked of people, in a few words."""
    example: str
    """A table of such answers: its columns, and a row."""
    main: str = "label"
    """The parameter of `from_columns` that --label names."""


BESIDE = ("weight", "time", "seconds", "probability", "kind", "gold", "offered")  # columns that any answers may have
LATEST = 1e8  # a place in a text; more is a time
TAG = re.compile(r"^([BIESLU]-.+|O)$")


def _only(look: Look, *known: str | None) -> bool:
    """Whether a table has no other column that might be the answer: such a one is asked about by name."""
    there = {*known, *(look.column(role, (role,)) for role in BESIDE)}
    return all(name in there or plain_name(name) in DESCRIBING for name in look.names)


DESCRIBING = {"created_at", "timestamp", "date", "duration", "lead_time", "language", "split", "source", "id", "index"}


def _boxes(look: Look) -> str:
    sides = [look.column(f"{side}_side") for side in ("left", "top", "right", "bottom")]
    return f"columns {', '.join(map(str, sides))}: these are boxes" if all(sides) and look.has("item") else ""


def _masks(look: Look) -> str:
    runs = look.column("runs", ("runs", "rle"))
    return f"column {runs!r}: these are masks" if runs and look.has("item", "height", "width") else ""


def _comparisons(look: Look) -> str:
    if set(look.names) >= WMT:
        return "columns of WMT's judgments: these are comparisons of systems"
    left, right, winner = (look.column(role) for role in ("left", "right", "winner"))
    if left and right and winner and (
        look.plainly.keys() & WINNERS or not {plain_name(left), plain_name(right)} & {"a", "b"}
    ):  # fmt: skip
        return f"columns {left!r}, {right!r} and {winner!r}: these are comparisons"
    return ""


def _similarities(look: Look) -> str:
    same = look.column("same", ("same", "is_same", "same_entity", "match", "is_match", "duplicate"))
    if same and look.has("left", "right"):
        return f"columns {look.column('left')!r}, {look.column('right')!r} and {same!r}: these are similarities"
    return ""


def _spans(look: Look) -> str:
    document = look.column("document", ("document", "document_id", "doc", "doc_id"))
    if not document or not look.has("annotator"):
        return ""
    begin = look.column("begin")
    if begin and look.has("end", "label"):
        places = [_number(cell) < LATEST for cell in look.cells_of(begin) if cell not in (None, "")]
        if sum(places) < len(places) / 2.0:  # times; a few misspelt places are told of, row by row, where they are read
            return ""
        return f"columns {document!r}, {look.column('begin')!r} and {look.column('end')!r}: these are spans"
    place = look.column("position", ("position", "pos", "token_index"))
    tag = look.column("tag")
    if not place or not tag or not any(TAG.match(str(cell).strip()) for cell in look.cells_of(tag)):
        return ""
    return f"columns {document!r} and {place!r}: these are tags of tokens"


def _label_sets(look: Look) -> str:
    labels = look.column("labels", ("labels",))
    there = labels and look.has("item", "annotator") and not look.column("label")
    there = there and _only(look, labels, look.column("item"), look.column("annotator"))
    return f"column {labels!r}: these are label sets" if there else ""


def _groupings(look: Look) -> str:
    group = look.column("group", ("group", "pile"))
    there = group and look.has("item", "annotator") and not look.column("label")
    there = there and _only(look, group, look.column("item"), look.column("annotator"))
    return f"column {group!r}: these are groupings" if there else ""


def _texts(look: Look) -> str:
    text = look.column("text", ("text", "transcription", "transcript", "translation"))
    there = text and look.has("item", "annotator") and not look.column("label")
    there = there and _only(look, text, look.column("item"), look.column("annotator"))
    return f"column {text!r} and no label: these are texts" if there else ""


def _ratings(look: Look) -> str:
    if wide := _wide_numbers(look):
        return f"columns {', '.join(wide[:3])}{' ...' if len(wide) > 3 else ''} hold fractions: these are ratings"
    label = look.column("label")
    named = look.given.get("label")
    value = named or next((name for name in look.names if plain_name(name) in NUMBERS), None)
    if label is None or value is None or plain_name(label) not in NUMBERS or not look.has("annotator"):
        return ""
    return f"column {value!r} holds numbers: these are ratings" if many_numbers(look.cells_of(value)) else ""


def _wide_numbers(look: Look) -> list[str]:
    """The columns of a wide table that hold fractions, one for each annotator; the first ones tell."""
    if look.given.get("label") or look.column("annotator") or look.column("label") or look.column("item") is None:
        return []
    voters = [name for name in look.names if name != look.column("item") and plain_name(name) not in DESCRIBING]
    if len(voters) < LEAST_VOTERS:
        return []
    for name in voters[:LEAST_VOTERS]:
        cells = look.cells_of(name)
        numbers = np.array([_number(cell) for cell in cells if cell is not None and str(cell).strip()], float)
        if not _mostly_numbers(numbers) or not (numbers % 1.0 != 0.0)[np.isfinite(numbers)].any():
            return []
    return voters


def _first_records(head: bytes) -> list[dict[str, Any]]:
    """The whole records among a file's first bytes, of a list or of lines."""
    text, at, found = head.decode("utf-8-sig", "ignore"), 0, []
    decoder = json.JSONDecoder()
    while (start := text.find("{", at)) >= 0:
        try:
            record, at = decoder.raw_decode(text, start)
        except ValueError:
            break
        found.append(record)
    return found


def many_numbers(cells: Sequence[Any]) -> bool:
    """Whether cells hold numbers, but for a few, which are fractions or too many to be classes."""
    filled = [cell for cell in cells if cell is not None and str(cell).strip()]
    numbers = np.array([_number(cell) for cell in filled], float)
    there = numbers[np.isfinite(numbers)]
    if not _mostly_numbers(numbers):
        return False
    distinct = np.unique(there)
    return bool((distinct != np.round(distinct)).any() or distinct.size >= MANY)


def _mostly_numbers(cells: Any) -> bool:
    """Whether all cells are numbers, or all but a few: one may be misspelt, however few there are."""
    wrong = int((~np.isfinite(cells)).sum())
    return bool(cells.size > FEWEST * wrong and wrong <= max(1.0, (1.0 - MOSTLY) * cells.size))


def _number(cell: Any) -> float:
    """A cell as a number, also with a decimal comma; NaN where it is none."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        try:
            return float(str(cell).replace(",", "."))
        except ValueError:
            return np.nan


KINDS: dict[str, Kind] = {  # what is told by more columns is looked for first
    "classes": Kind(
        lambda look: "",
        "crowd:Crowd",
        "which of some labels it is",
        "item,annotator,label: q1,ann,cat",
    ),
    "boxes": Kind(
        _boxes,
        "boxes:Boxes",
        "where things are, as boxes",
        "item,annotator,left,top,right,bottom,label: i.png,ann,10,5,90,60,cat",
    ),
    "masks": Kind(
        _masks,
        "masks:Masks",
        "which pixels are of it",
        "item,annotator,height,width,runs: i.png,ann,64,64,130:9 194:9",
        "runs",
    ),
    "comparisons": Kind(
        _comparisons,
        "comparisons:Comparisons",
        "which of two is better",
        "left,right,annotator,winner: answer 1,answer 2,ann,left",
    ),
    "similarities": Kind(
        _similarities,
        "similarities:Similarities",
        "whether two are the same",
        "left,right,annotator,same: a,b,ann,yes",
        "same",
    ),
    "spans": Kind(
        _spans,
        "sequences:Sequences",
        "which parts of a text are what",
        "document,annotator,begin,end,label: d1,ann,0,8,PER",
    ),
    "label-sets": Kind(
        _label_sets,
        "label_sets:LabelSets",
        "which labels apply, several or none",
        "item,annotator,labels: q1,ann,sun|sea",
        "labels",
    ),
    "groupings": Kind(
        _groupings,
        "similarities:Groupings",
        "which go together, on piles of one's own",
        "item,annotator,group: q1,ann,3",
    ),
    "texts": Kind(
        _texts,
        "written:Texts",
        "to write: a transcript, a translation",
        "item,annotator,text: q1,ann,the cat sat",
        "text",
    ),
    "ratings": Kind(
        _ratings,
        "ratings:Ratings",
        "how much, on a scale",
        "item,annotator,value: q1,ann,3.5",
        "value",
    ),
}


def kind_of(source: Any, given: Mapping[str, str | None] | None = None) -> tuple[str, str]:
    """The kind of answers in a table, "classes" unless its columns say otherwise, and the sentence that says why.

    A file, standard input ("-"), or a frame. given: columns that were named, by role.
    """
    look = looked_at(source, given or {})
    if look is None:
        return "classes", ""
    for name, kind in KINDS.items():
        why = kind.looks(look)
        if why:
            return name, f"{why} (--kind classes takes them as classes)" if name != "comparisons" else why
    label = look.column("label")
    if label and plain_name(label) in NUMBERS and look.has("annotator") and _are_numbers(look.cells_of(label)):
        return "classes", f"the numbers in column {label!r} are taken as classes; --kind ratings takes them as numbers"
    return "classes", ""


def _are_numbers(cells: Sequence[Any]) -> bool:
    numbers = [_number(cell) for cell in cells if cell is not None and str(cell).strip()]
    return bool(numbers) and bool(np.isfinite(numbers).all())


def looked_at(source: Any, given: Mapping[str, str | None]) -> Look | None:
    """A table to look at; None for an export, a folder, or what is no table."""
    if library_of(source):
        frame = as_table(source)
        return Look([str(name) for name in frame.columns], given, lambda name: frame[name].to_list())
    if not isinstance(source, str | Path) or (str(source) != "-" and not Path(source).is_file()):
        return None
    opened = open_source(source)
    if opened.begins in (b"[", b"{"):
        return _records_looked_at(opened, given)
    if opened.head.startswith(WORKBOOKS) or Path(opened.name).suffix == ".conll":
        return None
    try:
        names = columns_of(opened)
    except InputError:
        return None  # said where it is read

    def cells_of(wanted: str) -> list[Any]:
        rows = read_rows(opened, wanted=lambda there: [name for name in there if name == wanted])
        cells: list[Any] = decoded(rows.table[wanted]).to_pylist()
        return cells

    return Look(names, given, cells_of)


def _records_looked_at(opened: Source, given: Mapping[str, str | None]) -> Look | None:
    first = _first_records(opened.head)
    if not first or any(isinstance(value, dict) for value in first[0].values()):
        return None  # an export
    nested = [value for record in first for value in record.values() if isinstance(value, list)]
    if any(isinstance(cell, dict | list) for value in nested for cell in value):
        return None
    return Look(list(dict.fromkeys(name for record in first for name in record)), given,
                lambda name: [record.get(name) for record in first])  # fmt: skip
