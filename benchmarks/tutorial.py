"""The tutorial's numerical tests of active crowdsourcing: online EM with forgetting, its epsilon schedule, and a refit.

Votes are asked for one by one among those that exist; curves of accuracy by share of votes, on dog and web.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise.collect import StreamEM, replay
from crowdwise.collect.gains import EARLY, FIRST, RARE
from crowdwise.io import read_labels, read_votes

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
SEEDS = 3


def data(name: str):
    folder = Path(os.environ["CROWDWISE_DATA"], name)
    return read_votes(folder / "labels.csv").crowd.once("last"), read_labels(folder / "truth.csv")


def online(crowd, truth, *, rate, active: bool, seed: int) -> list[float]:
    """Accuracy at each of `SHARES` by the online EM: items by entropy and annotators by epsilon-greedy, or by lot."""
    rng = np.random.default_rng(seed)
    k, n_items = crowd.n_classes, crowd.n_items
    first = np.searchsorted(crowd.item, np.arange(n_items + 1))
    left = [list(range(first[i], first[i + 1])) for i in range(n_items)]
    known = {item: truth[item] for item in crowd.items.tolist() if item in truth}
    how = {} if rate == "tutorial" else {"rate": None}
    stream = StreamEM(range(k), **how)
    entropy, skill = np.full(n_items, np.log(k)), np.full(crowd.n_annotators, 0.7)
    lots = rng.permutation(crowd.n_votes).tolist()
    looked, at = [], [max(1, round(share * crowd.n_votes)) for share in SHARES]
    for t in range(1, crowd.n_votes + 1):
        if active:
            item = int((entropy + 1e-9 * rng.random(n_items)).argmax())
            there = left[item]
            some = rng.random() < (EARLY if t <= FIRST else RARE)
            who = crowd.annotator[there]
            place = int(rng.integers(len(there))) if some else int(skill[who].argmax())
            vote = there.pop(place)
        else:
            vote = lots[t - 1]
            item = int(crowd.item[vote])
        j = int(crowd.annotator[vote])
        q = stream.vote(item, j, int(crowd.label[vote]))
        rows = stream.sums[j]
        skill[j] = float(np.trace(rows) / rows.sum())
        if active:
            entropy[item] = -(q * np.log(np.maximum(q, 1e-300))).sum() if left[item] else -np.inf
        if t in at:
            said = {i: str(crowd.classes[stream.posterior(i).argmax()]) for i in stream._votes}
            names = crowd.items.tolist()
            looked.append(float(np.mean([said[i] == str(known[names[i]]) if i in said else 1.0 / k
                                         for i in range(n_items) if names[i] in known])))  # fmt: skip
    return looked


def main() -> None:
    rows = []
    for name in ("dog", "web"):
        crowd, truth = data(name)
        for called, how in (
            ("online EM, t^-.6, active", {"rate": "tutorial", "active": True}),
            ("online EM, t^-.6, by lot", {"rate": "tutorial", "active": False}),
            ("online EM, plain sums, active", {"rate": None, "active": True}),
            ("online EM, plain sums, by lot", {"rate": None, "active": False}),
        ):
            curves = np.mean([online(crowd, truth, seed=seed, **how) for seed in range(SEEDS)], axis=0)
            rows.append({"set": name, "way": called, **dict(zip(map(str, SHARES), curves.tolist(), strict=True))})
            print(rows[-1], flush=True)
        found = replay(crowd, truth, ["entropy-skill", "cover", "overlap"], seeds=SEEDS)
        for policy in found.reach["policy"].tolist():
            own = found.curve.take(found.curve["policy"] == policy)
            order = np.argsort(own["share"], kind="stable")
            values = np.interp(SHARES, own["share"][order], own["accuracy"][order].astype(float))
            told = dict(zip(map(str, SHARES), values.tolist(), strict=True))
            rows.append({"set": name, "way": f"refit of all votes, {policy}", **told})
            print(rows[-1], flush=True)
    write("tutorial", "The tutorial's tests: online EM, active and not, beside a refit of all votes",
          f"Accuracy by share of the votes, mean of {SEEDS} seeds. entropy-skill is the tutorial's rule: the item of "
          "most entropy, the best annotator but for a share of random ones (.5 in the first 100 votes, .05 after).",
          rows)  # fmt: skip


if __name__ == "__main__":
    main()
