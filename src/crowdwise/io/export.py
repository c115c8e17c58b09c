"""Votes and labels to the formats that tools import."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from ..errors import OptionError, how_many
from ..votes.crowd import Crowd
from ..votes.soft import likeliest
from ..votes.table import Table
from .file_content import Content
from .formats import label_formats, vote_formats
from .outgoing import Labels
from .recognise import format_of
from .source import open_source
from .table_rows import records_of
from .write import destination, write_rows, write_table

BINARY = (".parquet", ".zip", ".npz")


def check_target(target: str | Path, to: str, among: Collection[str]) -> None:
    """Whether something can be written there, before the work is done; the ending must be one of the format's."""
    if to not in among:
        raise OptionError(f"--to {to}: choose among {', '.join(among)}")
    endings, path = format_of(to).endings, Path(target)
    if str(target) == "-":
        if all(ending in BINARY for ending in endings):
            raise OptionError(f"--to {to} needs a file: name it with an ending of {' or '.join(endings)}")
        return
    packed = path.suffix == ".gz" and path.with_suffix("").suffix not in BINARY
    ending = path.with_suffix("").suffix if packed else path.suffix
    if path.is_dir():
        raise OptionError(f"{target} is a folder: name a file in it")
    if ending not in endings:
        packed_too = "" if all(ending in BINARY for ending in endings) else " (or one of them and .gz)"
        raise OptionError(f"{target}: for --to {to} the name must end in {', '.join(endings)}{packed_too}")
    if not path.parent.is_dir():
        raise OptionError(f"{target}: there is no folder {path.parent}")


def write_votes(crowd: Crowd, target: str | Path, to: str = "table", *, question: str = "label") -> list[str]:
    """Write votes as a table ("table", "wide") or as a tool's export; notes tell what had no room.

    `question` is what the votes answer, in formats where questions have names.

    >>> import tempfile
    >>> from crowdwise.io import read_votes
    >>> crowd = Crowd.from_triples([("i1", "ann", "cat"), ("i1", "bob", "dog")], extra={"seconds": [3.0, 4.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_votes(crowd, f"{folder}/votes.jsonl", "prodigy"), read_votes(f"{folder}/votes.jsonl").crowd
    (['seconds: prodigy has no room for that'], Crowd(2 votes, 1 item, 2 annotators, 2 classes))
    """
    check_target(target, to, vote_formats())
    form = format_of(to)
    assert form.votes is not None
    notes: list[str] = []
    if to != "table":  # which has room for everything
        notes = _no_room(crowd, to)
        crowd = likeliest(crowd) if "probability" in crowd.extra else crowd
        crowd = crowd.once() if form.once else crowd
    write_content(form.votes(crowd, question), target)
    return notes


def write_labels(
    labels: Labels, target: str | Path, to: str, *, source: str | Path | None = None, question: str = "label"
) -> None:
    """Write labels as a tool imports them: predictions, answers, suggestions, columns, arrays.

    `source` is the export of the same tool that the votes came from: its texts and other data come along.
    """
    check_target(target, to, label_formats())
    form = format_of(to)
    assert form.labels is not None
    write_content(form.labels(labels, question, None if source is None else records_of(open_source(source))), target)


def write_content(content: Content, target: str | Path) -> None:
    """Write what stands in a file, whole or not at all."""
    if isinstance(content, Table):
        write_table(content, target)
    elif callable(content):
        with destination(target) as file:
            content(file)
    else:
        write_rows(content, target)


def _no_room(crowd: Crowd, to: str) -> list[str]:
    """What a format has no room for."""
    form, machines = format_of(to), crowd.annotator_extra.get("kind", np.empty(0)) == "machine"
    room = form.room if machines.any() else form.room - {"probability"}  # of machines only
    weight = [] if crowd.weight is None else ["weight"]
    columns = [*weight, *crowd.extra, *crowd.annotator_extra, *crowd.item_extra]
    lost = [name for name in columns if name not in room and name not in crowd.keyed_by]  # which the name tells
    notes = [f"{', '.join(lost)}: {to} has no room for that"] if lost else []
    if form.once and crowd.n_repeated:
        repeated = how_many(crowd.n_repeated, "votes")
        notes.append(f"{repeated}: {to} has room for an annotator's last vote on an item only")
    if to.startswith("argilla") and machines.any():
        by_machine = crowd.item[machines[crowd.annotator]]
        if more := by_machine.size - np.unique(by_machine).size:
            notes.append(f"{how_many(more, 'votes')} of machines: argilla has room for one suggestion for each item")
    return notes
