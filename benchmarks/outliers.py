"""Items on which annotators err in ways of their own: does COINNet find them, and what is it worth?"""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from benchmarks.dependent import scale
from benchmarks.measure import write
from benchmarks.networks import images, side_by_side, spread

SEEDS = range(5)
ITEMS, AMBIGUOUS, ANNOTATORS, PER_ITEM = 10_000, 0.15, 50, 5
MISLED, LURED = 0.2, 0.7  # share of the items, and of the votes on them
KINDS = ("ambiguous", "misled")
METHODS = ("coinnet", "geo-f", "ccem")


def drawn(seed: int, kind: str):
    """Fashion-MNIST: some images the mean of two, and annotators say either class; or most say one wrong class."""
    from crowdwise import Crowd, simulate

    data, rng = images("fashion_mnist"), np.random.default_rng(seed)
    some = rng.permutation(len(data["y_train"]))[:ITEMS]
    x, truth = data["X_train"][some].copy(), data["y_train"][some].astype(int)
    odd = np.zeros(ITEMS, bool)
    odd[rng.permutation(ITEMS)[: int((AMBIGUOUS if kind == "ambiguous" else MISLED) * ITEMS)]] = True
    other = rng.permutation(ITEMS)
    odd &= truth[other] != truth
    if kind == "ambiguous":
        x[odd] = (x[odd].astype(int) + x[other[odd]]) // 2
    made = simulate.crowd(
        simulate.dirichlet(ANNOTATORS, 10, 12.0, 0.5, seed=seed), truth=truth, per_item=PER_ITEM, seed=seed
    )
    label = made.crowd.label.astype(int)
    swapped = odd[made.crowd.item] & (rng.random(len(label)) < (0.5 if kind == "ambiguous" else LURED))
    label = np.where(swapped, truth[other][made.crowd.item], label)
    votes = Crowd.from_columns(made.crowd.item.astype(int), made.crowd.annotator.astype(int), label)
    return data, x, votes, truth, odd


def work(job: tuple) -> dict:
    from sklearn.metrics import roc_auc_score

    from crowdwise.learn import CrowdClassifier

    kind, method, strength, seed = job
    data, x, votes, truth, odd = drawn(seed, kind)
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
        score = model.fitted_.learner.objective.outliers().cpu().numpy()
        found["AUC of outlier scores"] = roc_auc_score(odd, score)
        found["odd items with a deviation"] = float((score[odd] > 0.0).mean())
        found["other items with one"] = float((score[~odd] > 0.0).mean())
    return found


def main() -> None:
    kinds = [(k, m, s) for k, m, s in product(KINDS, METHODS, (0.001, 0.01)) if m != "ccem" or s == 0.01]
    jobs = [(*kind, seed) for kind in kinds for seed in SEEDS]
    done, machine = side_by_side("outliers", work, jobs)
    found = dict(zip(jobs, done, strict=True))
    rows = []
    for kind, method, strength in kinds:
        several = [found[kind, method, strength, seed] for seed in SEEDS]
        row = {"odd items": kind, "objective": method, "strength": None if method == "ccem" else strength}
        rows.append(row | {name: spread(one[name] for one in several) for name in several[0]})
    write(
        "outliers",
        "Odd items",
        f"{ITEMS:,} images of Fashion-MNIST. Ambiguous: {AMBIGUOUS:.0%} of them are the mean of two of different "
        f"classes, and votes name either. Misled: on {MISLED:.0%} of them {LURED:.0%} of the votes name one wrong "
        f"class, another for each item. {ANNOTATORS} annotators, {PER_ITEM} votes an image. Network: {scale()[0]}; "
        f"20 epochs, batches of 128; mean and standard deviation over {len(SEEDS)} seeds. AUC: how well a score "
        f"tells the odd items from the others; deviations of COINNet that are not zero, at its default "
        f"sparsity. {machine}.",
        rows,
    )


if __name__ == "__main__":
    main()
