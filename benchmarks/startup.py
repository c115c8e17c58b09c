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
    "import numpy as np; from crowdwise import Crowd, DawidSkene; i = np.arange(300_000); "
    "DawidSkene(max_iter=2).fit(Crowd.from_columns(i // 3, i % 100, i % 5), engine='numba')"
)


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
        began = time.perf_counter()
        subprocess.run([python, "-c", COMPILE], check=True, env={**os.environ, "NUMBA_CACHE_DIR": empty})
        compiling = time.perf_counter() - began
        cached = seconds([python, "-c", COMPILE], 3, NUMBA_CACHE_DIR=empty)
    write(
        "startup",
        "Before anything is computed",
        "Whole commands, median of seven after one; of three where kernels are loaded from the cache.",
        [
            {"what": "python -c pass", "seconds": nothing},
            {"what": "python -c 'import crowdwise'", "seconds": seconds([python, "-c", "import crowdwise"])},
            {"what": "python -c 'import numpy'", "seconds": seconds([python, "-c", "import numpy"])},
            {"what": "crowdwise --help", "seconds": seconds([command, "--help"])},
            {"what": "a numba fit of 300k votes, kernels not compiled yet", "seconds": compiling},
            {"what": "the same, kernels in the disk cache", "seconds": cached},
        ],
    )


if __name__ == "__main__":
    main()
