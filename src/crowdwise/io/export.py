"""Votes and labels to the formats that tools import."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import InputError, TooLarge
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.soft import likeliest
from ..votes.table import Table
from .formats import argilla, cleanlab, hugging_face, label_studio, plain_json, prodigy
from .formats.folders import write_doccano
from .outgoing import Labels, items_of
from .records import records
from .source import open_source
from .write import WRITERS, destination, write_rows, write_table

# What each format has room for, beside item, annotator and label.
VOTES_TO: dict[str, set[str]] = {
    "table": {"weight", "time", "seconds", "probability", "kind"},
    "wide": set(),
    "lists": set(),
    "peerannot": set(),
    "label-studio": {"time", "seconds", "probability", "kind"},
    "prodigy": {"time"},
    "argilla": {"probability", "kind"},
    "argilla-flat": {"probability", "kind"},
    "doccano": set(),
    "cleanlab": set(),
}
ONCE = ("wide", "peerannot", "cleanlab")  # one vote an item and annotator
LABELS_TO = ("table", "label-studio", "prodigy", "argilla", "hugging-face", "cleanlab")
MOST_CELLS = 50_000_000  # of a wide table
ENDINGS = {
    "table": tuple(WRITERS), "wide": tuple(WRITERS), "lists": (".jsonl",), "peerannot": (".json",),
    "label-studio": (".json",), "prodigy": (".jsonl",), "argilla": (".json",), "argilla-flat": (".jsonl",),
    "hugging-face": (".parquet",), "doccano": (".zip",), "cleanlab": (".npz",),
}  # fmt: skip
BINARY = (".parquet", ".zip", ".npz")


def check_target(target: str | Path, to: str, among: Collection[str]) -> None:
    """Whether something can be written there, before the work is done; the ending must be one of the format's."""
    if to not in among:
        raise InputError(f"--to {to}: choose among {', '.join(among)}")
    endings, path = ENDINGS[to], Path(target)
    if str(target) == "-":
        if all(ending in BINARY for ending in endings):
            raise InputError(f"--to {to} needs a file: name it with an ending of {' or '.join(endings)}")
        return
    packed = path.suffix == ".gz" and path.with_suffix("").suffix not in BINARY
    ending = path.with_suffix("").suffix if packed else path.suffix
    if path.is_dir():
        raise InputError(f"{target} is a folder: name a file in it")
    if ending not in endings:
        raise InputError(f"{target}: as {to}, the ending must be {', '.join(endings)} (or .gz behind it)")
    if not path.parent.is_dir():
        raise InputError(f"{target}: there is no folder {path.parent}")


def write_votes(crowd: Crowd, target: str | Path, to: str = "table", *, question: str = "label") -> list[str]:
    """Write votes as a table ("table", "wide") or as a tool's export (one of `VOTES_TO`); notes tell what had no room.

    `question` is what the votes answer, in formats where questions have names.

    >>> import tempfile
    >>> from crowdwise.io import read_votes
    >>> crowd = Crowd.from_triples([("i1", "ann", "cat"), ("i1", "bob", "dog")], extra={"seconds": [3.0, 4.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_votes(crowd, f"{folder}/votes.jsonl", "prodigy"), read_votes(f"{folder}/votes.jsonl").crowd
    (['seconds: prodigy has no room for that'], Crowd(2 votes, 1 item, 2 annotators, 2 classes))
    """
    check_target(target, to, VOTES_TO)
    if to == "table":
        write_table(crowd.to_table(), target)
        return []
    notes = _no_room(crowd, to)
    crowd = likeliest(crowd) if "probability" in crowd.extra else crowd
    crowd = crowd.once() if to in ONCE else crowd
    found = items_of(crowd)
    if to == "wide":
        write_table(_wide(crowd), target)
    elif to == "cleanlab":
        _arrays(cleanlab.votes_arrays(crowd), target)
    elif to == "doccano":
        _zip(write_doccano(found), target)
    elif to == "peerannot":
        _object(plain_json.write_nested(found), target)
    elif to == "label-studio":
        _list(label_studio.write_votes(found, question), target)
    elif to == "argilla":
        _list(argilla.write_votes(found, question), target)
    elif to == "argilla-flat":
        _lines(argilla.write_flat_votes(found, question), target)
    elif to == "prodigy":
        _lines(prodigy.write_votes(found, crowd.classes.tolist()), target)
    else:
        _lines(plain_json.write_lists(found), target)
    return notes


def write_labels(
    labels: Labels, target: str | Path, to: str, *, source: str | Path | None = None, question: str = "label"
) -> None:
    """Write labels as a tool imports them (one of `LABELS_TO`): predictions, answers, suggestions, columns, arrays.

    `source` is the export of the same tool that the votes came from: its texts and other data come along.
    """
    check_target(target, to, LABELS_TO)
    found = None if source is None else _records_of(source)
    if to == "table":
        told = np.array(labels.labels, object)
        write_table(Table({"item": labels.items, "label": told, "confidence": labels.confidence}), target)
    elif to == "cleanlab":
        _arrays(cleanlab.label_arrays(labels), target)
    elif to == "hugging-face":
        write_rows(hugging_face.label_columns(labels), target)
    elif to == "label-studio":
        _list(label_studio.write_labels(labels, question, found), target)
    elif to == "argilla":
        _list(argilla.write_labels(labels, question, found), target)
    else:
        _lines(prodigy.write_labels(labels, question, found), target)


def _records_of(source: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    opened = open_source(source)
    with opened.path.open("rb") as file:
        yield from records(file, opened.name)


def _no_room(crowd: Crowd, to: str) -> list[str]:
    """What a format has no room for."""
    machines = crowd.annotator_extra.get("kind", np.empty(0)) == "machine"
    room = VOTES_TO[to] if machines.any() else VOTES_TO[to] - {"probability"}  # of machines only
    weight = [] if crowd.weight is None else ["weight"]
    lost = [name for name in [*weight, *crowd.extra, *crowd.annotator_extra] if name not in room]
    notes = [f"{', '.join(lost)}: {to} has no room for that"] if lost else []
    if to in ONCE and crowd.n_repeated:
        notes.append(f"{crowd.n_repeated:,} votes: {to} has room for an annotator's last vote on an item only")
    if to.startswith("argilla") and machines.any():
        by_machine = crowd.item[machines[crowd.annotator]]
        if more := by_machine.size - np.unique(by_machine).size:
            notes.append(f"{more:,} votes of machines: argilla has room for one suggestion an item")
    return notes


def _wide(crowd: Crowd) -> Table:
    if crowd.n_items * crowd.n_annotators > MOST_CELLS:
        size = f"{crowd.n_items:,} rows of {crowd.n_annotators:,} columns"
        raise TooLarge(f"a wide table of {size} is too large: write a long one")
    cells = np.full((crowd.n_items, crowd.n_annotators), None, object)
    texts = np.array([str(name) for name in crowd.classes.tolist()], object)
    cells[crowd.item, crowd.annotator] = texts[crowd.label]
    names = [str(name) for name in crowd.annotators.tolist()]
    if "item" in names:
        raise InputError("annotator 'item': a wide table has a column of this name for the items")
    return Table({"item": crowd.items} | {name: cells[:, place] for place, name in enumerate(names)})


def _text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str).encode()


def _lines(found: Iterable[Any], target: str | Path) -> None:
    with destination(target) as file:
        for record in found:
            file.write(_text(record) + b"\n")


def _list(found: Iterable[Any], target: str | Path) -> None:
    with destination(target) as file:
        _between(b"[", (_text(record) for record in found), b"]", file)


def _object(found: Iterable[tuple[str, Any]], target: str | Path) -> None:
    with destination(target) as file:
        _between(b"{", (_text(name) + b": " + _text(value) for name, value in found), b"}", file)


def _between(begin: bytes, parts: Iterator[bytes], end: bytes, file: BinaryIO) -> None:
    file.write(begin)
    for place, part in enumerate(parts):
        file.write((b",\n" if place else b"\n") + part)
    file.write(b"\n" + end + b"\n")


def _arrays(arrays: dict[str, Array], target: str | Path) -> None:
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]
    with destination(target) as file:
        file.write(packed.getbuffer())


def _zip(files: Iterable[tuple[str, str]], target: str | Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    with destination(target) as file:
        file.write(packed.getbuffer())
