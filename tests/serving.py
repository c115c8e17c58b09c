"""A project that is served by a process of its own, for tests."""

import random
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid

import httpx


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def started(project, port):
    server = subprocess.Popen([sys.executable, "-m", "crowdwise", "serve", str(project), "--port", str(port)],
                              stdout=subprocess.DEVNULL)  # fmt: skip
    for _ in range(300):
        if server.poll() is not None:
            raise AssertionError(f"the server ended with {server.returncode}")
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health", timeout=1.0).status_code == 200:
                return server
        except httpx.HTTPError:
            time.sleep(0.1)
    server.kill()
    raise AssertionError("the server did not start")


def killed_under_load(project, tokens, items, kills, seed=0):
    """The ids of votes and undos that a server acknowledged while people voted at the same time, before it was killed,
    again and again. Some votes are sent twice, and some are taken back."""
    rng, acknowledged, left, port = random.Random(seed), set(), iter(items), free_port()

    def work(token, seed, over):
        own = random.Random(seed)
        headers = {"authorization": f"Bearer {token}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=5.0, headers=headers) as client:
            try:
                while not over.is_set():
                    key = uuid.UUID(int=own.getrandbits(128)).hex
                    body = {"id": key, "item": next(left), "label": "cat"}
                    if client.post("/api/votes", json=body).status_code != 200:
                        continue
                    acknowledged.add(key)
                    if own.random() < 0.1:
                        again = client.post("/api/votes", json=body)
                        assert again.status_code in (200, 429) and not again.json().get("new", False)
                    if own.random() < 0.1 and client.post(f"/api/votes/{key}/undo").status_code == 200:
                        acknowledged.add(f"undo:{key}")
            except httpx.HTTPError:
                return  # it was killed

    for _ in range(kills):
        server, over = started(project, port), threading.Event()
        people = [threading.Thread(target=work, args=(token, rng.random(), over)) for token in tokens]
        for one in people:
            one.start()
        time.sleep(rng.uniform(0.2, 0.8))
        server.send_signal(signal.SIGKILL)
        server.wait()
        over.set()
        for one in people:
            one.join()
    return acknowledged
