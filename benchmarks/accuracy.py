"""Accuracy on the real sets: ours and crowd-kit's, same votes, same truth, ties shared where there is a posterior."""

from __future__ import annotations

import os
import warnings

import numpy as np

from benchmarks.data import SETS, TEN, real
from benchmarks.measure import write
from crowdwise import Crowd, metrics
from crowdwise.methods import make, names
from crowdwise.votes.gold import gold_codes

PEERS = ("MajorityVote", "Wawa", "ZeroBasedSkill", "DawidSkene", "OneCoinDawidSkene", "GLAD", "MACE", "MMSR")
SLOW = {"GLAD", "MACE", "MMSR"}  # not run on sets of more votes than this
SLOW_VOTES = 13_000


def of_crowd_kit(peer: str, votes, truth) -> float | None:
    import crowdkit.aggregation as kit

    if peer in SLOW and len(votes) > SLOW_VOTES:
        return None
    frame = votes.rename(columns={"item": "task", "annotator": "worker"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"n_iter": 100} if "DawidSkene" in peer else {}
        labels = getattr(kit, peer)(**options).fit_predict(frame)
    known = truth.set_index("item")["label"]
    both = labels.index.intersection(known.index)
    return float((labels[both] == known[both]).mean())


def main() -> None:
    if "CROWDWISE_DATA" not in os.environ:
        print("accuracy: skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    models = {method: make(method) for method in names()}
    models["dawid-skene, 3 steps"] = make("dawid-skene", max_iter=3)
    models["ibcc, groups"] = make("ibcc", weights="groups")
    models["mace, groups"] = make("mace", weights="groups")
    rows = {name: {"method": name} for name in (*models, *(f"crowd-kit {peer}" for peer in PEERS))}
    for name in SETS:
        votes, truth = real(name)
        crowd = Crowd.from_frame(votes).with_names(classes=truth["label"].unique())
        codes = gold_codes(crowd, truth)
        for method, model in models.items():
            rows[method][name] = metrics.accuracy(model.fit(crowd).posterior, codes)
        for peer in PEERS:
            rows[f"crowd-kit {peer}"][name] = of_crowd_kit(peer, votes, truth)
        print(name, {method: row[name] for method, row in rows.items()}, flush=True)
    for row in rows.values():
        ten = [row[name] for name in TEN]
        row["mean of ten"] = None if None in ten else float(np.mean(ten))
    write(
        "accuracy",
        "Accuracy on real sets",
        "Defaults of every method. Ours by `metrics.accuracy`, which shares ties; crowd-kit's by its labels "
        "(DawidSkene: 100 iterations; GLAD, MACE and MMSR only on sets of up to 13,000 votes, for the time they take). "
        f"No truth was used to fit. The mean is over {', '.join(TEN)}.",
        list(rows.values()),
    )


if __name__ == "__main__":
    main()
