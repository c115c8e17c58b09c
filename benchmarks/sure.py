"""How sure, and how rightly: labels from features and votes, predictions of new items, intervals of confusion."""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.measure import write
from benchmarks.networks import features, side_by_side, spread

SETS = ("labelme", "music")
SEEDS = range(3)
METHODS = {
    "aggnet": ("aggnet", None),
    "max-mig": ("max-mig", None),
    "cross-fit": ("cross-fit", None),
    "bayes-dgc": ("bayes-dgc", None),
    "deep-mf": ("deep-mf", None),
    "deep-bp": ("deep-bp", None),
    "bayes-dgc, 5 folds": ("bayes-dgc", {"folds": 5}),
    "deep-mf, 5 folds": ("deep-mf", {"folds": 5}),
    "deep-bp, 5 folds": ("deep-bp", {"folds": 5}),
}
BAYESIAN = tuple(name for name, (objective, _) in METHODS.items() if objective.startswith(("bayes", "deep")))


def judged(proba: np.ndarray, code: np.ndarray) -> dict:
    from crowdwise.study.metrics import calibration_error, log_loss

    return {"nll": log_loss(proba, code), "ece": calibration_error(proba, code)}


def work(job: tuple) -> dict:
    from crowdwise.learn import CrowdClassifier
    from crowdwise.votes.codes import find, names_array

    name, method, seed = job
    arrays, votes, truth = features(name)
    objective, options = METHODS[method]
    rows = {"X": arrays["X_train"], "votes": votes, "items": arrays["item_train"]}
    model = CrowdClassifier("mlp", objective, options, hold_out=0.15, epochs=50, anneal=False, seed=seed, device="cpu")
    model.fit(**rows)
    result = model.infer(**rows)
    test = np.asarray(find(names_array(arrays["y_test"]), model.classes_))
    known = np.asarray(find(names_array([truth[item] for item in result.items.tolist()]), model.classes_))
    out = {"predict": judged(model.predict_proba(arrays["X_test"]), test), "infer": judged(result.posterior, known)}
    model.fitted_.power = model.choice_.power[model.choice_.best - 1]  # what calibrate=True would have done
    return out | {"tempered": judged(model.predict_proba(arrays["X_test"]), test), "power": model.fitted_.power}


def covered(job: tuple) -> dict:
    """Votes simulated on LabelMe's true labels, so that the matrices are known."""
    from crowdwise import simulate
    from crowdwise.learn import CrowdClassifier

    method, seed = job
    arrays, _, _ = features("labelme")
    objective, options = METHODS[method]
    truth = arrays["y_train"].astype(int)
    made = simulate.crowd(simulate.dirichlet(60, 8, 8.0, 0.7, seed=seed), truth=truth, per_item=3, seed=seed)
    model = CrowdClassifier("mlp", objective, options, epochs=20, seed=seed, device="cpu").fit(
        arrays["X_train"], made.crowd
    )
    low, high = model.confusion_interval(0.9)
    inside = (low <= made.confusion) & (made.confusion <= high)
    diagonal = np.eye(8, dtype=bool)
    return {"all": float(inside.mean()), "diagonal": float(inside[:, diagonal].mean())}


def main() -> None:
    jobs = list(product(SETS, METHODS, SEEDS))
    done, machine = side_by_side("sure", work, jobs)
    found = dict(zip(jobs, done, strict=True))
    trials = list(product(BAYESIAN, SEEDS))
    inside = dict(zip(trials, side_by_side("covered", covered, trials)[0], strict=True))
    rows = []
    for method in METHODS:
        row: dict = {"objective": method}
        for name, what in product(SETS, ("infer", "predict", "tempered")):
            several = [found[name, method, seed][what] for seed in SEEDS]
            row[f"{name}: {what}"] = (
                f"{np.mean([one['nll'] for one in several]):.3f} / {np.mean([one['ece'] for one in several]):.3f}"
            )
        if method in BAYESIAN:
            row["covered, all"] = spread(inside[method, seed]["all"] for seed in SEEDS)
            row["covered, diagonal"] = spread(inside[method, seed]["diagonal"] for seed in SEEDS)
        rows.append(row)
    write(
        "sure",
        "How sure, and how rightly",
        "Mean negative log-probability of the truth / expected calibration error (ten bins), mean over "
        f"{len(SEEDS)} seeds; one hidden layer, up to 50 epochs, chosen by held-out votes (15 % of items). infer: of "
        "training items, from features and votes; predict: of test items; tempered: the same with `calibrate=True`, "
        "the power chosen by the held-out votes. covered: share of the entries of known confusion matrices inside 90 % "
        "intervals (`confusion_interval`), 60 annotators simulated on LabelMe's true labels, three votes an image. "
        f"{machine}.",
        rows,
    )


if __name__ == "__main__":
    main()
