"""crowd-kit's and cleanlab's names beside crowd-kit and cleanlab themselves: how far apart, and how much faster."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd

import crowdwise.compat.cleanlab.multiannotator as our_cleanlab
import crowdwise.compat.crowdkit.aggregation as ours
from benchmarks.measure import write
from crowdwise import simulate
from crowdwise.compat.crowdkit.metrics import data as our_data
from crowdwise.compat.crowdkit.postprocessing import entropy_threshold

DETERMINED = ("MajorityVote", "Wawa", "ZeroBasedSkill", "GoldMajorityVote", "DawidSkene", "OneCoinDawidSkene")
SIZES = ((2_000, 5), (40_000, 5))


def votes(n_items: int, per_item: int, classes: int = 3) -> tuple[pd.DataFrame, pd.Series]:
    """Votes as a frame of texts, and the truth."""
    made = simulate.crowd(simulate.dirichlet(100, classes, seed=1), n_items=n_items, per_item=per_item, seed=0)
    table = made.crowd.to_table()
    names = {"task": [f"t{i}" for i in table["item"]], "worker": [f"w{j}" for j in table["annotator"]],
             "label": ["abcdef"[k] for k in table["label"]]}  # fmt: skip
    truth = pd.Series(["abcdef"[k] for k in made.truth], index=pd.Index([f"t{i}" for i in range(n_items)], name="task"))
    return pd.DataFrame(names), truth


def timed(work):
    began = time.perf_counter()
    done = work()
    return done, time.perf_counter() - began


def apart(one, other) -> float:
    """The largest difference of two frames or series of numbers, or the share of labels that differ."""
    if isinstance(one, pd.DataFrame):
        return float(np.abs(one.reindex(index=other.index, columns=other.columns).to_numpy() - other.to_numpy()).max())
    if isinstance(one, pd.Series):
        if one.dtype.kind == "f":
            return float(np.abs(one.reindex(other.index) - other).max())
        return float((one.reindex(other.index) != other).mean())
    return abs(float(one) - float(other))


def main() -> None:
    import crowdkit.aggregation as peer
    from crowdkit.metrics import data as peer_data
    from crowdkit.postprocessing import entropy_threshold as peer_threshold

    warnings.simplefilter("ignore")
    rows = []
    ours.DawidSkene(2).fit(votes(60_000, 5)[0])  # compiled beforehand
    for n_items, per_item in SIZES:
        frame, truth = votes(n_items, per_item)
        few = truth.iloc[: n_items // 10]
        for name, how, more in (
            ("MajorityVote", {}, ()), ("Wawa", {}, ()), ("ZeroBasedSkill", {}, ()), ("GoldMajorityVote", {}, (few,)),
            ("DawidSkene", {"n_iter": 20}, ()), ("OneCoinDawidSkene", {"n_iter": 20}, ()), ("GLAD", {}, ()),
            ("MACE", {}, ()), ("MMSR", {}, ()),
        ):  # fmt: skip
            if name in ("GLAD", "MACE", "MMSR") and n_items > 5_000:
                continue  # minutes and more
            theirs, their_time = timed(lambda: getattr(peer, name)(**how).fit_predict(frame, *more))  # noqa: B023
            own, our_time = timed(lambda: getattr(ours, name)(**how).fit_predict(frame, *more))  # noqa: B023
            row = {"function": name, "votes": len(frame), "peer, s": their_time, "ours, s": our_time,
                   "times as fast": their_time / our_time, "labels that differ": apart(theirs, own),
                   "peer's accuracy": float((theirs.reindex(truth.index) == truth).mean()),
                   "our accuracy": float((own.reindex(truth.index) == truth).mean())}  # fmt: skip
            rows.append(row)
            print(row, flush=True)
        if n_items > 5_000:
            continue
        for name, left, right in (
            ("alpha_krippendorff", peer_data.alpha_krippendorff, our_data.alpha_krippendorff),
            ("uncertainty", peer_data.uncertainty, our_data.uncertainty),
            ("consistency", peer_data.consistency, our_data.consistency),
        ):
            theirs, their_time = timed(lambda: left(frame))  # noqa: B023
            own, our_time = timed(lambda: right(frame))  # noqa: B023
            rows.append({"function": name, "votes": len(frame), "peer, s": their_time, "ours, s": our_time,
                         "times as fast": their_time / our_time, "difference": apart(theirs, own)})  # fmt: skip
            print(rows[-1], flush=True)
        theirs, their_time = timed(lambda: peer_threshold(frame))  # noqa: B023
        own, our_time = timed(lambda: entropy_threshold(frame))  # noqa: B023
        rows.append({"function": "entropy_threshold", "votes": len(frame), "peer, s": their_time, "ours, s": our_time,
                     "times as fast": their_time / our_time, "difference": abs(len(theirs) - len(own))})  # fmt: skip
    unequal = [row["function"] for row in rows if row["function"] in DETERMINED and row.get("labels that differ")]
    if unequal:
        raise SystemExit(f"not as crowd-kit has it: {', '.join(unequal)}")
    write("drop-in", "crowd-kit beside crowdwise.compat.crowdkit",
          "Simulated votes of 100 workers, 3 classes, names as texts, frame in and series out. What is determined "
          f"({', '.join(DETERMINED)}) is the same, ties too: otherwise this table is not written.", rows)  # fmt: skip
    cleanlab()


def cleanlab() -> None:
    from cleanlab import multiannotator as peer

    rows = []
    for n_items, people in ((2_000, 50), (10_000, 200)):
        made = simulate.crowd(simulate.one_coin(people, 4, 0.75), n_items=n_items, per_item=4, seed=0)
        table = np.full((n_items, people), np.nan)
        table[made.crowd.items[made.crowd.item].astype(int), made.crowd.annotator] = made.crowd.label
        rng = np.random.default_rng(0)
        probs = rng.dirichlet(np.ones(4), n_items) * 0.4
        probs[np.arange(n_items), np.where(rng.random(n_items) < 0.85, made.truth, rng.integers(4, size=n_items))] += (
            0.6
        )
        theirs, their_time = timed(lambda: peer.get_label_quality_multiannotator(table, probs, verbose=False))  # noqa: B023
        own, our_time = timed(lambda: our_cleanlab.get_label_quality_multiannotator(table, probs))  # noqa: B023
        a, b = theirs["label_quality"], own["label_quality"]
        stats_a, stats_b = theirs["annotator_stats"], own["annotator_stats"]
        quality = apart(stats_a["annotator_quality"], stats_b["annotator_quality"].rename(index=int))
        rows.append({
            "function": "get_label_quality_multiannotator", "items": n_items, "annotators": people,
            "peer, s": their_time,
            "ours, s": our_time, "times as fast": their_time / our_time,
            "labels that differ": float((a["consensus_label"] != b["consensus_label"]).mean()),
            "quality, largest difference": float(np.abs(a["consensus_quality_score"].to_numpy()
                                                        - b["consensus_quality_score"].to_numpy()).max()),
            "annotators' quality": quality,
        })  # fmt: skip
        print(rows[-1], flush=True)
        theirs, their_time = timed(lambda: peer.get_majority_vote_label(table, probs, verbose=False))  # noqa: B023
        own, our_time = timed(lambda: our_cleanlab.get_majority_vote_label(table, probs))  # noqa: B023
        rows.append({"function": "get_majority_vote_label", "items": n_items, "annotators": people,
                     "peer, s": their_time, "ours, s": our_time, "times as fast": their_time / our_time,
                     "labels that differ": float((theirs != own).mean())})  # fmt: skip
        (theirs, _), their_time = timed(lambda: peer.get_active_learning_scores(table, probs))  # noqa: B023
        (own, _), our_time = timed(lambda: our_cleanlab.get_active_learning_scores(table, probs))  # noqa: B023
        order = np.corrcoef(np.argsort(np.argsort(theirs)), np.argsort(np.argsort(own)))[0, 1]
        rows.append({"function": "get_active_learning_scores", "items": n_items, "annotators": people,
                     "peer, s": their_time, "ours, s": our_time, "times as fast": their_time / our_time,
                     "rank correlation": float(order)})  # fmt: skip
        print(rows[-1], flush=True)
    write("drop-in-cleanlab", "cleanlab beside crowdwise.compat.cleanlab",
          "4 votes on an item, 4 classes, a classifier that is right on 89 %. cleanlab fits a temperature before its "
          "active-learning scores, which is not done here: ranks are compared.", rows)  # fmt: skip


if __name__ == "__main__":
    main()
