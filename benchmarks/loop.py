"""A network in the loop of collection: shares of a classifier beside votes, and cleanlab's ActiveLab score.

Items with features (scikit-learn's digits, and LabelMe); votes come in batches. After each, a
network is trained on what the votes say so far, and its predictions of all items are the prior of `Online`.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.measure import write
from crowdwise import Crowd, simulate
from crowdwise.collect import Online, Plan

BATCH, SEEDS = 200, 3
SHARES = (0.5, 1.0, 1.5, 2.0, 3.0)


def digits():
    from sklearn.datasets import load_digits

    X, truth = load_digits(return_X_y=True)
    X, truth = X[:1200] / 16.0, truth[:1200]
    people = simulate.one_coin(40, 10, np.linspace(0.4, 0.9, 40))
    pool = simulate.crowd(people, truth=truth, per_item=12, seed=0)
    return "digits, 40 simulated people", X, truth, pool.crowd


def labelme():
    from crowdwise.io import read_votes

    folder = Path(os.environ["CROWDWISE_DATA"], "labelme")
    made = np.load(folder / "features.npz")
    X, truth, names = made["X_train"].astype(float), made["y_train"], made["item_train"].tolist()
    crowd = read_votes(folder / "labels.csv").crowd.subset(items=names).with_first("item", names)
    codes = np.array([int(name) if str(name).isdecimal() else k for k, name in enumerate(crowd.classes.tolist())])
    order = np.argsort(codes)
    plain = Crowd(
        item=crowd.item,
        annotator=crowd.annotator,
        label=np.argsort(order)[crowd.label],
        items=np.arange(len(names)),
        annotators=crowd.annotators,
        classes=np.arange(crowd.n_classes),
    )
    return "LabelMe", X, truth, plain


def predicted(X, live: Online, k: int, seed: int):
    """A network's chances of all items, each by a network that has not seen it."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold

    result = live.result
    place = {item: row for row, item in enumerate(result.items.tolist())}
    voted = np.array([item for item in range(len(X)) if item in place and np.ptp(result.posterior[place[item]]) > 1e-6])
    labels = np.array([int(result.labels[place[item]]) for item in voted.tolist()])
    weight = np.array([result.confidence[place[item]] for item in voted.tolist()])
    out = np.full((len(X), k), 1.0 / k)
    for train, test in KFold(4, shuffle=True, random_state=seed).split(X):
        some = np.isin(voted, train)
        if np.unique(labels[some]).size < 2:
            continue
        model = LogisticRegression(max_iter=200, C=0.5).fit(X[voted[some]], labels[some], sample_weight=weight[some])
        rows = np.full((test.size, k), 1e-3)
        rows[:, model.classes_.astype(int)] += model.predict_proba(X[test])
        out[test] = rows / rows.sum(axis=1, keepdims=True)
    return out


def activelab(live: Online, chances, left):
    """cleanlab's ActiveLab score of each item, lowest first; items that nobody was asked about by the network alone."""
    crowd = live.crowd
    consensus = live.result.labels
    place = {item: row for row, item in enumerate(live.result.items.tolist())}
    said = np.array([int(consensus[place[i]]) for i in crowd.items[crowd.item].tolist()])
    agree = (crowd.classes[crowd.label].astype(int) == said).mean()
    k = chances.shape[1]
    noise = (1 - agree) / (k - 1)
    model = np.clip((chances.argmax(axis=1)[crowd.items[crowd.item].astype(int)] == said).mean(), 1 / k, 0.999)
    w_model, w_people = np.sqrt(len(live.items) / max(live.n_votes, 1)) * model, agree
    score = np.zeros(len(chances))
    counts = np.bincount(crowd.items[crowd.item].astype(int), minlength=len(chances))
    votes = np.zeros_like(chances)
    np.add.at(votes, (crowd.items[crowd.item].astype(int), crowd.classes[crowd.label].astype(int)), 1.0)
    for item in range(len(chances)):
        n = counts[item]
        rows = w_model * chances[item] + 1.0 / k
        if n:
            rows = rows + w_people * (votes[item] * agree + (n - votes[item]) * noise)
        rows = rows / (w_model + 1.0 + w_people * n)
        score[item] = rows.max()
    return score


def run(way: str, X, truth, pool: Crowd, seed: int):
    k, n = pool.n_classes, pool.n_items
    rng = np.random.default_rng(seed)
    live = Online(range(k), items=range(n), method="live", seed=seed)
    first = np.searchsorted(pool.item, np.arange(n + 1))
    left = [rng.permutation(np.arange(first[i], first[i + 1])).tolist() for i in range(n)]
    most = min(int(SHARES[-1] * n), pool.n_votes)
    curve, asked, chances = [], 0, None
    network = way != "votes only, cover"
    while asked < most:
        counts = np.array([first[i + 1] - first[i] - len(left[i]) for i in range(n)])
        open_ = np.array([bool(one) for one in left])
        if way.startswith("ActiveLab") and chances is not None and asked:
            score = np.where(open_, activelab(live, chances, left), np.inf)
            chosen = np.argsort(score + 1e-6 * rng.random(n))[:BATCH]
            pairs = [(int(i), None) for i in chosen if open_[i]]
        else:
            full = Plan(choose="cover", seed=seed).next_votes(live, BATCH) if asked else None
            if full is None or not len(full):
                order = np.lexsort((rng.random(n), counts, ~open_))
                pairs = [(int(i), None) for i in order[:BATCH] if open_[i]]
            else:
                pairs = [
                    (int(i), who) for i, who in zip(full["item"].tolist(), full["annotator"].tolist(), strict=True)
                ]
        before = asked
        for item, who in pairs:
            if not left[item] or asked >= most:
                continue
            there = left[item]
            names = [pool.annotators[pool.annotator[v]] for v in there]
            vote = there.pop(names.index(who) if who in names else 0)
            live.add(item, pool.annotators[pool.annotator[vote]], int(pool.label[vote]))
            asked += 1
        if asked == before:
            break
        if network:
            chances = predicted(X, live, k, seed)
            if "prior" in way or way.startswith("ActiveLab"):
                live.set_prior(dict(enumerate(chances)))
        result = live.result
        right = float((result.labels[np.argsort(result.items)].astype(int) == truth).mean())
        curve.append((asked / n, right))
    shares, values = np.array(curve).T
    return np.interp(SHARES, shares, values)


def main() -> None:
    rows = []
    for made in (digits(), labelme()):
        if made is None:
            continue
        name, X, truth, pool = made
        for way in ("votes only, cover", "network's prior, cover", "ActiveLab score, network's prior"):
            curve = np.mean([run(way, X, truth, pool, seed) for seed in range(SEEDS)], axis=0)
            told = dict(zip((f"{share} votes an item" for share in SHARES), curve.tolist(), strict=True))
            rows.append({"set": name, "way": way, **told})
            print(rows[-1], flush=True)
    write("loop", "A network in the loop of collection",
          f"Accuracy of the labels of all items, mean of {SEEDS} seeds; batches of {BATCH}; a logistic regression, "
          "cross-fitted, trained anew after each batch.", rows)  # fmt: skip


if __name__ == "__main__":
    main()
