"""Frame in, labels out: ours and crowd-kit's, at 10k, 500k and 5M votes."""

from __future__ import annotations

from benchmarks.data import SIZES, columns, frame
from benchmarks.measure import measure, write

ITERATIONS = 20
PEERS = {
    "majority-vote": "MajorityVote",
    "wawa": "Wawa",
    "zero-based-skill": "ZeroBasedSkill",
    "dawid-skene": "DawidSkene",
    "one-coin": "OneCoinDawidSkene",
}


def ours(method: str, n_votes: int, order: str, ids: str, engine: str = "auto"):
    import numpy as np

    from crowdwise.methods import make

    votes = frame(n_votes, order, ids, ("item", "annotator", "label"))
    truth = np.load(columns(n_votes, order) / "truth.npy")
    iterative = method in ("dawid-skene", "one-coin", "confusion-vector")
    model = make(method, **({"max_iter": ITERATIONS, "tol": -np.inf} if iterative else {}))

    def work():
        result = model.fit(votes, engine=engine)
        labels = result.labels
        return {"accuracy": float((labels == truth[result.items]).mean())} if ids == "integers" else {}

    return work


def crowd_kit(method: str, n_votes: int, order: str, ids: str):
    import crowdkit.aggregation as kit
    import numpy as np

    votes = frame(n_votes, order, ids, ("task", "worker", "label"))
    truth = np.load(columns(n_votes, order) / "truth.npy")
    # Its loss may fall, which would stop it: no tolerance.
    options = {"n_iter": ITERATIONS, "tol": -1e300} if method in ("dawid-skene", "one-coin") else {}

    def work():
        labels = getattr(kit, PEERS[method])(**options).fit_predict(votes)
        return {"accuracy": float((labels.to_numpy() == truth[labels.index]).mean())} if ids == "integers" else {}

    return work


def row(n_votes: int, order: str, ids: str, method: str) -> dict:
    """One line of the table."""
    where = {"method": method, "n_votes": n_votes, "order": order, "ids": ids}
    columns(n_votes, order)
    a = measure("benchmarks.speed:ours", 5, **where)
    line = {
        "votes": n_votes,
        "rows": order,
        "ids": ids,
        "method": method,
        "seconds": a["seconds"],
        "spread": a["spread"],
        "cpu": a["cpu"],
        "first call": a["first"],
        "peak MB": a["peak_mb"],
        "accuracy": a.get("accuracy"),
    }
    b = measure("benchmarks.speed:crowd_kit", 1 if (n_votes, method) == (5_000_000, "one-coin") else 3, **where)
    return {
        **line,
        "crowd-kit seconds": b["seconds"],
        "crowd-kit cpu": b["cpu"],
        "crowd-kit peak MB": b["peak_mb"],
        "crowd-kit accuracy": b.get("accuracy"),
        "times as fast": b["seconds"] / a["seconds"],
        "memory": a["peak_mb"] / b["peak_mb"],
    }


def main() -> None:
    cases = [(n, "shuffled", "integers", method) for n in SIZES for method in PEERS]
    cases = [case for case in cases if case[0] < 10**6 or case[3] != "zero-based-skill"]
    cases += [(5_000_000, "sorted", "integers", method) for method in ("dawid-skene", "majority-vote")]
    cases += [(5_000_000, "shuffled", "strings", method) for method in ("dawid-skene", "majority-vote")]
    table([row(*case) for case in cases])


def table(rows: list[dict]) -> None:
    write(
        "speed",
        "Speed and memory beside crowd-kit",
        f"A pandas frame in, labels out; {ITERATIONS} iterations of EM; simulated Dawid-Skene votes, five an item, "
        "five classes, seed 0. Seconds are the median of five calls (crowd-kit: three; its one-coin at 5M votes: one) "
        "in a fresh process after a first call, which loads compiled kernels from the disk cache and is shown by "
        "itself; spread is the slowest less the fastest. Peak memory is the whole process's, imports and frame "
        "included. `times as fast` and `memory` are ratios of wall seconds and of peaks, measured in one run.",
        rows,
    )


if __name__ == "__main__":
    main()
