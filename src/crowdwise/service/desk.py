"""Desk: what all routes of the API share."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Sequence
from typing import Any

from fastapi import HTTPException

from ..errors import InputError
from .asked.answer import Item, Row
from .guard import Guard
from .project import Project
from .store import Said, Store
from .writer import Writer

FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Desk:
    """A project, its guard, and the one who writes votes down."""

    def __init__(self, store: Store):
        self.project = Project(store)
        self.guard = Guard(self.project)
        self.writer: Writer | None = None
        self.one_by_one = asyncio.Lock()  # what other tools tell: each after the one before

    def open(self) -> None:
        """Begin to write; a loop has to run."""
        self.writer = Writer(self.project)

    def close(self) -> None:
        """Stop writing and looking."""
        if self.writer is not None:
            self.writer.close()
        self.project.close()

    async def keep(self, vote: Said) -> bool:
        """Keep a vote; true if it is new. What cannot be kept now is said, and may be sent again."""
        assert self.writer is not None
        try:
            return await self.writer.write(vote)
        except InputError:
            raise
        except Exception as error:
            raise HTTPException(503, "the vote could not be kept: try again") from error

    def item_of(self, name: str) -> int:
        """The code of an item."""
        if name not in self.project.names:
            raise HTTPException(404, f"there is no item {name!r}")
        return self.project.names[name]

    def add_items(self, items: Sequence[Item]) -> int:
        """New items; names that are there stay as they are."""
        for item in items:
            try:
                self.project.asked.require_item(item)
            except InputError as error:
                raise HTTPException(422, str(error)) from error
        added = self.project.store.add_items((item.name, item.content) for item in items)
        self.project.take_items()
        return added

    def kept(self, said: Any, item: str) -> str:
        """An answer to an item as it is kept."""
        code = self.project.names.get(item)
        try:
            return self.project.asked.kept(said, Item(item) if code is None else self.project.item(code))
        except InputError as error:
            raise HTTPException(422, str(error)) from error


def answers_of(project: Project) -> list[Row]:
    """What is believed, as rows of a table: settled and gold answers as they are, the others as found."""
    return [row for rows in by_item(project).values() for row in rows]


def by_item(project: Project) -> dict[str | None, list[Row]]:
    """The same by item; under None what is told of no single item. An item without any answer is not there."""
    asked, found = project.asked, project.found
    own: dict[str | None, list[Row]] = {}
    for row in [] if found is None else asked.answers(found.result):
        own.setdefault(asked.of_item(row), []).append(row)
    told: dict[str | None, list[Row]] = {None: own[None]} if None in own else {}
    for place, code in enumerate(project.rows):
        item = project.items[code]
        known = item.gold if item.settled is None else item.settled
        if None in own:
            continue
        if known is not None:
            told[item.name] = list(asked.decided(project.item(code), known))
        elif project.counts[place]:
            told[item.name] = own.get(item.name, [])
    return told


def as_csv(rows: Any) -> str:
    """A table in which no cell is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    for row in rows:
        writer.writerow([f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell for cell in row])
    return out.getvalue()
