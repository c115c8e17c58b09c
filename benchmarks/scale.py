"""Dawid-Skene from 1M to 100M votes: time grows in line with votes, memory stays below 8 GB."""

from __future__ import annotations

import matplotlib

from benchmarks.data import columns
from benchmarks.measure import RESULTS, measure, write

SIZES = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
ITERATIONS = 20
PICTURE = RESULTS.parent.parent / "docs" / "images" / "scale.png"


def fit(n_votes: int, n_annotators: int):
    import numpy as np
    import pyarrow as pa

    from crowdwise import DawidSkene

    folder = columns(n_votes, "by item", n_annotators)
    votes = pa.table({name: np.load(folder / f"{name}.npy") for name in ("item", "annotator", "label")})
    truth = np.load(folder / "truth.npy")

    def work():
        result = DawidSkene(max_iter=ITERATIONS, tol=-np.inf).fit(votes)
        return {"accuracy": float((result.labels == truth).mean())}

    return work


def main() -> None:
    rows = []
    for n_votes, n_annotators in [(n, 5_000) for n in SIZES] + [(n, n // 1000) for n in SIZES]:
        columns(n_votes, "by item", n_annotators)
        repeat = 1 if n_votes > 10**7 else 3
        got = measure("benchmarks.scale:fit", repeat, n_votes=n_votes, n_annotators=n_annotators)
        rows.append(
            {
                "votes": n_votes,
                "annotators": n_annotators,
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
        "classes, votes in the order of their items, seed 0. First with 5,000 annotators throughout, then with 1,000 "
        "votes an annotator, where the confusion matrices outgrow the cache.",
        rows,
    )
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    half = len(SIZES)
    for name, some in {"5,000 annotators": rows[:half], "1,000 votes an annotator": rows[half:]}.items():
        axes.loglog(SIZES, [row["seconds"] for row in some], "o-", label=f"seconds, {name}")
    axes.loglog(SIZES, [row["peak GB"] for row in rows[half:]], "s--", color="gray", label="peak memory, GB")
    rate = rows[0]["seconds"] / SIZES[0]
    axes.loglog(SIZES, [rate * n for n in SIZES], "k:", label="linear")
    axes.set(xlabel="votes", title=f"DawidSkene, {ITERATIONS} iterations, two cores")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
