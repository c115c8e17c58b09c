"""What a user waits for: `crowdwise aggregate votes.csv` with the default method, from file to file."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import write

SIZES = ((500_000, 500), (500_000, 5_000), (5_000_000, 5_000))  # votes, annotators
WORDS = ("cat", "dog", "eel", "fox", "gnu")


def written(n_votes: int, n_annotators: int, path: Path) -> None:
    """Shuffled votes of people with confusion rows .4 I + .6 Dirichlet(1), five an item, ids as texts."""
    import pyarrow as pa
    import pyarrow.csv

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
    pyarrow.csv.write_csv(pa.table(columns), path)


def main() -> None:
    command, rows = str(Path(sys.executable).parent / "crowdwise"), []
    with tempfile.TemporaryDirectory() as folder:
        for n_votes, n_annotators in SIZES:
            votes, labels = Path(folder) / "votes.csv", Path(folder) / "labels.csv"
            written(n_votes, n_annotators, votes)
            for method in ("auto", "ibcc", "dawid-skene"):
                words = [command, "aggregate", str(votes), "-m", method, "--out", str(labels), "--quiet"]
                taken = []
                for _ in range(4):
                    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
                    subprocess.run(words, check=True)
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    taken.append((time.perf_counter() - began, after.ru_utime - before.ru_utime))
                wall, cpu = np.array(taken[1:]).T
                row = {
                    "votes": n_votes,
                    "annotators": n_annotators,
                    "method": method,
                    "seconds": float(np.median(wall)),
                }
                rows.append({**row, "spread": float(np.ptp(wall)), "cpu": float(np.median(cpu))})
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
