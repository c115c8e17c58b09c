"""Every method, run to convergence: seconds and memory on 10k and 500k votes; GLAD and MACE beside crowd-kit's."""

from __future__ import annotations

from benchmarks.data import columns, frame
from benchmarks.measure import measure, write
from crowdwise import METHODS

SMALL, LARGE = 10_000, 500_000
PEERS = {"glad": "GLAD", "mace": "MACE", "dawid-skene": "DawidSkene", "majority-vote": "MajorityVote"}


def ours(method: str, n_votes: int):
    import numpy as np

    from crowdwise.methods import make

    votes = frame(n_votes, "shuffled", "integers", ("item", "annotator", "label"))
    truth = np.load(columns(n_votes) / "truth.npy")

    def work():
        result = make(method).fit(votes)
        right = float((result.labels == truth[result.items]).mean())
        return {"accuracy": right, "steps": len(result.trace), "converged": result.converged}

    return work


def crowd_kit(method: str, n_votes: int):
    import crowdkit.aggregation as kit
    import numpy as np

    votes = frame(n_votes, "shuffled", "integers", ("task", "worker", "label"))
    truth = np.load(columns(n_votes) / "truth.npy")

    def work():
        labels = getattr(kit, PEERS[method])().fit_predict(votes)
        return {"accuracy": float((labels.to_numpy() == truth[labels.index]).mean())}

    return work


def main() -> None:
    rows = []
    for method in (name for name, entry in METHODS.own.items() if entry.takes == "classes"):
        small = measure("benchmarks.methods:ours", 3, method=method, n_votes=SMALL)
        large = measure("benchmarks.methods:ours", 1, method=method, n_votes=LARGE)
        row = {
            "method": method,
            "10k: seconds": small["seconds"],
            "accuracy": small["accuracy"],
            "500k: seconds": large["seconds"],
            "peak MB": large["peak_mb"],
            "steps": large["steps"],
            "500k: accuracy": large["accuracy"],
        }
        if method in PEERS:
            peer = measure("benchmarks.methods:crowd_kit", 1, method=method, n_votes=SMALL)
            row |= {
                "crowd-kit, 10k: seconds": peer["seconds"],
                "its accuracy": peer["accuracy"],
                "times as fast": peer["seconds"] / small["seconds"],
            }
        rows.append(row)
        print(row, flush=True)
    write(
        "methods",
        "Every method to convergence",
        "Frame in, labels out, defaults, two cores; five votes an item, five classes, 50 and 1,000 annotators. 10k "
        "votes: median of three runs; 500k: one run after one to warm up. crowd-kit with its defaults. The samplers "
        "(gibbs, crowd-svm) make a fixed number of sweeps.",
        rows,
    )


if __name__ == "__main__":
    main()
