"""Writer: all votes that wait go into one transaction, and every answer is given after the commit."""

from __future__ import annotations

import asyncio
from typing import Any

from .project import Project
from .store import Said

MOST = 256  # votes of one transaction


class Writer:
    """One task that writes; handlers wait for it."""

    def __init__(self, project: Project):
        self.project = project
        self.waiting: asyncio.Queue[tuple[Said, asyncio.Future[bool]]] = asyncio.Queue()
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
            try:
                fresh = await loop.run_in_executor(None, self.project.store.add_votes, [vote for vote, _ in batch])
                for (vote, done), new in zip(batch, fresh, strict=True):
                    if new:
                        self.project.take(vote)
                    done.set_result(new)
            except Exception as error:
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)

    def close(self) -> Any:
        """Stop."""
        self.task.cancel()
