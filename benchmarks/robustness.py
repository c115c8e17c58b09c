"""What is left when votes or annotators go, or copies come: the ten sets, with some seeds of each."""

from __future__ import annotations

import os

import numpy as np

from benchmarks.data import TEN, real
from benchmarks.measure import pooled, write
from crowdwise import Crowd, metrics, simulate
from crowdwise.methods import make
from crowdwise.votes.gold import gold_codes

SEEDS = 3
MODELS = {
    "majority-vote": make("majority-vote"),
    "dawid-skene": make("dawid-skene"),
    "mace": make("mace"),
    "ibcc": make("ibcc"),
    "ibcc, groups": make("ibcc", weights="groups"),
    "ebcc": make("ebcc"),
    "community-bcc": make("community-bcc"),
    "auto": make("auto"),
}


def fewer_votes(crowd: Crowd, codes, rng) -> Crowd:
    return crowd.take(rng.random(crowd.n_votes) < 0.6)


def fewer_annotators(crowd: Crowd, codes, rng) -> Crowd:
    gone = rng.random(crowd.n_annotators) < 0.3
    return crowd.take(~gone[crowd.annotator])


def copies(crowd: Crowd, codes, rng) -> Crowd:
    """Four copies, one vote in ten random, of the busiest of three drawn among annotators of middling accuracy."""
    known = codes[crowd.item] >= 0
    votes = np.bincount(crowd.annotator[known], minlength=crowd.n_annotators)
    right = np.bincount(crowd.annotator[known], (crowd.label == codes[crowd.item])[known], crowd.n_annotators)
    heard = np.flatnonzero(votes >= 5)
    accuracy = right[heard] / votes[heard]
    low, high = np.quantile(accuracy, [0.3, 0.6])
    middle = heard[(accuracy >= low) & (accuracy <= high)]
    drawn = rng.choice(middle, min(3, middle.size), replace=False)
    return simulate.with_copies(crowd, drawn[votes[drawn].argmax()], seed=rng)


CHANGES = {"60 % of votes": fewer_votes, "70 % of annotators": fewer_annotators, "four copies": copies}


def figures(name: str) -> dict[tuple[str, str], list[float]]:
    """Accuracies on a set, by method and change, one for each seed."""
    votes, truth = real(name)
    crowd, found = Crowd.from_frame(votes).with_names(classes=truth["label"].unique()), {}
    codes = gold_codes(crowd, truth)
    for change, made in {"all": None, **CHANGES}.items():
        crowds = [crowd] if made is None else [made(crowd, codes, np.random.default_rng(seed)) for seed in range(SEEDS)]
        for method, model in MODELS.items():
            found[method, change] = [metrics.accuracy(model.fit(left).posterior, codes) for left in crowds]
    return found


def main() -> None:
    if "CROWDWISE_DATA" not in os.environ:
        print("robustness: skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    found: dict[tuple[str, str], list[list[float]]] = {}
    for of_set in pooled(figures, TEN):
        for key, got in of_set.items():
            found.setdefault(key, []).append(got)
    rows = []
    for method in MODELS:
        row = {"method": method}
        for change in ("all", *CHANGES):
            by_seed = np.mean(found[method, change], axis=0)  # over the sets
            row[change] = float(by_seed.mean())
            if change != "all":
                row[f"spread, {change}"] = float(by_seed.std())
        rows.append(row)
    write(
        "robustness",
        "Robustness: mean accuracy over ten sets",
        f"As they are; with 60 % of the votes, or 70 % of the annotators, left; with four noisy copies of a mediocre "
        f"annotator planted. Mean over {SEEDS} seeds, and the standard deviation of the seeds' means. An item that "
        "lost all its votes counts, by the class prior.",
        rows,
    )


if __name__ == "__main__":
    main()
