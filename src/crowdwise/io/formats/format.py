"""Format: what a file of votes looks like, how it is read, and what can be written so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from ...votes.crowd import Crowd
from ..answers import Answers
from ..file_content import Content
from ..outgoing import Labels

Record = tuple[str, dict[str, Any]]
"""Where a record stands, for messages, and the record."""


@dataclass(frozen=True)
class Format:
    """A way in which votes and labels are kept. What it cannot do is None.

    shape: "records" of JSON, a "table", or a "folder" of files. looks: whether this is such an export, by its first
    record, its columns, or the endings of its files. read: fills in `Answers` from records, rows or files. votes: a
    crowd, and what the votes answer, as content. labels: labels, what they answer, and the records of the same tool's
    export that the votes came from, if they did. room: what it holds of a vote beside item, annotator and label. once:
    it has room for one vote of an annotator on an item. endings: of files that are written.
    """

    shape: Literal["records", "table", "folder"]
    looks: Callable[[Any], bool] | None = None
    read: Callable[[Any, Answers], None] | None = None
    votes: Callable[[Crowd, str], Content] | None = None
    labels: Callable[[Labels, str, Iterable[Record] | None], Content] | None = None
    room: frozenset[str] = frozenset()
    once: bool = False
    endings: tuple[str, ...] = ()
