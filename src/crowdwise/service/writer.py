"""Writer: all votes that wait go into one transaction, and every answer is given after the commit."""

from __future__ import annotations

import asyncio
from typing import Any

from ..errors import InputError
from .project import Project
from .store import Said

MOST = 256  # votes of one transaction
Waiting = tuple[Said, "asyncio.Future[bool]"]


class Writer:
    """One task that writes; handlers wait for it."""

    def __init__(self, project: Project):
        self.project = project
        self.waiting: asyncio.Queue[Waiting] = asyncio.Queue()
        self.task = asyncio.create_task(self._run())

    async def write(self, vote: Said) -> bool:
        """Keep a vote; true if it is new. When this comes back, it is on disk."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        await self.waiting.put((vote, done))
        return await done

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = [await self.waiting.get()]
            while not self.waiting.empty() and len(batch) < MOST:
                batch.append(self.waiting.get_nowait())
            batch = self._apart(batch)
            if not await self._kept(loop, batch) and len(batch) > 1:
                for one in batch:  # what cannot be kept keeps nobody else's vote out
                    await self._kept(loop, [one])

    def _apart(self, batch: list[Waiting]) -> list[Waiting]:
        """The votes of a batch that contradict neither what is kept nor each other; the others are refused."""
        kept: list[Waiting] = []
        pairs: dict[tuple[int, int], str] = {}
        for vote, done in batch:
            pair = (vote.item, vote.person)
            why = self.project.contradicts(vote)
            if why is None and vote.label is not None and pairs.setdefault(pair, vote.id) != vote.id:
                why = "you have answered this item: undo that first"
            if why is None:
                kept.append((vote, done))
            elif not done.done():
                done.set_exception(InputError(why))
        return kept

    async def _kept(self, loop: asyncio.AbstractEventLoop, batch: list[Waiting]) -> bool:
        """Write votes down, and count them; false if they could not be written, which is told where they are one."""
        try:
            fresh = await loop.run_in_executor(None, self.project.store.add_votes, [vote for vote, _ in batch])
        except Exception as error:
            if len(batch) == 1 and not batch[0][1].done():
                batch[0][1].set_exception(error)
            return False
        for (vote, done), new in zip(batch, fresh, strict=True):
            if new:
                self.project.take(vote)
            if not done.done():  # who waited may be gone; the vote is kept all the same
                done.set_result(new)
        return True

    def close(self) -> Any:
        """Stop."""
        self.task.cancel()
