"""Colluders planted among honest annotators: accuracy before and after they are found."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.data import real
from benchmarks.measure import write
from crowdwise import Crowd, DawidSkene, MajorityVote, simulate
from crowdwise.methods import make
from crowdwise.study.annotators import adversaries, honest_result
from crowdwise.votes.gold import gold_codes

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45)
SEEDS = 3
COLUMNS = ("honest only", "vote", "Dawid-Skene", "mmsr", "after detection", "with a trusted one")


def planted(crowd: Crowd, codes, share: float, rng) -> tuple[Crowd, np.ndarray]:
    """A share of the annotators says one common wrong label an item with chance .9, and the truth otherwise."""
    who = rng.permutation(crowd.n_annotators)[: round(share * crowd.n_annotators)]
    lie = (codes + rng.integers(1, crowd.n_classes, size=crowd.n_items)) % crowd.n_classes
    theirs = np.isin(crowd.annotator, who) & (codes[crowd.item] >= 0)
    said = np.where(rng.random(crowd.n_votes) < 0.9, lie[crowd.item], codes[crowd.item])
    return replace(crowd, label=np.where(theirs, said, crowd.label)), who


def measured(crowd: Crowd, codes, who, trusted) -> dict:
    known = codes >= 0

    def right(result) -> float:
        return float((result.on(crowd)[1].argmax(axis=1) == codes)[known].mean())

    def without(names, start):
        out = np.isin(crowd.annotators, names)
        return DawidSkene().fit(crowd.take(~out[crowd.annotator]), start=start)

    plain = DawidSkene().fit(crowd)
    row = {
        "honest only": right(without(crowd.annotators[who], None)),
        "vote": right(MajorityVote().fit(crowd)),
        "Dawid-Skene": right(plain),
        "mmsr": right(make("mmsr").fit(crowd)),
    }
    for name, believed in (("after detection", ()), ("with a trusted one", [crowd.annotators[trusted]])):
        result = honest_result(crowd, plain, trusted=believed)
        found = adversaries(crowd, result)["annotator"]
        row[name] = right(without(found, result))
        if not believed:
            row["found"] = f"{np.isin(found, crowd.annotators[who]).sum()} of {len(who)}"
            row["false"] = int((~np.isin(found, crowd.annotators[who])).sum())
    return row


def synthetic() -> None:
    rows = []
    for plot in ("any", "next"):
        for share in SHARES:
            n, each = round(60 * share), []
            for seed in range(SEEDS):
                people = simulate.dirichlet(60 - n, 3, 3.0, 1.0, seed=seed)
                if n:
                    people += simulate.colluders(n, 3, p_corr=0.9, accuracy=1.0, plot=plot)
                made = simulate.crowd(people, n_items=5000, per_item=10, seed=seed)
                each.append(measured(made.crowd, made.truth.astype(int), np.arange(60 - n, 60), 0))
            row = {"plot": plot, "colluders": f"{share:.0%}"}
            row |= {name: float(np.mean([one[name] for one in each])) for name in COLUMNS}
            found = sum(int(one["found"].split(" of ")[0]) for one in each)
            rows.append({**row, "found": f"{found} of {n * SEEDS}", "false": sum(one["false"] for one in each)})
            print(rows[-1], flush=True)
    write(
        "colluders",
        "Colluders among sixty annotators",
        "N = 5,000 items, M = 60, K = 3, ten votes an item; honest confusion rows from Dirichlet(3 on the diagonal, 1 "
        "off it). Colluders say a common wrong label with chance .9 (any other class, drawn for each item, or always "
        "the next) and the truth otherwise. honest only: Dawid-Skene on the votes of the honest; after detection: "
        f"`honest_result`, then Dawid-Skene without those whom `colluders` names. Means over {SEEDS} seeds; found and "
        "false (honest annotators named) are summed.",
        rows,
    )
    draw(rows)


def draw(rows: list[dict]) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axis, plot in zip(axes, ("any", "next"), strict=True):
        own = [row for row in rows if row["plot"] == plot]
        share = [float(row["colluders"].rstrip("%")) for row in own]
        for name in COLUMNS[:5]:
            axis.plot(share, [row[name] for row in own], marker="o", markersize=3, label=name)
        axis.set(title=f"the lie is {'any other' if plot == 'any' else 'the next'} class", xlabel="colluders, %")
    axes[0].set_ylabel("accuracy")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(Path(__file__).parents[1] / "docs" / "images" / "colluders.svg")


def on_real_sets() -> None:
    rows = []
    for name in ("bluebird", "sp_text", "dog", "web"):
        votes, truth = real(name)
        crowd = Crowd.from_frame(votes).with_names(classes=truth["label"].unique())
        codes = gold_codes(crowd, truth)
        for share in (0.0, 0.1, 0.2, 0.3, 0.4):
            each = []
            for seed in range(SEEDS):
                attacked, who = planted(crowd, codes, share, np.random.default_rng(seed))
                honest = np.setdiff1d(np.arange(crowd.n_annotators), who)
                busiest = honest[np.bincount(crowd.annotator, minlength=crowd.n_annotators)[honest].argmax()]
                each.append(measured(attacked, codes, who, busiest))
            row = {"set": name, "colluders": f"{share:.0%}"}
            row |= {key: float(np.mean([one[key] for one in each])) for key in COLUMNS}
            found = [int(one["found"].split(" of ")[0]) for one in each]
            rows.append(
                {**row, "found": f"{sum(found)} of {len(who) * SEEDS}", "false": sum(one["false"] for one in each)}
            )
            print(rows[-1], flush=True)
    write(
        "colluders-real",
        "Colluders planted in real sets",
        "A share of the annotators, drawn at random, says one common wrong label an item with chance .9 and the truth "
        "otherwise, on the items they voted on. The trusted one is the busiest honest annotator. Means over "
        f"{SEEDS} draws; found and false are summed.",
        rows,
    )


def main() -> None:
    synthetic()
    if "CROWDWISE_DATA" not in os.environ:
        print("colluders: the real sets are skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    on_real_sets()


if __name__ == "__main__":
    main()
