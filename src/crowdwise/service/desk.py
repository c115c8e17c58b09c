"""Desk: what all routes of the API share."""

from __future__ import annotations

import asyncio
import csv
import io
from typing import Any

from fastapi import HTTPException

from ..errors import InputError
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

    def require_class(self, label: str) -> None:
        """A label is one of the classes."""
        if label not in self.project.classes:
            raise HTTPException(422, f"{label!r} is none of the classes {', '.join(self.project.classes)}")


def labels_of(project: Project) -> list[dict[str, Any]]:
    """The label of each item: settled and gold ones as they are, the others as believed."""
    looked = project.looked
    believed = {} if looked is None else {
        str(item): (str(label), float(sure))
        for item, label, sure in zip(looked.items, looked.labels, looked.confidence, strict=True)
    }  # fmt: skip
    found = []
    for place, code in enumerate(project.rows):
        row = project.items[code]
        known = row.settled or row.gold
        if known is None and not project.counts[place]:
            continue
        label, sure = (known, 1.0) if known is not None else believed.get(row.name, ("", 0.0))
        found.append({"item": row.name, "label": label, "confidence": round(sure, 6)})
    return found


def as_csv(rows: Any) -> str:
    """A table in which no cell is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    for row in rows:
        writer.writerow([f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell for cell in row])
    return out.getvalue()
