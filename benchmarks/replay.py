"""How sure small crowds are: real sets cut to few votes an item, or to few items, and confidence held to the truth."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from benchmarks.data import SETS, real
from benchmarks.measure import pooled, write
from crowdwise import Crowd, settle
from crowdwise.study.metrics import calibration_error
from crowdwise.votes.gold import gold_codes

CUTS = {"1 vote an item": 2, "2 votes": 2, "3 votes": 2, "20 items": 20, "50 items": 8, "200 items": 2, "all": 1}
DRAWS = 20
METHODS = ("auto", "dawid-skene", "majority-vote")


def cut(crowd: Crowd, how: str, seed: int) -> Crowd:
    rng, number = np.random.default_rng(seed), 0 if how == "all" else int(how.partition(" ")[0])
    if "item" in how and "vote" not in how:
        return crowd.subset(items=rng.choice(crowd.items, min(number, crowd.n_items), replace=False))
    if how == "all":
        return crowd
    order = np.lexsort((rng.random(crowd.n_votes), crowd.item))
    begin = np.searchsorted(crowd.item[order], np.arange(crowd.n_items))
    rank = np.empty(crowd.n_votes, int)
    rank[order] = np.arange(crowd.n_votes) - begin[crowd.item[order]]
    kept = crowd.take(rank < number)
    return kept.subset(annotators=kept.annotators[np.unique(kept.annotator)])


def figures(job: tuple[str, str, str]) -> list[float]:
    """Of a set, cut in a way, by a method: accuracy, calibration error of all draws together, and what it would be.

    What it would be if every confidence were right: few items scatter about their confidence, and bins of few items
    with them. The truth is drawn from the posterior for that, twenty times.
    """
    name, how, method = job
    votes, truth = real(name)
    whole = Crowd.from_frame(votes).with_names(classes=truth.label.unique().tolist())
    known = truth.set_index("item").label.to_dict()
    posterior, code = [], []
    for seed in range(CUTS[how]):
        crowd = cut(whole, how, seed)
        here = gold_codes(crowd, {item: known[item] for item in crowd.items.tolist() if item in known})
        posterior.append(settle(crowd, method).posterior[here >= 0])
        code.append(here[here >= 0])
    joined, truth = np.concatenate(posterior), np.concatenate(code)
    right = float((joined.argmax(axis=1) == truth).mean())
    rng, sums = np.random.default_rng(0), joined.cumsum(axis=1)
    drawn = [(rng.random((len(joined), 1)) * sums[:, -1:] > sums).sum(axis=1) for _ in range(DRAWS)]
    least = float(np.mean([calibration_error(joined, one) for one in drawn]))
    return [right, calibration_error(joined, truth), least]


def main() -> None:
    names = sys.argv[2:] or SETS
    rows = []
    jobs = list(product(CUTS, METHODS, names))
    found = dict(zip(jobs, pooled(figures, [(name, how, method) for how, method, name in jobs]), strict=True))
    for how in CUTS:
        row: dict = {"cut to": how}
        for method in METHODS:
            table = np.array([found[how, method, name] for name in names])
            mean = table.mean(axis=0)
            if method == "auto":
                row["accuracy of auto"] = mean[0]
            row[method] = f"{mean[1]:.3f} ± {table[:, 1].std(ddof=1):.3f}"
            if method == "auto":
                row["auto, if every confidence were right"] = f"{mean[2]:.3f} ± {table[:, 2].std(ddof=1):.3f}"
        rows.append(row)
        print(rows[-1], flush=True)
    write(
        "replay",
        "How sure small crowds are",
        f"Expected calibration error (10 bins, draws of a set together), mean and standard deviation over {len(names)} "
        "real sets, cut to one, two or three votes an item, or to some items, each settled; and auto's accuracy. If "
        "every confidence were right: the same error where the truth is drawn from what auto believes.",
        rows,
    )


if __name__ == "__main__":
    main()
