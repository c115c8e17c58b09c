"""Dawid-Skene from 1M to 100M votes: time grows in line with votes, memory stays below 8 GB."""

from __future__ import annotations

import matplotlib

from benchmarks.data import columns
from benchmarks.measure import RESULTS, measure, write

SIZES = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
ITERATIONS = 20


def fit(n_votes: int):
    import numpy as np
    import pyarrow as pa

    from crowdwise import DawidSkene

    folder = columns(n_votes, "by item")
    votes = pa.table({name: np.load(folder / f"{name}.npy") for name in ("item", "annotator", "label")})
    truth = np.load(folder / "truth.npy")

    def work():
        result = DawidSkene(max_iter=ITERATIONS, tol=-np.inf).fit(votes)
        return {"accuracy": float((result.labels == truth).mean())}

    return work


def main() -> None:
    rows = []
    for n_votes in SIZES:
        columns(n_votes, "by item")
        got = measure("benchmarks.scale:fit", 1 if n_votes > 10**7 else 3, n_votes=n_votes)
        rows.append(
            {
                "votes": n_votes,
                "annotators": max(50, n_votes // 1000),
                "seconds": got["seconds"],
                "microseconds a vote": 1e6 * got["seconds"] / n_votes,
                "peak GB": got["peak_mb"] / 1024,
                "of which the frame": got["input_mb"] / 1024,
                "accuracy": got["accuracy"],
            }
        )
        print(rows[-1], flush=True)
    write(
        "scale",
        "Dawid-Skene from 1M to 100M votes",
        f"An arrow table in (int32, int32, int8), labels out; {ITERATIONS} iterations, five votes an item, five "
        "classes, 1,000 votes an annotator, votes in the order of their items, seed 0.",
        rows,
    )
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.loglog([r["votes"] for r in rows], [r["seconds"] for r in rows], "o-", label="seconds")
    axes.loglog([r["votes"] for r in rows], [r["peak GB"] for r in rows], "s-", label="peak memory, GB")
    first = rows[0]
    axes.loglog(
        [r["votes"] for r in rows], [first["seconds"] * r["votes"] / first["votes"] for r in rows], "k:", label="linear"
    )
    axes.set(xlabel="votes", title=f"DawidSkene, {ITERATIONS} iterations, two cores")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(RESULTS / "scale.png", dpi=110)


if __name__ == "__main__":
    main()
