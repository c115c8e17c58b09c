"""Auto with a few known labels, beside Auto without them and Dawid-Skene with them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data import SETS, real
from benchmarks.measure import pooled, write
from crowdwise import Crowd
from crowdwise.methods import make

DRAWS = 5
MOST = {"trec": 2, "product": 2}  # draws, where a fit takes seconds


def llmbar():
    """Twelve judges of the adversarial items: six models asked plainly, in both orders."""
    folder = Path(os.environ["CROWDWISE_DATA"], "llmbar")
    votes, truth = real("llmbar")
    items, judges = pd.read_csv(folder / "items.csv"), pd.read_csv(folder / "annotators.csv")
    adversarial = items.item[items.subset != "Natural"]
    plain = judges.annotator[judges.prompt == "Vanilla"]
    return votes[votes.item.isin(adversarial) & votes.annotator.isin(plain)], truth[truth.item.isin(adversarial)]


def rows(name: str) -> list[dict]:
    votes, truth = llmbar() if name == "llmbar, 12 judges" else real(name)
    crowd = Crowd.from_frame(votes).with_names(classes=truth.label.unique().tolist())
    truth = truth[truth.item.isin(crowd.items)].set_index("item").label
    without = make("auto").fit(crowd)
    label = pd.Series(without.labels, without.items)
    found = []
    for n in (10, 20, 50, 100, int(0.3 * len(truth))):
        if n > len(truth) / 2:
            continue
        table = []
        for seed in range(min(DRAWS, MOST.get(name, DRAWS))):
            gold = truth.sample(n, random_state=seed)
            rest = truth.drop(gold.index)
            row = [(label[rest.index] == rest).mean()]
            for method in ("auto", "dawid-skene"):
                result = make(method).fit(crowd, gold=gold.to_dict())
                row.append((pd.Series(result.labels, result.items)[rest.index] == rest).mean())
            table.append(row)
        mean, gain = np.mean(table, axis=0), np.diff(np.array(table)[:, :2], axis=1)
        found.append(
            {
                "set": name,
                "gold": n,
                "auto without": mean[0],
                "auto": mean[1],
                "gain": f"{gain.mean():+.4f} ± {gain.std(ddof=1):.4f}",
                "dawid-skene": mean[2],
            }
        )
        print(found[-1], flush=True)
    return found


def main() -> None:
    names = sys.argv[2:] or [*SETS, "llmbar, 12 judges"]
    table = [row for found in pooled(rows, names) for row in found]
    write(
        "gold",
        "A few known labels",
        f"Accuracy on the items that are not gold, mean over {DRAWS} draws of gold (two for trec and product); gain: "
        "of auto with gold over auto without, mean and standard deviation over draws. The last size is 30 % of items.",
        table,
    )


if __name__ == "__main__":
    main()
