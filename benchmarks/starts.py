"""Where EM starts: at the votes, or at what moments say. Real sets, and simulated crowds of a few experts."""

from __future__ import annotations

import os

import numpy as np

from benchmarks.data import SETS, real
from benchmarks.measure import write
from crowdwise import Crowd, metrics, simulate
from crowdwise.methods import make
from crowdwise.votes.gold import gold_codes

STARTS = ("soft", "tensor", "multi-spa", "cnmf-spa", "cnmf-opt", "sym-nmf", "coupled-cpd")
SEEDS = 10


def few_experts(n_experts: int, accuracy: float, n_bad: int, bad: float | None, n_classes: int, n_items: int):
    """Experts, and many who guess (bad None) or are right less often than by chance."""
    others = simulate.spammers(n_bad, n_classes) if bad is None else simulate.one_coin(n_bad, n_classes, bad)
    people = simulate.one_coin(n_experts, n_classes, accuracy) + others
    return lambda seed: simulate.crowd(people, n_items=n_items, graph="dense", seed=seed)


SIMULATED = {
    "3 experts (.95), 150 who guess, 3 classes, 300 items": few_experts(3, 0.95, 150, None, 3, 300),
    "5 experts (.8), 150 who guess, 3 classes, 300 items": few_experts(5, 0.8, 150, None, 3, 300),
    "4 experts (.95), 40 right .45, 2 classes, 3,000 items": few_experts(4, 0.95, 40, 0.45, 2, 3000),
    "3 experts (.95), 40 who guess, 3 classes, 1,000 items": few_experts(3, 0.95, 40, None, 3, 1000),
}


def main() -> None:
    rows = []
    for name in (*SETS, "sp_text", "cifar10n") if "CROWDWISE_DATA" in os.environ else ():
        votes, truth = real(name)
        crowd = Crowd.from_frame(votes).with_names(classes=truth["label"].unique())
        codes = gold_codes(crowd, truth)
        row = {"crowd": name}
        for start in STARTS:
            row[start] = metrics.accuracy(make("dawid-skene").fit(crowd, start=start).posterior, codes)
        rows.append(row)
        print(row, flush=True)
    if rows:
        rows.append({"crowd": "mean of the real sets"} | {s: float(np.mean([r[s] for r in rows])) for s in STARTS})
    for name, draw in SIMULATED.items():
        row = {"crowd": name}
        for start in STARTS:
            right = []
            for seed in range(SEEDS):
                made = draw(seed)
                labels = make("dawid-skene").fit(made.crowd, start=start).labels
                right.append(float((labels == made.truth).mean()))
            row[start] = f"{np.mean(right):.3f} ± {np.std(right):.3f}"
        rows.append(row)
        print(row, flush=True)
    write(
        "starts",
        "Dawid-Skene's EM from the votes and from moments",
        "Accuracy of DawidSkene, run to convergence from each start (soft: the votes). Simulated crowds: everybody "
        f"votes on everything; mean and standard deviation over {SEEDS} seeds.",
        rows,
    )


if __name__ == "__main__":
    main()
