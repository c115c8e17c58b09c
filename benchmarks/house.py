"""What a user waits for from a command to its file, and how often votes are checked on the way; beside another version.

`python -m benchmarks house` measures this version; CROWDWISE_BEFORE=/path/to/other/src puts another one beside it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import write

COMMAND = "import sys; from crowdwise.cli import main; main()"
COUNTED = """
import atexit, json, sys
try:
    from crowdwise.votes.crowd import Crowd
except ImportError:
    from crowdwise.crowd import Crowd
counts, check = [0], Crowd.__post_init__
def counted(self):
    counts[0] += 1
    check(self)
Crowd.__post_init__ = counted
atexit.register(lambda: print(json.dumps(counts[0]), flush=True))
from crowdwise.cli import main
main()
"""


def run(source: str, code: str, *words: str) -> tuple[float, str]:
    """Wall seconds of a command by the package in a folder, and what it printed."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    return time.perf_counter() - began, done.stdout


def main() -> None:
    own = str(Path(__file__).parent.parent / "src")
    sources = {"before": os.environ.get("CROWDWISE_BEFORE"), "now": own}
    sources = {name: source for name, source in sources.items() if source}
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for votes, people in ((1_000, "one-coin=20,spammer=3"), (10_000, "one-coin=40,spammer=5"),
                              (100_000, "one-coin=200,spammer=20")):  # fmt: skip
            files[votes] = f"{folder}/{votes}.csv"
            run(own, COMMAND, "simulate", "--people", people, "--items", str(votes // 5), "--out", files[votes])
        commands = {
            "aggregate, 10k votes, dawid-skene": ["aggregate", files[10_000], "-m", "dawid-skene"],
            "aggregate, 10k votes, auto": ["aggregate", files[10_000]],
            "report, 100k votes, dawid-skene": ["report", files[100_000], "-m", "dawid-skene"],
            "report, 100k votes, auto": ["report", files[100_000]],
        }
        run(own, COMMAND, "warm")  # the version before compiles in its first round, whatever it costs
        rows = []
        for what, words in commands.items():
            target = f"{folder}/out.{'html' if words[0] == 'report' else 'csv'}"
            taken = {name: [] for name in sources}
            for _ in range(8):  # in turn, so that a busy moment meets both
                for name, source in sources.items():
                    taken[name].append(run(source, COMMAND, *words, "--out", target)[0])
            rows.append({"what": what, **{name: statistics.median(each[1:]) for name, each in taken.items()}})
        checked = {
            name: json.loads(run(source, COUNTED, "report", files[1_000], "--out", f"{folder}/r.html")[1].split()[-1])
            for name, source in sources.items()
        }
        rows.append({"what": "votes checked at the door, report on 1,000 votes", **checked})
    write(
        "house",
        "From a command to its file",
        "Seconds from process start to the end, median of seven after one, versions in turn; both compiled "
        "(`crowdwise warm`); `before` is the version before the rooms.",
        rows,
    )


if __name__ == "__main__":
    main()
