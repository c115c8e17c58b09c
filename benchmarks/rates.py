"""How fast estimates of confusion matrices come nearer to the truth as items grow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise import simulate
from crowdwise.methods import make

METHODS = ("tensor", "multi-spa", "cnmf-spa", "cnmf-opt", "sym-nmf", "coupled-cpd", "spectral-em", "dawid-skene")
SIZES = (1_000, 4_000, 16_000, 64_000, 256_000)
SEEDS = 5
IMAGE = Path(__file__).parent.parent / "docs" / "images" / "rates.png"
CROWDS = {
    "specialists": simulate.specialists(6, 3) + simulate.dirichlet(10, 3, 5, 1, seed=2),
    "no specialists": simulate.dirichlet(16, 3, 3, 1, seed=2),
}


def errors(people: simulate.Annotators, method: str) -> np.ndarray:
    """Root mean square error of confusion matrices, (sizes, seeds)."""
    found = np.empty((len(SIZES), SEEDS))
    for at, n_items in enumerate(SIZES):
        for seed in range(SEEDS):
            made = simulate.crowd(people, n_items=n_items, per_item=8, seed=seed)
            confusion = make(method).fit(made.crowd).params["confusion"]
            found[at, seed] = np.sqrt(((confusion - made.confusion) ** 2).mean())
    return found


def main() -> None:
    rows, curves = [], {}
    for crowd, people in CROWDS.items():
        for method in METHODS:
            found = errors(people, method)
            curves[crowd, method] = found.mean(axis=1)
            slope = np.polyfit(np.log(SIZES), np.log(found.mean(axis=1)), 1)[0]
            row = {"crowd": crowd, "method": method}
            row |= {f"{n:,} items": f"{e.mean():.4f} ± {e.std():.4f}" for n, e in zip(SIZES, found, strict=True)}
            rows.append(row | {"slope": round(float(slope), 2)})
            print(rows[-1], flush=True)
    draw(curves)
    write(
        "rates",
        "How fast confusion matrices are found",
        "Root mean square error of the entries of all confusion matrices, 16 annotators, three classes, eight votes an "
        f"item, mean and standard deviation over {SEEDS} seeds, defaults. Slope: of the logarithm of the error over "
        "that of the number of items; theory says -0.5 where a method's assumptions hold. Without specialists there "
        "are no corners for successive projection to find (multi-spa, cnmf-spa), and more items do not help.",
        rows,
    )


def draw(curves: dict) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(CROWDS), figsize=(11, 4.2), sharey=True)
    for axis, crowd in zip(axes, CROWDS, strict=True):
        for method in METHODS:
            axis.loglog(SIZES, curves[crowd, method], marker="o", label=method)
        axis.loglog(SIZES, 0.8 / np.sqrt(SIZES), "k--", linewidth=1, label="one over root of items")
        axis.set_title(crowd)
        axis.set_xlabel("items")
    axes[0].set_ylabel("error of confusion matrices")
    axes[1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    figure.savefig(IMAGE, dpi=110)


if __name__ == "__main__":
    main()
