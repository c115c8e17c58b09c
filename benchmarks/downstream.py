"""Classifiers trained on labels that a crowd gave: what they lose in accuracy and in parity beside the truth."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise import Crowd, settle

AGGREGATORS = ("majority-vote", "dawid-skene", "auto")
REPEATS, FOLDS = 10, 5


def rows_of(file: str) -> list[dict]:
    with Path(os.environ["CROWDWISE_DATA"], "compas_race", file).open(newline="") as opened:
        return list(csv.DictReader(opened))


def classifiers() -> dict:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "random forest": RandomForestClassifier(200, min_samples_leaf=5, random_state=0),
    }


def figures(model, x: np.ndarray, label: np.ndarray, truth: np.ndarray, group: np.ndarray, seed: int) -> tuple:
    """Accuracy and the gap of the positive share between two groups, of items that were not trained on."""
    from sklearn.model_selection import StratifiedKFold

    said = np.empty(len(x), np.int64)
    for seen, new in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(x, label):
        said[new] = model.fit(x[seen], label[seen]).predict(x[new])
    first, second = (said[group == name].mean() for name in ("black", "white"))
    return float((said == truth).mean()), float(first - second)


def main() -> None:
    items = {row["item"]: row for row in rows_of("items.csv")}
    truth = {row["item"]: int(row["label"]) for row in rows_of("truth.csv")}
    votes = rows_of("labels.csv")
    crowd = Crowd.from_columns(*([row[name] for row in votes] for name in ("item", "annotator", "label")))
    names = [name for name in crowd.items.tolist() if name in truth]
    labels = {"the truth": np.array([truth[name] for name in names])}
    for aggregator in AGGREGATORS:
        result = settle(crowd, aggregator)
        found = dict(zip(result.items.tolist(), result.labels.tolist(), strict=True))
        labels[aggregator] = np.array([int(found[name]) for name in names])
    known, group = labels["the truth"], np.array([items[name]["race"] for name in names])
    columns = [[float(items[name][column]) for column in ("age", "priors_count", "felony")] for name in names]
    x = np.column_stack([np.array(columns), [items[name]["sex"] == "male" for name in names]])
    rows = []
    for title, model in classifiers().items():
        base = None
        for source, label in labels.items():
            found = np.array([figures(model, x, label, known, group, seed) for seed in range(REPEATS)])
            base = found if base is None else base
            lost, spread = (found - base).mean(axis=0), (found - base).std(axis=0, ddof=1)
            row = {"classifier": title, "trained on labels of": source, "labels right": float((label == known).mean()),
                   "accuracy": found[:, 0].mean(), "parity gap": found[:, 1].mean()}  # fmt: skip
            if source != "the truth":
                row["accuracy less the truth's"] = f"{lost[0]:+.3f} ± {spread[0]:.3f}"
                row["gap less the truth's"] = f"{lost[1]:+.3f} ± {spread[1]:.3f}"
            rows.append(row)
            print(rows[-1], flush=True)
    write(
        "downstream",
        "Classifiers trained on a crowd's labels",
        f"{len(names):,} defendants of COMPAS (compas_race), 20 votes each, features age, priors, felony and sex, "
        "never race. Trained on labels of the crowd or on what happened, held to what happened, on items that were not "
        f"trained on: {FOLDS} folds, {REPEATS} times. Parity gap: share predicted positive, black less white. The "
        "text's table, with the classifiers and aggregators that these data allow.",
        rows,
    )


if __name__ == "__main__":
    main()
