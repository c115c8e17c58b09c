"""More of Kim et al.: a fixed budget of votes, the penalty and start of trace, how many samples propagation needs."""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.deepbp import BATCH, EPOCHS, RATE, drawn
from benchmarks.measure import write
from benchmarks.networks import side_by_side, spread

SEEDS = range(7)
BUDGET, VOTES = 2_000, (1, 2, 4, 8)
LEARNERS = ("max-mig", "crowd-layer", "trace", "bayes-dgc", "deep-mf", "deep-bp")
STRENGTHS, STARTS = (0.01, 0.5, 1.0, 2.0), (1.0, 2.0, 4.0, 6.0)
SAMPLES = (10, 25, 50, 100, 400)
PRIORS = {"Beta(2, 1)": (2.0, 1.0), "Beta(1, .5)": (1.0, 0.5), "Beta(3, 2)": (3.0, 2.0)}


def work(job: tuple) -> dict:
    from crowdwise import Crowd, simulate
    from crowdwise.learn import CrowdClassifier
    from crowdwise.methods import make

    experiment, at, method, seed = job
    if experiment == "samples":
        prior, samples = at
        right, wrong = PRIORS[prior]
        made = simulate.crowd(simulate.beta(375, 2, right, wrong, seed=seed), n_items=500, per_item=3, seed=seed)
        points = None if samples is None else simulate.beta(samples, 2, right, wrong, seed=1000 + seed).confusion
        told = {"right": right, "wrong": wrong} if points is None else {"prior": points}
        found = make("belief-propagation", seed=seed, **told).fit(made.crowd)
        return {"inference": float((found.labels == made.truth).mean())}
    true_prior = (2.0, 1.0) if experiment == "budget" else (3.0, 1.0)
    x, truth, votes, x_test, y_test = drawn(true_prior, 0, 0.0, seed)
    if experiment == "budget":
        kept = BUDGET // at
        people = simulate.beta(750, 2, *true_prior, seed=seed)
        x, truth = np.concatenate([x, x])[:kept], np.concatenate([truth, truth])[:kept]
        votes = simulate.crowd(people, truth=truth, per_item=at, seed=seed).crowd
        assert isinstance(votes, Crowd)
    options: dict = {"prior": "one-coin", "right": true_prior[0], "wrong": true_prior[1]}
    if method not in ("bayes-dgc", "deep-mf", "deep-bp"):
        options = {}
    if experiment == "strength":
        options = {"strength": at, "diagonal": float(1.0 / (1.0 + np.exp(-2.0)))}
    if experiment == "start":
        options = {"strength": 0.5, "diagonal": float(1.0 / (1.0 + np.exp(-at)))}
    model = CrowdClassifier("cnn", method, options, epochs=EPOCHS, batch=BATCH, rate=RATE, seed=seed).fit(x, votes)
    return {
        "learning": model.score(x_test, y_test),
        "inference": float((model.infer(x, votes).labels == truth).mean()),
    }


def main() -> None:
    jobs = [
        *(("budget", at, method, seed) for at, method, seed in product(VOTES, LEARNERS, SEEDS)),
        *(("strength", at, "trace", seed) for at, seed in product(STRENGTHS, SEEDS)),
        *(("start", at, "trace", seed) for at, seed in product(STARTS, SEEDS)),
        *(("plain", first, "crowd-layer", seed) for first, seed in product(("counts",), SEEDS)),
        *(("samples", at, "", seed) for at, seed in product(product(PRIORS, (None, *SAMPLES)), range(40))),
    ]
    done, machine = side_by_side("belief_more", work, jobs)
    found = {repr(job): row for job, row in zip(jobs, done, strict=True)}
    rows = []
    for experiment, at, method in dict.fromkeys(job[:3] for job in jobs):
        several = [found[repr(job)] for job in jobs if job[:3] == (experiment, at, method)]
        row: dict = {"experiment": experiment, "at": str(at), "method": method or "belief-propagation"}
        rows.append(row | {what: spread(one[what] for one in several) for what in several[0]})
    write(
        "belief_more",
        "Budgets, settings and samples",
        f"Figures 6 to 8 of Kim et al., on pullovers and coats. budget: {BUDGET:,} votes, so many an image, on as many "
        "images as that allows; workers from Beta(2, 1). strength, start: trace under Beta(3, 1) with lambda, or with "
        "matrices that start at softmax of delta I (lambda .5), beside a crowd layer (plain). samples: belief "
        "propagation on 500 items, three votes each, 375 workers, by draws from the prior in place of the exact sum "
        f"(None). Mean and standard deviation over {len(SEEDS)} seeds (samples: 40). {machine}.",
        rows,
    )


if __name__ == "__main__":
    main()
