"""The service under load: votes and questions a second, and how long 100 people wait; kills that lose nothing."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import httpx
import numpy as np

from benchmarks.measure import write
from crowdwise.service.store import Said, Store

ITEMS, CLASSES = 20_000, ["a", "b", "c", "d", "e"]
PEOPLE, THINKING, SECONDS = 100, 2.0, 30.0


def port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def made(folder: str) -> tuple[Path, list[str]]:
    project = Path(folder, "p.db")
    store = Store(str(project))
    store.set(classes=CLASSES)
    store.add_items((f"i{k}", {"text": f"text {k}"}) for k in range(ITEMS))
    tokens = [store.add_person(f"p{k}", "machine") for k in range(PEOPLE)]
    store.close()
    return project, tokens


def started(project: Path, at: int) -> subprocess.Popen:
    server = subprocess.Popen([sys.executable, "-m", "crowdwise", "serve", str(project), "--port", str(at)])
    for _ in range(600):
        try:
            if httpx.get(f"http://127.0.0.1:{at}/health", timeout=1.0).status_code == 200:
                return server
        except httpx.HTTPError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")


class Line:
    """A connection that stays open, and asks by few instructions: the client shares two cores with the server."""

    def __init__(self, at: int, token: str):
        self.at, self.head = at, f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"

    async def ask(self, path: str, body: dict | None = None) -> tuple[int, dict]:
        if not hasattr(self, "reader"):
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.at)
        text = b"" if body is None else json.dumps(body).encode()
        more = "" if body is None else f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
        verb = "GET" if body is None else "POST"
        self.writer.write(f"{verb} {path} HTTP/1.1\r\n{self.head}{more}\r\n".encode() + text)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = int(head.partition("content-length:")[2].partition("\r\n")[0])
        return int(head[9:12]), json.loads(await self.reader.readexactly(size))


async def person(line: Line, token: str, think: float, until: float, spent: dict, what: str) -> None:
    rng = random.Random(token)
    if think:
        await asyncio.sleep(rng.uniform(0, think))
    while time.perf_counter() < until:
        name = f"i{rng.randrange(ITEMS)}"
        if what != "votes":
            began = time.perf_counter()
            status, told = await line.ask("/api/next")
            if status == 200:
                spent["next"].append(time.perf_counter() - began)
                name = (told.get("item") or {}).get("name", name)
        if think:
            await asyncio.sleep(rng.uniform(0.5, 1.5) * think)
        if what != "next":
            body = {"id": str(uuid.uuid4()), "item": name, "label": rng.choice(CLASSES)}
            began = time.perf_counter()
            status, _ = await line.ask("/api/votes", body)
            if status == 200:
                spent["vote"].append(time.perf_counter() - began)


async def load(at: int, tokens: list[str], think: float, seconds: float, what: str) -> dict:
    spent: dict = {"next": [], "vote": []}
    until = time.perf_counter() + seconds
    await asyncio.gather(*(person(Line(at, token), token, think, until, spent, what) for token in tokens))
    row: dict = {}
    for name, own in spent.items():
        if own:
            row |= {f"{name} a second": len(own) / seconds, f"{name} p50 ms": 1e3 * float(np.median(own)),
                    f"{name} p99 ms": 1e3 * float(np.quantile(own, 0.99))}  # fmt: skip
    return row


def memory(process: int) -> dict[str, float]:
    """What a process holds, and the most that it held."""
    told = dict(line.split(":") for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return {name: float(told[key].split()[0]) / 1024 for name, key in (("MB", "VmRSS"), ("peak MB", "VmHWM"))}


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        project, tokens = made(folder)
        at = port()
        server = started(project, at)
        try:
            for title, people, think, seconds, what in (
                (f"{PEOPLE} people, {THINKING:g} s of thinking", PEOPLE, THINKING, SECONDS, "both"),
                ("32 machines, no pause, votes", 32, 0.0, 10.0, "votes"),
                ("32 machines, no pause, next", 32, 0.0, 10.0, "next"),
            ):
                rows.append({"load": title, **asyncio.run(load(at, tokens[:people], think, seconds, what))})
                print(rows[-1], flush=True)
        finally:
            server.terminate()
            server.wait()
        store, votes = Store(str(project)), []
        rng = np.random.default_rng(0)
        for k in range(int(os.environ.get("CROWDWISE_VOTES", "1000000"))):
            votes.append(
                Said(
                    f"more-{k}",
                    1 + int(k % ITEMS),
                    1 + int((k // ITEMS) % PEOPLE),
                    CLASSES[int(rng.integers(5))],
                    None,
                    0.0,
                )
            )
        for low in range(0, len(votes), 10_000):
            store.add_votes(votes[low : low + 10_000])
        began = time.perf_counter()
        server = started(project, port())
        row = {"load": f"start with {store.count():,} rows of votes", "seconds": time.perf_counter() - began}
        time.sleep(20.0)  # the first look at all votes is over then
        rows.append({**row, **memory(server.pid)})
        print(rows[-1], flush=True)
        server.terminate()
        server.wait()
    note = "20,000 items, five classes; client and server on the same two cores; one token may ask 50 times a second."
    write("serve", "The service on SQLite under load", note, rows)


if __name__ == "__main__":
    main()
