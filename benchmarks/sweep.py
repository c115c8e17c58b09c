"""One sweep of belief propagation: all messages from annotators to items and back."""

from __future__ import annotations

from benchmarks.measure import measure, write

CASES = ((100_000, 2), (100_000, 10), (1_000_000, 2))
SAMPLES = 400


def prepared(n_votes: int, n_classes: int, engine: str):
    """A sweep over so many votes, ten an item, fifty an annotator."""
    from crowdwise import BeliefPropagation, simulate
    from crowdwise.engine import bind

    people = simulate.dirichlet(n_votes // 50, n_classes, 5.0, 1.0, seed=0)
    crowd = simulate.crowd(people, n_items=n_votes // 10, per_item=10, seed=0).crowd
    drawn = people.confusion[:SAMPLES]
    method, ops = BeliefPropagation(prior=drawn, samples=SAMPLES, max_iter=1), bind(crowd, engine)
    return lambda: {"rounds": method.settle(ops).step}


def main() -> None:
    rows = []
    for (n_votes, n_classes), engine in ((case, engine) for case in CASES for engine in ("numpy", "numba")):
        if engine == "numpy" and n_votes > 100_000:
            continue
        found = measure("benchmarks.sweep:prepared", n_votes=n_votes, n_classes=n_classes, engine=engine)
        rows.append({"votes": n_votes, "classes": n_classes, "engine": engine, "seconds a sweep": found["seconds"],
                     "peak MB": found["peak_mb"], "MB before": found["input_mb"]})  # fmt: skip
        print(rows[-1], flush=True)
    write(
        "sweep",
        "One sweep of belief propagation",
        f"Ten votes an item, fifty an annotator, {SAMPLES} samples of matrices as the prior; median of three.",
        rows,
    )


if __name__ == "__main__":
    main()
