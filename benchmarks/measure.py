"""One measured job in a process of its own: wall and CPU seconds, and the peak of memory."""

from __future__ import annotations

import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def measure(job: str, repeat: int = 3, **arguments) -> dict:
    """Run `module:function` in a fresh process; the function gives back a callable that is timed `repeat` times.

    The first call is told apart: it pays for imports and for loading compiled kernels. The others give the median.
    """
    words = [sys.executable, "-m", "benchmarks.measure", job, str(repeat), json.dumps(arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{job} {arguments}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def pooled(work: Callable[..., Any], jobs: Iterable[Any]) -> list[Any]:
    """What a function gives for each job, in their order; each in a process of its own, one BLAS thread for each."""
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # the processes inherit it
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("spawn")) as pool:
        return list(pool.map(work, jobs))


def _peak() -> float:
    """MB at most, so far. Not getrusage's: that one remembers the parent's memory from before the program began."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _run(job: str, repeat: int, arguments: dict) -> dict:
    module, _, name = job.partition(":")
    work = getattr(importlib.import_module(module), name)(**arguments)
    before = _peak()
    wall, cpu, outcome = [], [], {}
    for _ in range(repeat + 1):
        clocks = time.perf_counter(), time.process_time()
        outcome = work() or {}
        wall.append(time.perf_counter() - clocks[0])
        cpu.append(time.process_time() - clocks[1])
    return {
        "seconds": statistics.median(wall[1:] or wall),
        "spread": max(wall[1:] or wall) - min(wall[1:] or wall),
        "cpu": statistics.median(cpu[1:] or cpu),
        "first": wall[0],
        "peak_mb": _peak(),
        "input_mb": before,
        **outcome,
    }


def versions() -> str:
    """What the figures were made with, in one line."""
    packages = ["crowdwise", "crowd-kit", "numpy", "numba", "pandas", "polars", "pyarrow", "scikit-learn", "torch"]
    found = []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    machine = f"{_cores()} cores, {platform.machine()}; {date.today()}"
    return f"Python {platform.python_version()}, {', '.join(found)}; {machine}"


def _cores() -> int:
    from crowdwise.engine import available_cores

    return available_cores()


def write(name: str, title: str, notes: str, rows: list[dict]) -> None:
    """A table of results as Markdown (for people and the docs) and JSON (for programs)."""
    RESULTS.mkdir(exist_ok=True)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row.get(column)) for column in columns) + " |" for row in rows]
    table = "\n".join(lines)
    (RESULTS / f"{name}.md").write_text(f"# {title}\n\n{notes}\n\n{table}\n\n{versions()}\n")
    (RESULTS / f"{name}.json").write_text(json.dumps({"versions": versions(), "rows": rows}, indent=1) + "\n")
    print(f"\n{title}\n{table}", flush=True)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1 else f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    print(json.dumps(_run(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]))))
