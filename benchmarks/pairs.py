"""Pair counts and moment methods at scale: seconds and memory."""

from __future__ import annotations

from benchmarks.measure import measure, write

COUNTS = {
    "5M votes, 5 an item, 5,000 annotators": (1_000_000, 5, 5_000),
    "5M votes, 50 an item, 5,000 annotators": (100_000, 50, 5_000),
    "5M votes, 5 an item, 500 annotators": (1_000_000, 5, 500),
}
METHODS = (
    "dawid-skene", "spectral-em", "tensor", "multi-spa", "cnmf-spa", "cnmf-opt", "sym-nmf", "coupled-cpd", "sml",
    "ghosh-svd", "eigen-ratio", "kos", "pgd", "mmsr",
)  # fmt: skip


def drawn(n_items: int, per_item: int, n_annotators: int):
    from crowdwise import simulate

    people = simulate.dirichlet(n_annotators, 5, 5, 1, seed=0)
    return simulate.crowd(people, n_items=n_items, per_item=per_item, seed=0)


def ours(n_items: int, per_item: int, n_annotators: int):
    from crowdwise.engine import bind

    crowd = drawn(n_items, per_item, n_annotators).crowd
    return lambda: {"pairs": len(bind(crowd, "numba").tuples(2).often)}


def scipys(n_items: int, per_item: int, n_annotators: int):
    """The product of sparse matrices that counts the same."""
    import numpy as np
    from scipy.sparse import csr_array

    crowd = drawn(n_items, per_item, n_annotators).crowd
    cell = crowd.annotator.astype(np.int64) * 5 + crowd.label

    def work():
        said = csr_array((np.ones(crowd.n_votes), (crowd.item, cell)), shape=(n_items, 5 * n_annotators))
        return {"pairs": (said.T.tocsr() @ said).nnz}

    return work


def method(name: str):
    from crowdwise.methods import make

    made = drawn(1_000_000, 5, 500)

    def work():
        result = make(name).fit(made.crowd)
        return {"accuracy": float((result.labels == made.truth).mean())}

    return work


def identification():
    from crowdwise.study.identify import identify

    made = drawn(1_000_000, 5, 500)
    return lambda: {"verdict": identify(made.crowd).verdict}


def main() -> None:
    rows = []
    for label, (n_items, per_item, n_annotators) in COUNTS.items():
        sizes = {"n_items": n_items, "per_item": per_item, "n_annotators": n_annotators}
        own, peer = (measure(f"benchmarks.pairs:{job}", 2, **sizes) for job in ("ours", "scipys"))
        rows.append(
            {
                "job": f"pair counts: {label}",
                "seconds": own["seconds"],
                "peak MB": own["peak_mb"],
                "with the votes alone, MB": own["input_mb"],
                "pairs of labels": own["pairs"],
                "scipy's sparse product, seconds": peer["seconds"],
                "its peak MB": peer["peak_mb"],
                "times as fast": peer["seconds"] / own["seconds"],
            }
        )
        print(rows[-1], flush=True)
    jobs = {name: ("benchmarks.pairs:method", {"name": name}) for name in METHODS}
    for label, (job, arguments) in {**jobs, "identify": ("benchmarks.pairs:identification", {})}.items():
        got = measure(job, 1, **arguments)
        rows.append(
            {
                "job": f"1M items, 5 votes each, 500 annotators: {label}",
                "seconds": got["seconds"],
                "peak MB": got["peak_mb"],
                "with the votes alone, MB": got["input_mb"],
                "accuracy": got.get("accuracy"),
            }
        )
        print(rows[-1], flush=True)
    write(
        "pairs",
        "Pairs and moment methods at scale",
        "Two cores, five classes. Pair counts: median of two runs after one to warm up, beside the product of sparse "
        "matrices that counts the same (each pair twice, and each annotator with himself). Methods: one run after one "
        "to warm up, from a Crowd, defaults.",
        rows,
    )


if __name__ == "__main__":
    main()
