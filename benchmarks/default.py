"""What a user waits for: `crowdwise aggregate votes.csv` with the default method, from file to file."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import pooled, write

SIZES = ((500_000, 500), (500_000, 5_000), (5_000_000, 5_000))  # votes, annotators
WORDS = ("cat", "dog", "eel", "fox", "gnu")


def written(how: tuple[int, int, str]) -> None:
    """Shuffled votes of people with confusion rows .4 I + .6 Dirichlet(1), five an item, ids as texts; and the truth.

    In a process of its own: what a command's peak of memory is said to be holds what its parent had.
    """
    import pyarrow as pa
    import pyarrow.csv

    n_votes, n_annotators, folder = how
    rng, n_classes = np.random.default_rng(0), len(WORDS)
    rows = 0.4 * np.eye(n_classes) + 0.6 * rng.dirichlet(np.ones(n_classes), (n_annotators, n_classes))
    truth = rng.integers(n_classes, size=n_votes // 5)
    item, who = np.repeat(np.arange(truth.size), 5), rng.integers(n_annotators, size=n_votes)
    label = (rng.random(n_votes)[:, None] > rows[who, truth[item]].cumsum(axis=1)[:, :-1]).sum(axis=1)
    order = rng.permutation(n_votes)
    columns = {
        "item": np.char.add("item-", item[order].astype(str)),
        "annotator": np.char.add("w", who[order].astype(str)),
        "label": np.array(WORDS)[label[order]],
    }
    pyarrow.csv.write_csv(pa.table(columns), f"{folder}/votes.csv")
    items = np.char.add("item-", np.arange(truth.size).astype(str))
    pyarrow.csv.write_csv(pa.table({"item": items, "truth": np.array(WORDS)[truth]}), f"{folder}/truth.csv")


def right(folder: str) -> float:
    """The share of labels that are the truth."""
    import pyarrow.csv

    labels, truth = (pyarrow.csv.read_csv(f"{folder}/{name}.csv") for name in ("labels", "truth"))
    both = labels.join(truth, "item")
    return float(np.mean(both["label"].to_numpy() == both["truth"].to_numpy()))


def timed(words: list[str]) -> tuple[float, float, float]:
    """Wall and CPU seconds of a command, and its peak of memory in MB."""
    began = time.perf_counter()
    running = subprocess.Popen(words)
    _, status, used = os.wait4(running.pid, 0)
    if status:
        raise RuntimeError(f"{words} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - began, used.ru_utime, used.ru_maxrss / 1024


def main() -> None:
    command, rows = str(Path(sys.executable).parent / "crowdwise"), []
    with tempfile.TemporaryDirectory() as folder:
        for n_votes, n_annotators in SIZES:
            votes, labels = Path(folder) / "votes.csv", Path(folder) / "labels.csv"
            pooled(written, [(n_votes, n_annotators, folder)])
            for method in ("auto", "ibcc", "dawid-skene"):
                words = [command, "aggregate", str(votes), "-m", method, "--out", str(labels), "--quiet"]
                wall, cpu, peak = np.array([timed(words) for _ in range(4)][1:]).T
                row = {
                    "votes": n_votes,
                    "annotators": n_annotators,
                    "method": method,
                    "seconds": float(np.median(wall)),
                }
                row |= {"spread": float(np.ptp(wall)), "cpu": float(np.median(cpu)), "peak_mb": float(peak.max())}
                rows.append({**row, "right": pooled(right, [folder])[0]})
                print(rows[-1], flush=True)
    write(
        "default",
        "From a CSV file to a file of labels",
        "`crowdwise aggregate votes.csv`, whole processes, median of three after one. Simulated votes, five an item, "
        "five classes, shuffled, ids as texts.",
        rows,
    )


if __name__ == "__main__":
    main()
