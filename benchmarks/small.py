"""Small data: Gaussian processes, logistic regression and a hidden layer on the same Bayesian annotators."""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from benchmarks.measure import write
from benchmarks.networks import features, side_by_side, spread

SETS = ("labelme", "music")
NETWORKS = ("linear", "gp", "mlp")
ITEMS = (100, 300, None)
SEEDS = range(3)


def work(job: tuple) -> dict:
    from crowdwise.learn import CrowdClassifier

    name, network, n_items, seed = job
    arrays, votes, truth = features(name)
    items = arrays["item_train"]
    some = np.random.default_rng(seed).permutation(len(items))[: n_items or len(items)]
    rows = {"X": arrays["X_train"][some], "votes": votes.subset(items=items[some]), "items": items[some]}
    model = CrowdClassifier(network, "deep-mf", epochs=50, anneal=True, seed=seed, device="cpu")
    began = time.perf_counter()
    model.fit(**rows)
    seconds = time.perf_counter() - began
    result, known = model.infer(**rows), arrays["y_test"]
    said = model.predict_proba(arrays["X_test"])
    right = [truth[item] == label for item, label in zip(result.items.tolist(), result.labels.tolist(), strict=True)]
    place = {label: code for code, label in enumerate(model.classes_.tolist())}
    chance = [said[row, place[label]] if label in place else 0.0 for row, label in enumerate(known.tolist())]
    return {
        "test": model.score(arrays["X_test"], known),
        "infer": float(np.mean(right)),
        "nll": float(-np.log(np.maximum(chance, 1e-12)).mean()),
        "seconds": seconds,
    }


def main() -> None:
    jobs = list(product(SETS, NETWORKS, ITEMS, SEEDS))
    done, machine = side_by_side("small", work, jobs)
    found = dict(zip(jobs, done, strict=True))
    rows = []
    for name, n_items, network in product(SETS, ITEMS, NETWORKS):
        several = [found[name, network, n_items, seed] for seed in SEEDS]
        row: dict = {"set": name, "items": n_items or "all", "network": network}
        row |= {what: spread(one[what] for one in several) for what in ("test", "infer", "nll")}
        rows.append(row | {"seconds": float(np.mean([one["seconds"] for one in several]))})
    write(
        "small",
        "Small data, without a network and with one",
        "deep-mf with its defaults, 50 epochs with falling rates; so many training items drawn by chance, all their "
        f"votes; mean and standard deviation over {len(SEEDS)} seeds. test: accuracy on test items; infer: of the "
        "training items' labels; nll: mean negative log-probability of the test items' classes. linear is Raykar's "
        f"logistic regression on the Bayesian annotators; gp: Gaussian processes, 100 inducing points. {machine}.",
        rows,
    )


if __name__ == "__main__":
    main()
