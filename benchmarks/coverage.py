"""How often intervals hold what they are about, on simulated crowds."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import write
from crowdwise import simulate
from crowdwise.methods import make
from crowdwise.study.uncertainty import annotator_intervals, credible

CROWDS = 40
WAYS = (("gibbs", "posterior"), ("ibcc", "imputed"), ("dawid-skene", "imputed"), ("dawid-skene", "bootstrap"),
        ("mace", "imputed"), ("auto", "imputed"))  # fmt: skip


def main() -> None:
    rows = []
    for method, way in WAYS:
        for per_item in (3, 8):
            inside, widths, held, sizes = [], [], [], []
            for seed in range(CROWDS if way != "bootstrap" else CROWDS // 4):
                people = simulate.dirichlet(20, 3, 5, 1, seed=1000 + seed)
                made = simulate.crowd(people, n_items=250, per_item=per_item, seed=seed)
                shares = np.bincount(made.truth, minlength=3) / made.truth.size
                accuracy = np.einsum("k,jkk->j", shares, made.confusion)
                result = make(method).fit(made.crowd)
                bounds = annotator_intervals(made.crowd, result, 0.9, way=way)
                inside.append(((bounds["low"] <= accuracy) & (accuracy <= bounds["high"])).mean())
                widths.append((bounds["high"] - bounds["low"]).mean())
                sets = credible(result.posterior, 0.9)
                held.append(sets[np.arange(made.truth.size), made.truth].mean())
                sizes.append(sets.sum(axis=1).mean())
            rows.append(
                {
                    "method": method,
                    "draws": way,
                    "votes an item": per_item,
                    "accuracies inside": float(np.mean(inside)),
                    "mean width": float(np.mean(widths)),
                    "truths in the set": float(np.mean(held)),
                    "classes in the set": float(np.mean(sizes)),
                }
            )
            print(rows[-1], flush=True)
    write(
        "coverage",
        "Coverage of 90 % intervals on simulated crowds",
        f"{CROWDS} crowds ({CROWDS // 4} with the bootstrap) of 20 annotators with Dirichlet(5, 1) rows, 250 items, "
        "three classes: how many annotators' accuracies are inside their interval, and how many items' truths in their "
        "credible set. 0.90 is what it says; more is careful, less is overconfident.",
        rows,
    )


if __name__ == "__main__":
    main()
