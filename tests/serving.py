"""A project that is served by a process of its own, for tests."""

import socket
import subprocess
import sys
import time

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
