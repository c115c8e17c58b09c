"""Belief propagation and mean field on the synthetic set-up of deepBP: 1,000 items, 750 annotators, (3, 4)-regular."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise import simulate
from crowdwise.methods import make

SEEDS = 50
ALPHAS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
WRONGS = (0.8, 1.0, 1.2, 1.4, 1.6)
IMAGE = Path(__file__).parent.parent / "docs" / "images" / "belief.png"
METHODS = ("belief-propagation", "mean-field", "majority-vote")


def accuracies(seed: int, right: float, wrong: float, model: tuple[float, float], spammers: int) -> dict[str, float]:
    people = simulate.beta(750, 2, right, wrong, seed=seed)
    if spammers:
        people = people + simulate.spammers(spammers, 2, everything=True)
    made = simulate.crowd(people, n_items=1000, per_item=3, graph="regular", seed=seed)
    found = {}
    for method in METHODS:
        options = {} if method == "majority-vote" else {"right": model[0], "wrong": model[1], "seed": seed}
        found[method] = float((make(method, **options).fit(made.crowd).labels == made.truth).mean())
    return found


def point(label: dict, **setting) -> tuple[dict, np.ndarray]:
    runs = [accuracies(seed, **setting) for seed in range(SEEDS)]
    table = np.array([[run[method] for method in METHODS] for run in runs])
    gap = table[:, 0] - table[:, 1]
    row = dict(label)
    for place, method in enumerate(METHODS):
        row[method] = float(table[:, place].mean())
    row |= {
        "95 % band of BP - MF": f"{gap.mean():+.4f} ± {1.96 * gap.std(ddof=1) / np.sqrt(SEEDS):.4f}",
        "worst BP": float(table[:, 0].min()),
        "worst MF": float(table[:, 1].min()),
    }
    print(row, flush=True)
    return row, table


def main() -> None:
    prior, spam = [], []
    for alpha in ALPHAS:
        setting = {"right": alpha, "wrong": alpha / 2, "model": (alpha, alpha / 2), "spammers": 0}
        prior.append(point({"experiment": "true prior known", "a": alpha}, **setting))
    for wrong in WRONGS:
        setting = {"right": 2.0, "wrong": 1.0, "model": (2.0, wrong), "spammers": 1}
        spam.append(point({"experiment": "one extreme spammer, model Beta(2, b)", "b": wrong}, **setting))
    for n in (2, 4, 8):
        setting = {"right": 2.0, "wrong": 1.0, "model": (2.0, 1.4), "spammers": n}
        spam.append(point({"experiment": "extreme spammers, model Beta(2, 1.4)", "spammers": n}, **setting))
    draw(prior, spam[: len(WRONGS)])
    write(
        "belief",
        "Belief propagation and mean field on sparse synthetic crowds",
        f"The set-up of deepBP, section 4.1: 1,000 items, 750 annotators, three votes an item, four an annotator, two "
        f"classes, {SEEDS} seeds; accuracies drawn from Beta(a, a / 2) and modelled as such, or from Beta(2, 1) with "
        "extreme spammers who guess on every item and a model that is off. Accuracy, the 95 % band of the difference, "
        "and the worst seed.",
        [row for row, _ in (*prior, *spam)],
    )


def draw(prior: list, spam: list) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    for axis, points, places, label in (
        (axes[0], prior, ALPHAS, "a, where accuracies are drawn from and modelled as Beta(a, a/2)"),
        (axes[1], spam, WRONGS, "b of the model Beta(2, b); true b = 1; an extreme spammer"),
    ):
        for place, method in enumerate(METHODS):
            mean = np.array([table[:, place].mean() for _, table in points])
            error = np.array([1.96 * table[:, place].std(ddof=1) / np.sqrt(SEEDS) for _, table in points])
            axis.plot(places, mean, marker="o", label=method)
            axis.fill_between(places, mean - error, mean + error, alpha=0.2)
        axis.set_xlabel(label)
        axis.set_ylabel("accuracy")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(IMAGE, dpi=110)


if __name__ == "__main__":
    main()
