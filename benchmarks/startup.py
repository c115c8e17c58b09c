"""What a user waits for before anything is computed: import, help, and the first compilation of the kernels."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import write

COMPILE = (
    "import sys, time, numpy as np; from crowdwise import Crowd, DawidSkene; i = np.arange(300_000); "
    "votes = Crowd.from_columns(i // 3, i % 100, i % 5); began = time.perf_counter(); "
    "DawidSkene(max_iter=2).fit(votes, engine=sys.argv[1]); print(time.perf_counter() - began)"
)


def fitted(engine: str, cache: str, repeat: int = 1) -> tuple[float, float]:
    """Seconds of a process that fits 300k votes, and of the fit alone; the median of several."""
    whole, alone = [], []
    for _ in range(repeat):
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", COMPILE, engine], check=True, capture_output=True, text=True,
                              env={**os.environ, "NUMBA_CACHE_DIR": cache})  # fmt: skip
        whole.append(time.perf_counter() - began)
        alone.append(float(done.stdout.split()[-1]))
    return statistics.median(whole), statistics.median(alone)


def seconds(words: list[str], repeat: int = 7, **environment: str) -> float:
    """Median wall seconds of a whole command, after one to warm the disk cache."""
    taken = []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True, env={**os.environ, **environment})
        taken.append(time.perf_counter() - began)
    return statistics.median(taken[1:])


def main() -> None:
    python, command = sys.executable, str(Path(sys.executable).parent / "crowdwise")
    nothing = seconds([python, "-c", "pass"])
    with tempfile.TemporaryDirectory() as empty:
        default = fitted("auto", empty)
        compiling = fitted("numba", empty)
        cached = fitted("numba", empty, 5)
    write(
        "startup",
        "Before anything is computed",
        "Whole processes, median of seven after one; of five where kernels are loaded from the cache. Fits: of 300,000 "
        "votes, two steps; beside the process, the fit alone.",
        [
            {"what": "python -c pass", "seconds": nothing},
            {"what": "python -c 'import crowdwise'", "seconds": seconds([python, "-c", "import crowdwise"])},
            {"what": "python -c 'import numpy'", "seconds": seconds([python, "-c", "import numpy"])},
            {"what": "crowdwise --help", "seconds": seconds([command, "--help"])},
            {"what": "the first fit after an install", "seconds": default[0], "the fit alone": default[1]},
            {
                "what": "the same by compiled kernels (engine='numba')",
                "seconds": compiling[0],
                "the fit alone": compiling[1],
            },
            {"what": "the same, kernels in the disk cache", "seconds": cached[0], "the fit alone": cached[1]},
        ],
    )


if __name__ == "__main__":
    main()
