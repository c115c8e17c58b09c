"""Label quality beside cleanlab: the same figures, and how long they take."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.measure import write

SIZES = ((2_000, 50, 5), (20_000, 200, 5), (100_000, 1_000, 5))


def main() -> None:
    from cleanlab import __version__ as version
    from cleanlab.multiannotator import get_label_quality_multiannotator

    from crowdwise import label_quality, simulate

    rows = []
    for n_items, n_annotators, n_classes in SIZES:
        people = simulate.one_coin(n_annotators - 5, n_classes, 0.75) + simulate.spammers(5, n_classes)
        made = simulate.crowd(people, n_items=n_items, per_item=5, seed=0)
        rng = np.random.default_rng(0)
        proba = 0.6 * np.eye(n_classes)[made.truth] + 0.4 * rng.dirichlet(np.ones(n_classes), n_items)
        took = []
        for _ in range(3):
            began = time.perf_counter()
            ours = label_quality(made.crowd, proba)
            took.append(time.perf_counter() - began)
        matrix = np.full((n_items, n_annotators), np.nan)
        matrix[made.crowd.item, made.crowd.annotator] = made.crowd.label
        began = time.perf_counter()
        theirs = get_label_quality_multiannotator(matrix, proba, verbose=False)
        seconds = time.perf_counter() - began
        labels = theirs["label_quality"]
        by_name = dict(zip(ours.annotators["annotator"].tolist(), ours.annotators["quality"], strict=True))
        apart = theirs["annotator_stats"]["annotator_quality"] - [by_name[j] for j in theirs["annotator_stats"].index]
        rows.append(
            {
                "items": n_items,
                "annotators": n_annotators,
                "crowdwise, seconds": min(took),
                "cleanlab, seconds": seconds,
                "ratio": seconds / min(took),
                "labels that are the same": float((labels["consensus_label"] == ours.labels["label"]).mean()),
                "largest difference of a quality": float(
                    np.abs(labels["consensus_quality_score"] - ours.labels["quality"]).max()
                ),
                "of an annotator's": float(np.abs(apart).max()),
            }
        )
        print(rows[-1], flush=True)
    write(
        "quality",
        "Label quality beside cleanlab",
        f"`crowdwise.label_quality` and cleanlab {version}'s get_label_quality_multiannotator on the same simulated "
        "votes (five per item) and probabilities, one run; ours is the best of three, cleanlab's the only one.",
        rows,
    )


if __name__ == "__main__":
    main()
