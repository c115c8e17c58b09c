"""What a judge's probability is worth: hard votes, soft ones, whole distributions as weights, and as a prior."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import write

SEEDS = 5
N_ITEMS, PEOPLE = 2_000, 30
METHODS = ("majority-vote", "one-coin", "dawid-skene", "ibcc")
# K: classes; humans: people an item; judges; told: what signal the judges see; power: > 1 is overconfident.
SETTINGS = {
    "true probabilities": {},
    "overconfident": {"power": 2.5},
    "far overconfident": {"power": 5.0},
    "underconfident": {"power": 0.4},
    "two classes": {"n_classes": 2, "told": 1.0},
    "ten classes, overconfident": {"n_classes": 10, "told": 2.5, "power": 3.0},
    "judges alone": {"humans": 0, "judges": 4},
    "judges alone, overconfident": {"humans": 0, "judges": 4, "power": 3.0},
    "judges who err together": {"shared": 0.5, "power": 3.0},
    "one judge, five people": {"humans": 5, "judges": 1},
}


def votes(seed, n_classes=4, humans=2, judges=3, told=1.5, power=1.0, shared=0.0):
    """Votes of people, and distributions of judges: posteriors of a noisy signal, to some power."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=N_ITEMS)
    accuracy = rng.beta(7, 3, PEOPLE)
    who = np.argsort(rng.random((N_ITEMS, PEOPLE)), axis=1)[:, :humans]
    wrong = (truth[:, None] + rng.integers(1, n_classes, who.shape)) % n_classes
    said = np.where(rng.random(who.shape) < accuracy[who], truth[:, None], wrong)
    common = rng.normal(size=(N_ITEMS, n_classes))
    signal = np.sqrt(1.0 - shared) * rng.normal(size=(judges, N_ITEMS, n_classes)) + np.sqrt(shared) * common
    signal = signal * np.sqrt(told)
    signal[:, np.arange(N_ITEMS), truth] += told
    chance = np.exp(power * (signal - signal.max(axis=2, keepdims=True)))
    return truth, who, said, chance / chance.sum(axis=2, keepdims=True)


def crowds(who, said, chance):
    """The same votes in four ways: a crowd each, and what is known of the items beside it."""
    from crowdwise import Crowd, soften

    _, n_items, n_classes = chance.shape
    people = (np.repeat(np.arange(n_items), who.shape[1]), who.ravel(), said.ravel())
    judge, item, label = (axis.ravel() for axis in np.indices(chance.shape))
    columns = [np.concatenate(pair) for pair in zip(people, (item, PEOPLE + judge, label), strict=True)]
    names = {"items": range(n_items), "classes": range(n_classes)}
    sure = np.concatenate([np.full(said.size, np.nan), chance.ravel()])
    rows = Crowd.from_columns(*columns, extra={"probability": sure}, **names)
    soft = soften(rows)
    yield "hard", soft.with_weight(None), None
    yield "soft", soft, None
    yield "distribution", rows.with_weight(np.nan_to_num(rows.extra["probability"], nan=1.0)), None
    if said.size:
        prior = np.exp(np.log(np.maximum(chance, 1e-12)).sum(axis=0))
        yield "prior", Crowd.from_columns(*people, **names), prior / prior.sum(axis=1, keepdims=True)


def main() -> None:
    from crowdwise.methods import make

    rows = []
    for name, setting in SETTINGS.items():
        right = {}
        for seed in range(SEEDS):
            truth, *parts = votes(seed, **setting)
            for form, crowd, prior in crowds(*parts):
                for method in METHODS:
                    labels = make(method).fit(crowd, item_prior=prior).labels
                    right.setdefault((form, method), []).append((labels == truth).mean())
        for form in dict.fromkeys(form for form, _ in right):
            got = {method: np.array(right[form, method]) for method in METHODS}
            cells = {method: f"{seen.mean():.3f} ± {seen.std(ddof=1):.3f}" for method, seen in got.items()}
            rows.append({"judges": name, "votes": form, **cells})
            print(rows[-1], flush=True)
    write(
        "soft",
        "Soft votes of judges",
        f"Accuracy of labels, mean and spread over {SEEDS} seeds; {N_ITEMS:,} simulated items, two people an item "
        "(accuracy Beta(7, 3)) and three judges who see a noisy signal and tell a distribution, unless said otherwise. "
        "hard: the likeliest class; soft: the same, weighed by its probability (`soften`); distribution: all classes, "
        "weighed by theirs (`--weight probability`); prior: the judges' product as `item_prior`, people voting.",
        rows,
    )


if __name__ == "__main__":
    main()
