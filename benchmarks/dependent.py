"""Annotators who depend on each other, as in Cao et al. (ICLR 2019), on Fashion-MNIST."""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from benchmarks.measure import write
from benchmarks.networks import images, side_by_side, spread

CASES = ("independent", "naive majority", "correlated")
EXPERTISE = ("high", "low")
SEEDS = range(3)
EPOCHS, CLASSES = 10, 10
# T-shirt/shirt, pullover/coat, sandal/sneaker, ankle boot/bag, trouser/dress
PAIRS = ((0, 6), (2, 4), (5, 7), (9, 8), (1, 3))
METHODS = ("auto", "max-mig", "cross-fit", "aggnet", "crowd-layer", "doctor-net", "majority")
RATES = ({"annotator_rate": 1e-2}, {"annotator_rate": 1e-3})


def scale() -> tuple[str, int]:
    """The paper's network and half of the images where there is a GPU; less where there is none."""
    import torch

    return ("cnn", 30_000) if torch.cuda.is_available() else ("mlp", 10_000)


def matrix(says: dict[tuple[int, int], str]) -> np.ndarray:
    """Who knows all but some pairs: of those, "same" says the first, "coin" either, "mostly" right with .6."""
    out = np.eye(CLASSES)
    for (a, b), how in says.items():
        right = {"same": (1.0, 0.0), "coin": (0.5, 0.5), "mostly": (0.6, 0.6)}[how]
        out[a, [a, b]] = right[0], 1.0 - right[0]
        out[b, [a, b]] = 1.0 - right[1], right[1]
    return out


def seniors(expertise: str) -> np.ndarray:
    if expertise == "low":
        return np.broadcast_to(0.8 / 9 + (0.2 - 0.8 / 9) * np.eye(CLASSES), (10, CLASSES, CLASSES)).copy()
    return np.stack(
        [
            matrix(dict.fromkeys(PAIRS, "same")),
            matrix(dict.fromkeys(PAIRS, "coin")),
            matrix(dict.fromkeys(PAIRS[2:], "coin")),  # C knows the first two
            matrix(dict.fromkeys(PAIRS[:2], "same")),  # D the others
            matrix(dict.fromkeys(PAIRS, "mostly")),
        ]
    )


def dependent(confusion: np.ndarray, case: str, expertise: str, truth: np.ndarray, seed: int) -> np.ndarray:
    """(items, annotators): seniors of these matrices, and juniors, vote on everything."""
    from crowdwise import simulate

    people = simulate.Annotators.make("senior", confusion)
    own = simulate.crowd(people, truth=truth, graph="dense", seed=seed).crowd
    matrix = np.zeros((len(truth), len(people.kind)), int)
    matrix[own.item, own.annotator] = own.label
    if case == "naive majority":
        return np.concatenate([matrix, np.zeros((len(truth), 5 if expertise == "high" else 15), int)], axis=1)
    if case == "correlated":
        return np.concatenate([matrix, matrix[:, [0, 0, 2, 2, 2] if expertise == "high" else [0, 2]]], axis=1)
    return matrix


def work(job: tuple) -> dict:
    from crowdwise.learn import CrowdClassifier

    case, expertise, method, rates, seed, rehearsal = job
    data = images("fashion_mnist")
    network, n_items = scale()
    x, truth = data["X_train"][:n_items], data["y_train"][:n_items].astype(int)
    votes = dependent(seniors(expertise), case, expertise, truth, seed)
    objective, options = (
        ("two-stage", {"method": "majority-vote", "hard": True}) if method == "majority" else (method, None)
    )
    model = CrowdClassifier(
        network, objective, options, epochs=EPOCHS, batch=256, rate=2e-3, hold_out=0.1, seed=seed, **rates
    )
    began = time.perf_counter()
    if rehearsal:
        return {"score": model.rehearse(x, votes).score[-1], "seconds": time.perf_counter() - began}
    model.set_params(hold_out=0.0).fit(x, votes)
    seconds = time.perf_counter() - began
    new, new_truth = data["X_test"], data["y_test"].astype(int)
    new_votes = dependent(seniors(expertise), case, expertise, new_truth, 1000 + seed)
    return {
        "seconds": seconds,
        "classifier": model.score(new, new_truth),
        "forecaster": float((model.infer(new, new_votes).labels == new_truth).mean()),
        "on training images": float((model.infer(x, votes).labels == truth).mean()),
    }


def main() -> None:
    cells = list(product(CASES, EXPERTISE))
    tuned = [
        method for method in METHODS if method in ("max-mig", "crowd-layer", "doctor-net")
    ]  # the others count, or choose
    trials = [(*cell, method, rates, 0, True) for cell in cells for method in tuned for rates in RATES]
    done, _ = side_by_side("dependent", work, trials)
    scores = {repr(trial): row["score"] for trial, row in zip(trials, done, strict=True)}
    best = {
        (*cell, method): max(RATES, key=lambda r: scores.get(repr((*cell, method, r, 0, True)), 0.0))
        for cell in cells
        for method in METHODS
    }
    jobs = [(*cell, method, best[*cell, method], seed, False) for cell in cells for method in METHODS for seed in SEEDS]
    done, machine = side_by_side("dependent", work, jobs)
    found = {repr(job): row for job, row in zip(jobs, done, strict=True)}
    rows = []
    for method in METHODS:
        for what in ("classifier", "forecaster", "on training images"):
            row: dict = {"method": method, "of": what}
            for expertise, case in product(EXPERTISE, CASES):
                key = (case, expertise, method)
                several = [found[repr((*key, best[key], seed, False))] for seed in SEEDS]
                row[f"{case}, {expertise}"] = spread(one[what] for one in several)
            rows.append(row)
    seconds = {m: np.mean([found[repr(job)]["seconds"] for job in jobs if job[2] == m]) for m in METHODS}
    write(
        "dependent",
        "Annotators who depend on each other",
        f"Fashion-MNIST, {scale()[1]:,} images, every annotator votes on each. High expertise: five seniors who each "
        "know some of five hard pairs of classes; low: ten, right with .2. Naive majority: 5 (15) more who always "
        f"say the first class; correlated: 5 (2) more who copy the first and the third. Network: {scale()[0]}; "
        f"{EPOCHS} epochs of batches of 256 with falling rates, last epoch; mean and standard deviation over "
        f"{len(SEEDS)} seeds. classifier: on 10,000 test images; forecaster: features and votes, on the test "
        "images with votes of the same people, and on the training images. The annotators' rate (1e-2 or 1e-3) of the "
        "methods that have one was chosen by held-out votes, of "
        f"10 % of the items. Seconds a fit: {', '.join(f'{m} {s:.0f}' for m, s in seconds.items())}; {machine}.",
        rows,
    )


if __name__ == "__main__":
    main()
