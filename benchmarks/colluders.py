"""Colluders planted among honest annotators: accuracy before and after they are found."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.data import real
from benchmarks.measure import write
from crowdwise import Crowd, DawidSkene, MajorityVote, Undecided, simulate
from crowdwise.methods import make
from crowdwise.study.annotators import adversaries, agreement_colluders, attack, honest_result
from crowdwise.votes.gold import gold_codes

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45)
SEEDS = 3
BY_RANK = 1  # of these, in which the agreement matrix is asked: it takes its time
COLUMNS = ("honest only", "vote", "Dawid-Skene", "mmsr", "pgd", "after detection", "with a trusted one")


def planted(crowd: Crowd, codes, share: float, rng) -> tuple[Crowd, np.ndarray]:
    """A share of the annotators says one common wrong label an item with chance .9, and the truth otherwise."""
    who = rng.permutation(crowd.n_annotators)[: round(share * crowd.n_annotators)]
    lie = (codes + rng.integers(1, crowd.n_classes, size=crowd.n_items)) % crowd.n_classes
    theirs = np.isin(crowd.annotator, who) & (codes[crowd.item] >= 0)
    said = np.where(rng.random(crowd.n_votes) < 0.9, lie[crowd.item], codes[crowd.item])
    return replace(crowd, label=np.where(theirs, said, crowd.label)), who


def measured(crowd: Crowd, codes, who, trusted, by_rank: bool) -> dict:
    known = codes >= 0

    def right(result) -> float:
        return float((result.on(crowd)[1].argmax(axis=1) == codes)[known].mean())

    def without(names, start):
        out = np.isin(crowd.annotators, names)
        return DawidSkene().fit(crowd.take(~out[crowd.annotator]), start=start)

    plain = DawidSkene().fit(crowd)
    planted_names = crowd.annotators[who]
    row = {
        "honest only": right(without(crowd.annotators[who], None)),
        "vote": right(MajorityVote().fit(crowd)),
        "Dawid-Skene": right(plain),
        "mmsr": right(make("mmsr").fit(crowd)),
        "pgd": right(make("pgd").fit(crowd)),
    }
    for name, believed in (("after detection", ()), ("with a trusted one", [crowd.annotators[trusted]])):
        try:
            result = honest_result(crowd, plain, trusted=believed)
            found = adversaries(crowd, result)["annotator"]
        except Undecided:  # as many heads for two truths: nobody is named, and the labels are the plain ones
            result, found = plain, crowd.annotators[:0]
        row[name] = right(without(found, result))
        if not believed:
            row["found"], row["false"] = counted(found, planted_names)
    for name, believed in (("agreements (H)", ()), ("agreements (TA)", [crowd.annotators[trusted]])) if by_rank else ():
        row[name] = counted(agreement_colluders(crowd, trusted=believed)["annotator"], planted_names)
    return row


def counted(found, planted_names) -> tuple[int, int]:
    """How many of those named were planted, and how many were not."""
    return int(np.isin(found, planted_names).sum()), int((~np.isin(found, planted_names)).sum())


def named(each: list[dict], n: int) -> dict:
    """True and false names, summed over draws; those of the agreement matrix over its own."""
    told = {
        "found": f"{sum(one['found'] for one in each)} of {n * len(each)}",
        "false": sum(one["false"] for one in each),
    }
    for name in ("agreements (H)", "agreements (TA)"):
        own = [one[name] for one in each if name in one]
        told[name] = f"{sum(a for a, _ in own)} of {n * len(own)}, {sum(b for _, b in own)} false"
    return told


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
                each.append(
                    measured(made.crowd, made.truth.astype(int), np.arange(60 - n, 60), 0, by_rank=seed < BY_RANK)
                )
            row = {"plot": plot, "colluders": f"{share:.0%}"}
            row |= {name: float(np.mean([one[name] for one in each])) for name in COLUMNS}
            rows.append({**row, **named(each, n)})
            print(rows[-1], flush=True)
    write(
        "colluders",
        "Colluders among sixty annotators",
        "N = 5,000 items, M = 60, K = 3, ten votes an item; honest confusion rows from Dirichlet(3 on the diagonal, 1 "
        "off it). Colluders say a common wrong label with chance .9 (any other class, drawn for each item, or always "
        "the next) and the truth otherwise. honest only: Dawid-Skene on the votes of the honest; after detection: "
        "`honest_result`, then Dawid-Skene without those whom `adversaries` names; agreements: the test by the "
        f"agreement matrix, H and TA, in {BY_RANK} of the seeds. Means over {SEEDS} seeds; found and false (honest "
        "annotators named) are summed.",
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
        for name in COLUMNS[:6]:
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
                each.append(measured(attacked, codes, who, busiest, by_rank=seed < BY_RANK))
            row = {"set": name, "colluders": f"{share:.0%}"}
            row |= {key: float(np.mean([one[key] for one in each])) for key in COLUMNS}
            rows.append({**row, **named(each, len(who))})
            print(rows[-1], flush=True)
    write(
        "colluders-real",
        "Colluders planted in real sets",
        "A share of the annotators, drawn at random, says one common wrong label an item with chance .9 and the truth "
        "otherwise, on the items they voted on. The trusted one is the busiest honest annotator. Means over "
        f"{SEEDS} draws; found and false are summed.",
        rows,
    )


def attacks() -> None:
    """Annotators who lie on some items only: who is named, and which items."""
    rows = []
    for share in (0.0, 0.05, 0.1, 0.2, 0.5, 1.0):
        each = []
        for seed in range(5):
            made = simulate.crowd(simulate.one_coin(30, 3, 0.7), n_items=1000, per_item=10, seed=seed)
            crowd, there, _ = simulate.with_attack(made, 8, share, seed=seed)
            result = DawidSkene().fit(crowd)
            found = attack(crowd, result)
            named = found.annotators["annotator"][found.annotators["chance"] > 0.9]
            items = found.items["item"][found.items["chance"] > 0.5]
            each.append(
                {
                    "attackers named": int((named < 8).sum()),
                    "honest named": int((named >= 8).sum()),
                    "items attacked": int(there.sum()),
                    "items named": items.size,
                    "of these attacked": int(there[items].sum()),
                    "Dawid-Skene right on attacked": float((result.labels == made.truth)[there].mean())
                    if share
                    else 1.0,
                }
            )
        mean = {key: float(np.mean([one[key] for one in each])) for key in each[0]}
        rows.append({"attacked": f"{share:.0%}"} | mean)
        print(rows[-1], flush=True)
    write(
        "attacks",
        "Eight of thirty annotators who lie on some of the items",
        "N = 1,000 items, K = 3, ten votes an item, honest accuracy .7; attackers say an agreed false label on a share "
        "of the items, nine times in ten, and are honest elsewhere. Annotators are named above a chance of .9, items "
        "above one half. Means over five seeds. The model is ours, not that of Karaaslanli et al. 2025.",
        rows,
    )


def main() -> None:
    attacks()
    synthetic()
    if "CROWDWISE_DATA" not in os.environ:
        print("colluders: the real sets are skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    on_real_sets()


if __name__ == "__main__":
    main()
