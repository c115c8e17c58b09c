"""Judges, fairness, perspectives, payments and history: the figures of docs/panels.md and docs/fairness.md."""

from __future__ import annotations

import csv
import os
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise import Crowd, DawidSkene, fairness, simulate
from crowdwise.io import read_labels, read_votes
from crowdwise.methods import make
from crowdwise.study.annotators import quality
from crowdwise.study.history import History
from crowdwise.study.judges import mean as judged_mean
from crowdwise.study.panels import (
    correlated_agreement,
    cross_entropy,
    determinant_information,
    soft_labels,
    surprisingly_popular,
)

DRAWS = 50
VISIBLE = ("bluebird", "dog", "face", "music", "rte", "temp", "trec", "web", "product")


def data(name: str) -> tuple[Crowd, dict]:
    folder = Path(os.environ["CROWDWISE_DATA"], name)
    truth = folder / "truth.csv"
    return read_votes(folder / "labels.csv").crowd, read_labels(truth) if truth.exists() else {}


def rows_of(name: str, file: str) -> list[dict]:
    with Path(os.environ["CROWDWISE_DATA"], name, file).open() as lines:
        return list(csv.DictReader(lines))


def panel() -> tuple[Crowd, dict, dict]:
    """LLMBar with the judges' families, its truth, and the part of each item."""
    crowd, truth = data("llmbar")
    family = {row["annotator"]: row["group"] for row in rows_of("llmbar", "annotators.csv")}
    part = {row["item"]: row["subset"] for row in rows_of("llmbar", "items.csv")}
    crowd = crowd.derive(annotator_extra={"family": np.array([family[name] for name in crowd.annotators.tolist()])})
    return crowd, truth, part


def judges() -> None:
    crowd, truth, part = panel()
    twelve = [f"{family}/Vanilla_NoRules/{way}" for family in sorted(set(crowd.annotator_extra["family"].tolist()))
              for way in ("ab", "ba")]  # fmt: skip
    there = [name for name in twelve if name in set(crowd.annotators.tolist())]
    rows = []
    for where, wanted in (("adversarial", lambda one: one != "Natural"), ("natural", lambda one: one == "Natural")):
        items = [item for item in crowd.items.tolist() if wanted(part[item])]
        for people, some in (("all judges", None), (f"{len(there)} judges", there)):
            own = crowd.subset(items=items, annotators=some)
            for n in (0, 10, 20, 50, 100):
                if n >= len(items):
                    continue
                row = {"part": where, "panel": people, "human labels": n}
                for name, method in (
                    ("auto", make("auto")), ("dawid-skene", make("dawid-skene")), ("gold-vote", make("gold-vote")),
                    ("gold-logistic, by family", make("gold-logistic", by="family")),
                ):  # fmt: skip
                    right = []
                    for draw in range(1 if n == 0 else DRAWS if name.startswith("gold") else 5):
                        rng = np.random.default_rng(draw)
                        told = rng.choice(len(items), n, replace=False)
                        gold = {items[k]: truth[items[k]] for k in told.tolist()} or None
                        found = method.fit(own, gold=gold)
                        rest = [item for k, item in enumerate(items) if k not in set(told.tolist())]
                        labels = dict(zip(found.items.tolist(), found.labels.tolist(), strict=True))
                        right.append(np.mean([labels[item] == truth[item] for item in rest]))
                    row[name] = float(np.mean(right))
                rows.append(row)
                print(row, flush=True)
    write("panel", "Few human labels beside a panel of judges (LLMBar)",
          "Accuracy on the other items, mean over draws of the human labels (50 for what learns from them alone, 5 for "
          "auto and dawid-skene).", rows)  # fmt: skip


def means() -> None:
    from scipy.stats import t as student

    crowd, truth, _ = panel()
    family = crowd.annotator_extra["family"]
    y = np.array([truth[item] == crowd.classes[1] for item in crowd.items.tolist()], float)
    rows = []
    for called, chosen in (("GPT-4", family == "GPT-4"), ("all judges", np.ones(family.size, bool)),
                           ("Falcon", family == "Falcon")):  # fmt: skip
        some = chosen[crowd.annotator]
        n_votes = np.maximum(np.bincount(crowd.item[some], minlength=crowd.n_items), 1)
        f = np.bincount(crowd.item[some], crowd.label[some], crowd.n_items) / n_votes
        for n in (25, 50, 100, 200):
            held, width, alone = [], [], []
            for draw in range(1500):
                order = np.random.default_rng(draw).permutation(y.size)
                here, rest = order[:n], order[n:]
                found = judged_mean(y[here], f[here], f[rest], finite=True)  # of these 419 items
                held.append(found.low <= y.mean() <= found.high)
                width.append(found.high - found.low)
                known = (1.0 - n / y.size) ** 0.5
                alone.append(2 * known * float(student.ppf(0.95, n - 1)) * y[here].std(ddof=1) / n**0.5)
            rows.append(
                {
                    "judge": called,
                    "human labels": n,
                    "covered": float(np.mean(held)),
                    "width": float(np.mean(width)),
                    "width of human labels alone": float(np.mean(alone)),
                }
            )
            print(rows[-1], flush=True)
    write("judged-means", "A win rate by few human labels and a judge (LLMBar)",
          "90 % intervals of the mean of 419 items (finite=True), 1,500 draws of the labelled ones without return.",
          rows)  # fmt: skip


def biased_crowd(seed: int, n_items: int, share: float) -> tuple[Crowd, np.ndarray, np.ndarray]:
    rng, people = np.random.default_rng(seed), 60
    group = rng.integers(0, 2, n_items)
    true = (rng.random(n_items) < np.array([0.3, 0.5])[group]).astype(int)
    sens, spec, biased = rng.beta(8, 3, people), rng.beta(8, 3, people), rng.random(people) < share
    item = np.repeat(np.arange(n_items), 5)
    who = np.argsort(rng.random((n_items, people)), axis=1)[:, :5].ravel()
    wrong = np.minimum(1 - spec[who] + 0.3 * (biased[who] & (group[item] == 1)), 0.95)
    said = (rng.random(item.size) < np.where(true[item] == 1, sens[who], wrong)).astype(int)
    return Crowd.from_columns(item, who, said, annotators=range(people)), group, biased


def bias() -> None:
    rows = []
    for n_items in (1000, 2250, 3600, 7200):
        for share in (0.0, 0.25):
            false, seen, runs = [], [], 40
            for seed in range(runs):
                crowd, group, biased = biased_crowd(1000 + seed, n_items, share)
                found = fairness.biased_annotators(crowd, np.array(["a", "b"])[group])
                named = np.zeros(60, bool)
                named[found.take(found["verdict"] == "biased")["annotator"].astype(int)] = True
                false.append((named & ~biased).sum() / max(named.sum(), 1))
                seen.append((named & biased).sum() / biased.sum() if biased.any() else np.nan)
            rows.append(
                {
                    "votes of an annotator": n_items * 5 // 60,
                    "biased": share,
                    "runs": runs,
                    "false discoveries": float(np.mean(false)),
                    "found": float(np.mean(seen)),
                }
            )
            print(rows[-1], flush=True)
    crowd, _ = data("compas_race")
    race = {row["item"]: row["race"] for row in rows_of("compas_race", "items.csv")}
    groups = np.array([race[str(item)] in ("black",) for item in crowd.items.tolist()])
    some = 0
    for seed in range(100):
        mixed = np.random.default_rng(seed).permutation(groups)
        some += "biased" in fairness.biased_annotators(crowd, mixed)["verdict"].tolist()
    rows.append({"votes of an annotator": "compas_race, permuted", "runs": 100, "false discoveries": some / 100})
    print(rows[-1])
    write("biased-annotators", "Annotators who treat a group otherwise",
          "60 annotators, 5 votes on each item, base rates .3 and .5; biased ones call .30 more of the second group's "
          "negatives positive. Share of those named who are not biased, and of the biased who are named; 5 % is asked "
          "for. Last row: real votes with the attribute permuted, share of runs that name anybody.", rows)  # fmt: skip


def perspectives() -> None:
    rows = []
    crowd, _ = data("toxic_gender")
    group = {row["annotator"]: row["group"] for row in rows_of("toxic_gender", "annotators.csv")}
    by = np.array([group[str(name)] for name in crowd.annotators.tolist()])
    rows += _held(crowd, by, 6, "toxic_gender, 6 votes seen", by_item=True)
    crowd, _ = data("hs_brexit")
    group = {row["annotator"]: row["group"] for row in rows_of("hs_brexit", "annotators.csv")}
    by = np.array([group[str(name)] for name in crowd.annotators.tolist()])
    rows += _held(crowd, by, 3, "hs_brexit, 3 votes seen", by_item=True)
    write("soft-shares", "Shares of held-out people",
          "Cross-entropy (nats) of the shares of people who were not seen, mean over five draws.", rows)  # fmt: skip


def _held(crowd: Crowd, by: np.ndarray, seen: int, called: str, by_item: bool) -> list[dict]:
    names = sorted(set(by.tolist()))
    out = {way: {"set": called, "shares": way} for way in
           ("majority", "dawid-skene", "vote share", "soft_labels", *(f"of {name}" for name in names))}  # fmt: skip
    told: dict[str, list[float]] = {way: [] for way in out}
    for seed in range(5):
        lots = np.random.default_rng(seed).random(crowd.n_votes)
        order = np.lexsort((lots, crowd.item))
        rank = np.empty(crowd.n_votes, int)
        first = np.r_[0, np.flatnonzero(np.diff(crowd.item[order])) + 1]
        rank[order] = np.arange(crowd.n_votes) - np.repeat(first, np.diff(np.r_[first, crowd.n_votes]))
        part, rest = crowd.take(rank < seen), crowd.take(rank >= seen)

        def shares(votes: Crowd) -> np.ndarray:
            counts = np.zeros((votes.n_items, votes.n_classes))
            np.add.at(counts, (votes.item, votes.label), 1.0)
            with np.errstate(invalid="ignore"):
                return counts / counts.sum(axis=1, keepdims=True)

        target, now = shares(rest), shares(part)
        there = np.isfinite(target).all(axis=1)
        hard = np.eye(crowd.n_classes)[now.argmax(axis=1)]
        clipped = lambda q: np.clip(q, 0.01, 0.99)  # noqa: E731
        told["majority"].append(cross_entropy(clipped(hard)[there], target[there]))
        model = DawidSkene().fit(part)
        told["dawid-skene"].append(cross_entropy(clipped(model.posterior)[there], target[there]))
        told["vote share"].append(cross_entropy(clipped(now)[there], target[there]))
        told["soft_labels"].append(cross_entropy(soft_labels(part)[there], target[there]))
        each = soft_labels(part, by=by)
        for name in names:
            own = shares(rest.take((by == name)[rest.annotator]))
            known = np.isfinite(own).all(axis=1)
            told[f"of {name}"].append(cross_entropy(each[name][known], own[known]))
    for way, row in out.items():
        row["cross-entropy"] = float(np.mean(told[way]))
        print(row, flush=True)
    return list(out.values())


def payments() -> None:
    from scipy.stats import spearmanr

    rows = []
    for name in VISIBLE:
        crowd, truth = data(name)
        known = {item: label for item, label in truth.items() if label in set(crowd.classes.tolist())}
        code = np.full(crowd.n_items, -1)
        place = {item: k for k, item in enumerate(crowd.items.tolist())}
        classes = {label: k for k, label in enumerate(crowd.classes.tolist())}
        for item, label in known.items():
            if item in place:
                code[place[item]] = classes[label]
        told = code[crowd.item]
        met, right = np.zeros((2, crowd.n_annotators, crowd.n_classes))
        some = told >= 0
        np.add.at(met, (crowd.annotator[some], told[some]), 1.0)
        np.add.at(right, (crowd.annotator[some], told[some]), (crowd.label == told)[some])
        with np.errstate(invalid="ignore"):
            balanced = np.nanmean(right / np.where(met > 0, met, np.nan), axis=1)
        enough = met.sum(axis=1) >= 20
        scores = {
            "determinant information": determinant_information(crowd)["score"],
            "correlated agreement": correlated_agreement(crowd)["score"],
        }
        skill = quality(crowd, DawidSkene().fit(crowd))
        order = {who: k for k, who in enumerate(skill["annotator"].tolist())}
        scores["dawid-skene"] = np.array([skill["accuracy"][order[who]] for who in crowd.annotators.tolist()])
        row = {"set": name, "annotators": int(enough.sum())}
        for way, score in scores.items():
            both = enough & np.isfinite(score) & np.isfinite(balanced)
            row[way] = float(spearmanr(score[both], balanced[both]).statistic)
        rows.append(row)
        print(row, flush=True)
    rows.append({"set": "mean", **{way: float(np.mean([row[way] for row in rows])) for way in
                                   ("determinant information", "correlated agreement", "dawid-skene")}})  # fmt: skip
    crowd, truth = data("prelec_1c")
    others = read_votes(Path(os.environ["CROWDWISE_DATA"], "prelec_1c", "labels.csv"), extra=["others"], soft=False)
    found = surprisingly_popular(others.crowd, others.crowd.extra["others"].astype(float))
    popular = np.mean([str(label) == str(truth[item]) for item, label in zip(found["item"].tolist(),
                      found["label"].tolist(), strict=True)])  # fmt: skip
    rows.append(
        {
            "set": "prelec_1c: surprisingly popular is right",
            "annotators": others.crowd.n_annotators,
            "determinant information": "",
            "correlated agreement": float(popular),
            "dawid-skene": "",
        }
    )
    print(rows[-2:])
    write("payments", "Scores without truth",
          "Spearman correlation with true balanced accuracy, of annotators with 20 known votes.", rows)  # fmt: skip


def history() -> None:
    sizes, rows = (20, 60), []
    for name in ("bluebird", "dog", "face", "music", "rte", "temp", "trec", "web"):
        crowd, truth = data(name)
        row: dict = {"set": name}
        told: dict = {}
        for seed in range(20):
            rng = np.random.default_rng(seed)
            items = rng.permutation([item for item in crowd.items.tolist() if item in truth])
            half = len(items) // 2
            old = DawidSkene().fit(crowd.subset(items=items[:half]))
            kept = History().add(old, task="same", source="before")
            for size in sizes:
                new = crowd.subset(items=items[half : half + size])
                lots = np.argsort(rng.random(new.n_votes))
                rank = np.zeros(new.n_votes, int)
                seen: dict = {}
                for vote in lots.tolist():
                    rank[vote] = seen[new.item[vote]] = seen.get(new.item[vote], 0) + 1
                new = new.take(rank <= 5)
                for way, found in (
                    ("none", make("ibcc").fit(new)), ("auto", make("auto").fit(new)),
                    ("history", kept.fit(new, task="same")),
                ):  # fmt: skip
                    labels = zip(found.items.tolist(), found.labels.tolist(), strict=True)
                    told.setdefault((size, way), []).append(np.mean([truth[item] == label for item, label in labels]))
        row |= {f"{size} items, {way}": float(np.mean(values)) for (size, way), values in told.items()}
        rows.append(row)
        print(row, flush=True)
    names = [name for name in rows[0] if name != "set"]
    rows.append({"set": "mean", **{name: float(np.mean([row[name] for row in rows])) for name in names}})
    print(rows[-1])
    write("history", "Annotators' history in earlier projects of the same task",
          "Half of the items are an earlier project; of the other half 20 or 60 items with 5 votes each, 20 draws.",
          rows)  # fmt: skip


def speed() -> None:
    crowd = simulate.crowd(simulate.one_coin(1000, 2, 0.75), n_items=200_000, per_item=5, seed=0).crowd
    group = np.where(np.arange(crowd.n_items) % 2, "a", "b")
    crowd = crowd.derive(item_extra={"site": group})
    rows = []
    result = DawidSkene().fit(crowd)
    for name, work in (
        ("biased_annotators", lambda: fairness.biased_annotators(crowd, "site")),
        ("gaps", lambda: fairness.gaps(result, "site")),
        ("parity", lambda: fairness.parity(result, "site")),
        ("soft_labels", lambda: soft_labels(crowd)),
        ("determinant_information", lambda: determinant_information(crowd)),
        ("correlated_agreement", lambda: correlated_agreement(crowd)),
        ("attribute-dawid-skene", lambda: make("attribute-dawid-skene", by="site").fit(crowd)),
    ):
        began = time.perf_counter()
        work()
        rows.append({"what": name, "votes": crowd.n_votes, "seconds": time.perf_counter() - began})
        print(rows[-1], flush=True)
    write("panels-speed", "Panels and fairness on a million votes", "200,000 items, 1,000 annotators, 2 classes.", rows)


def main() -> None:
    judges()
    means()
    bias()
    perspectives()
    payments()
    history()
    speed()


if __name__ == "__main__":
    main()
