"""Live collection: shares of votes that plans need, promises kept, and how long an update and a question take."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise import simulate
from crowdwise.collect import Online, Plan, replay
from crowdwise.collect.replay import _live
from crowdwise.collect.stopping import promise
from crowdwise.fit.estimates import Classes
from crowdwise.io import read_labels, read_votes
from crowdwise.methods import make

SETS = ("dog", "web", "rte", "bluebird", "product", "music")
POLICIES = ("cover", "joint", "error-reduction", "entropy-skill", "entropy", "thompson", "ucb", "overlap", "random")
SEEDS = 5


def data(name: str):
    folder = Path(os.environ["CROWDWISE_DATA"], name)
    return read_votes(folder / "labels.csv").crowd, read_labels(folder / "truth.csv")


def plans() -> None:
    rows = {policy: {"policy": policy} for policy in POLICIES}
    half = {policy: [] for policy in POLICIES}
    for name in SETS:
        for record in replay(*data(name), POLICIES, seeds=SEEDS).reach.records():
            rows[record["policy"]][name] = record["reach"]
            half[record["policy"]].append(record["at half"])
        print(name, flush=True)
    for policy, row in rows.items():
        row["mean"] = float(np.mean([row[name] for name in SETS]))
        gap = np.array(half[policy]) - np.array(half["overlap"])
        row["least at half, less overlap"] = float(gap.min())
    write("collect", "Share of votes to come within .01 of the accuracy of all votes",
          f"Replay of real votes in 50 batches, the mean curve of {SEEDS} seeds, all looked at by the live estimator. "
          "entropy-skill is the tutorial's rule.", list(rows.values()))  # fmt: skip


def promises() -> None:
    """Stops by audits in replays: how often more labels are wrong than promised."""
    rows = []
    for error in (0.1, 0.15, 0.2):
        stops = broken = 0
        for name in SETS:
            crowd, truth = data(name)
            known = {item: label for item, label in truth.items() if item in set(crowd.items.tolist())}
            items = list(known)
            for seed in range(17):
                rng = np.random.default_rng(seed)
                audit = {items[k]: known[items[k]] for k in rng.permutation(len(items))[: min(100, len(items) // 2)]}
                order, stopped = rng.permutation(crowd.n_votes), False
                for look in range(10):
                    if stopped:
                        break
                    some = np.zeros(crowd.n_votes, bool)
                    some[order[: int(crowd.n_votes * 0.1 * 1.29**look)]] = True
                    posterior = _live(crowd, some)[0]
                    label = posterior.argmax(axis=1)
                    result = make("majority-vote").fit(crowd)
                    object.__setattr__(result, "estimate", Classes(posterior, crowd.classes, label))
                    if promise(result, error, audit, 0.1).stop:
                        stopped = True
                        stops += 1
                        told = dict(zip(crowd.items.tolist(), crowd.classes[label].tolist(), strict=True))
                        wrong = np.mean([told[item] != one for item, one in known.items()])
                        broken += wrong > error
        rows.append(
            {"promised at most": error, "replays": 17 * len(SETS), "stopped": int(stops), "broken": int(broken)}
        )
        print(rows[-1], flush=True)
    write("promises", "Promises by audits: replays that stopped, and how many of them were wrong",
          "Up to 100 audited items, ten looks at growing numbers of votes, delta .1.", rows)  # fmt: skip


def speed() -> None:
    rows = []
    for n_items, per_item in ((20_000, 5), (200_000, 5)):
        crowd = simulate.crowd(simulate.one_coin(500, 5, 0.75), n_items=n_items, per_item=per_item, seed=0).crowd
        live = Online(crowd.classes.tolist(), crowd.items.tolist())
        live.update(crowd)
        live.belief()
        live.posterior_of(0)
        spent = []
        for item in range(1000):
            began = time.perf_counter()
            live.add(item, 10_000, 1)
            live.posterior_of(item)
            spent.append(time.perf_counter() - began)
        began = time.perf_counter()
        live.belief()
        refit = time.perf_counter() - began
        asked = []
        for _ in range(20):
            began = time.perf_counter()
            Plan().next_votes(live, 1, annotator=7)
            asked.append(time.perf_counter() - began)
        rows.append({"votes": crowd.n_votes, "items": n_items,
                     "one vote and its item, us": float(1e6 * np.median(spent)),
                     "look at all, s": refit, "next for one annotator, ms": float(1e3 * np.median(asked))})  # fmt: skip
        print(rows[-1], flush=True)
    crowd = simulate.crowd(simulate.one_coin(2000, 5, 0.75), n_items=1_000_000, per_item=1, seed=0).crowd
    live = Online(crowd.classes.tolist(), crowd.items.tolist())
    live.update(crowd)
    live.belief()
    Plan().next_votes(live, 1, annotator=7)
    began = time.perf_counter()
    for _ in range(20):
        Plan().next_votes(live, 1, annotator=7)
    rows.append(
        {"votes": crowd.n_votes, "items": 1_000_000, "next for one annotator, ms": 50 * (time.perf_counter() - began)}
    )
    write("collect-speed", "Live collection: how long it takes", "One process, compiled beforehand.", rows)


def main() -> None:
    plans()
    promises()
    speed()


if __name__ == "__main__":
    main()
