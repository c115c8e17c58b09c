"""Accuracy on the real sets: ours and crowd-kit's, same votes, same truth, ties shared where there is a posterior."""

from __future__ import annotations

import os
import warnings

import numpy as np

from benchmarks.data import SETS, real
from benchmarks.measure import write
from benchmarks.speed import PEERS
from crowdwise import METHODS, Crowd, metrics
from crowdwise.gold import gold_codes
from crowdwise.methods import make


def main() -> None:
    if "CROWDWISE_DATA" not in os.environ:
        print("accuracy: skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    import crowdkit.aggregation as kit

    rows = []
    for name in SETS:
        votes, truth = real(name)
        crowd = Crowd.from_frame(votes).with_names(classes=truth["label"].unique())
        codes = gold_codes(crowd, truth)
        models = {method: make(method) for method in METHODS}
        models["dawid-skene, 3 steps"] = make("dawid-skene", max_iter=3)
        row = {"set": name, "votes": crowd.n_votes, "items": crowd.n_items, "annotators": crowd.n_annotators}
        for method, model in models.items():
            row[method] = metrics.accuracy(model.fit(crowd).posterior, codes)
        known = truth.set_index("item")["label"]
        frame = votes.rename(columns={"item": "task", "annotator": "worker"})
        for method, peer in PEERS.items():
            options = {"n_iter": 100} if method in ("dawid-skene", "one-coin") else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                labels = getattr(kit, peer)(**options).fit_predict(frame)
            both = labels.index.intersection(known.index)
            row[f"crowd-kit {method}"] = float((labels[both] == known[both]).mean())
        rows.append(row)
        print(row, flush=True)
    numbers = [column for column in rows[0] if column not in ("set", "votes", "items", "annotators")]
    rows.append({"set": "mean", **{column: float(np.mean([row[column] for row in rows])) for column in numbers}})
    write(
        "accuracy",
        "Accuracy on real sets",
        "Defaults: soft-vote start, learned class prior, smoothing .01 (and .2 more on the diagonal), tolerance 1e-7, "
        "at most 500 steps (crowd-kit: 100). Ours by `metrics.accuracy`, which shares ties; crowd-kit's by its labels. "
        "No truth was used to fit.",
        rows,
    )


if __name__ == "__main__":
    main()
