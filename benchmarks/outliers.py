"""Ambiguous images among plain ones: does COINNet find them, and what is it worth?"""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from benchmarks.dependent import scale
from benchmarks.measure import write
from benchmarks.networks import images, side_by_side, spread

SEEDS = range(5)
ITEMS, AMBIGUOUS, ANNOTATORS, PER_ITEM = 10_000, 0.15, 50, 5
METHODS = ("coinnet", "geo-f", "ccem")


def drawn(seed: int):
    """Fashion-MNIST, some images the mean of two; annotators say either class of those."""
    from crowdwise import Crowd, simulate

    data, rng = images("fashion_mnist"), np.random.default_rng(seed)
    some = rng.permutation(len(data["y_train"]))[:ITEMS]
    x, truth = data["X_train"][some].copy(), data["y_train"][some].astype(int)
    odd = np.zeros(ITEMS, bool)
    odd[rng.permutation(ITEMS)[: int(AMBIGUOUS * ITEMS)]] = True
    other = rng.permutation(ITEMS)
    odd &= truth[other] != truth
    x[odd] = (x[odd].astype(int) + x[other[odd]]) // 2
    made = simulate.crowd(
        simulate.dirichlet(ANNOTATORS, 10, 12.0, 0.5, seed=seed), truth=truth, per_item=PER_ITEM, seed=seed
    )
    label = made.crowd.label.astype(int)
    swapped = odd[made.crowd.item] & (rng.random(len(label)) < 0.5)
    label = np.where(swapped, truth[other][made.crowd.item], label)
    votes = Crowd.from_columns(made.crowd.item.astype(int), made.crowd.annotator.astype(int), label)
    return data, x, votes, truth, odd


def work(job: tuple) -> dict:
    from sklearn.metrics import roc_auc_score

    from crowdwise.learn import CrowdClassifier

    method, strength, seed = job
    data, x, votes, truth, odd = drawn(seed)
    options = {} if method == "ccem" else {"strength": strength}
    model = CrowdClassifier(scale()[0], method, options, epochs=20, batch=128, seed=seed)
    began = time.perf_counter()
    model.fit(x, votes)
    seconds = time.perf_counter() - began
    result = model.infer(x, votes)
    said = model.predict_proba(x)
    entropy = -(said * np.log(np.maximum(said, 1e-12))).sum(axis=1)
    found = {
        "test accuracy": model.score(data["X_test"], data["y_test"].astype(int)),
        "infer, plain images": float((result.labels == truth)[~odd].mean()),
        "AUC of the classifier's entropy": roc_auc_score(odd, entropy),
        "seconds": seconds,
    }
    shares = np.zeros((ITEMS, 10))
    np.add.at(shares, (votes.item, votes.label), 1.0 / PER_ITEM)
    found["AUC of the votes' disagreement"] = roc_auc_score(odd, 1.0 - shares.max(axis=1))
    if method == "coinnet":
        found["AUC of outlier scores"] = roc_auc_score(odd, model.fitted_.learner.objective.outliers().cpu().numpy())
    return found


def main() -> None:
    kinds = [(m, s) for m, s in product(METHODS, (0.001, 0.01)) if m != "ccem" or s == 0.01]
    jobs = [(*kind, seed) for kind in kinds for seed in SEEDS]
    done, machine = side_by_side("outliers", work, jobs)
    found = dict(zip(jobs, done, strict=True))
    rows = []
    for method, strength in kinds:
        several = [found[method, strength, seed] for seed in SEEDS]
        row = {"objective": method, "strength": None if method == "ccem" else strength}
        rows.append(row | {name: spread(one[name] for one in several) for name in several[0]})
    write(
        "outliers",
        "Ambiguous images",
        f"{ITEMS:,} images of Fashion-MNIST, {AMBIGUOUS:.0%} of them the mean of two of different classes, whose "
        f"votes name either; {ANNOTATORS} annotators, {PER_ITEM} votes an image. Network: {scale()[0]}; 20 epochs, "
        f"batches of 128; mean and standard deviation over {len(SEEDS)} seeds. AUC: how well a score tells the "
        f"ambiguous images from the others. {machine}.",
        rows,
    )


if __name__ == "__main__":
    main()
