"""Kim et al.'s tests of robustness: blurred images, sparse priors, a prior that is off, extreme spammers."""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from benchmarks.measure import write
from benchmarks.networks import IMAGES, images, side_by_side

PULLOVER, COAT = 2, 4  # of Fashion-MNIST: hard to tell apart
ITEMS, ANNOTATORS, PER_ITEM = 1_000, 750, 3
SEEDS = range(20)
EPOCHS, BATCH, RATE = 30, 100, 1e-3
BLURS, CLIPS = (0.0, 1.0, 2.0, 4.0), (0.55, 0.7, 0.9, 1.0)
ALPHAS = (0.2, 0.5, 1.0, 1.5, 2.0)
WRONGS = (0.8, 1.0, 1.2, 1.4, 1.6)
SPAMMERS = (0, 1, 2, 4, 8)
PLAIN = {"MV": "majority-vote", "MF": "mean-field", "BP": "belief-propagation"}
DEEP = {"CrowdLayer": "crowd-layer", "BayesDGC": "bayes-dgc", "deepMF": "deep-mf", "deepBP": "deep-bp"}
COLOURS = {method: f"C{number}" for number, method in enumerate((*PLAIN, *DEEP))}
BINS = np.linspace(0.0, 1.0, 21)
# (experiment, x): Beta of the truth, Beta of the model, extreme spammers, blur, clip
SETTINGS = {
    **{("prior", a): ((a, a / 2), (a, a / 2), 0, 0.0, 0.9) for a in ALPHAS},
    **{("mismatch", b): ((2.0, 1.0), (2.0, b), 1, 0.0, 0.9) for b in WRONGS},
    **{("spammers", n): ((2.0, 1.0), (2.0, 1.4), n, 0.0, 0.9) for n in SPAMMERS},
    **{("blur", (r, c)): ((1.0, 0.5), (1.0, 0.5), 0, r, c) for r, c in product(BLURS, CLIPS)},
}
XLABELS = {
    "prior": "a of the true prior Beta(a, a/2), known",
    "mismatch": "b of the model's Beta(2, b); truth Beta(2, 1), one extreme spammer",
    "spammers": "extreme spammers; truth Beta(2, 1), model Beta(2, 1.4)",
}


def drawn(truth_prior: tuple, spammers: int, blur: float, seed: int) -> tuple:
    from scipy.ndimage import gaussian_filter

    from crowdwise import simulate

    data, rng = images("fashion_mnist"), np.random.default_rng(seed)

    def two(part: str) -> tuple[np.ndarray, np.ndarray]:
        mine = np.isin(data[f"y_{part}"], (PULLOVER, COAT))
        x = data[f"X_{part}"][mine].astype(np.float32)
        x = gaussian_filter(x, (0.0, blur, blur)) if blur else x
        return x, (data[f"y_{part}"][mine] == COAT).astype(int)

    x, truth = two("train")
    some = rng.permutation(len(truth))[:ITEMS]
    people = simulate.beta(ANNOTATORS, 2, *truth_prior, seed=seed)
    if spammers:
        people = people + simulate.spammers(spammers, 2, everything=True)
    votes = simulate.crowd(people, truth=truth[some], per_item=PER_ITEM, graph="regular", seed=seed).crowd
    return x[some], truth[some], votes, *two("test")


def work(job: tuple) -> dict:
    from crowdwise.learn import CrowdClassifier
    from crowdwise.methods import make

    experiment, x_value, method, seed = job
    truth_prior, (right, wrong), spammers, blur, clip = SETTINGS[experiment, x_value]
    x, truth, votes, x_test, y_test = drawn(truth_prior, spammers, blur, seed)
    began = time.perf_counter()
    if method in PLAIN:
        options = {} if method == "MV" else {"right": right, "wrong": wrong, "seed": seed}
        result, found = make(PLAIN[method], **options).fit(votes), {}
    else:
        options = {"prior": "one-coin", "right": right, "wrong": wrong}
        options |= {"clip": clip} if method.startswith("deep") else {}
        model = CrowdClassifier(
            "cnn", DEEP[method], None if method == "CrowdLayer" else options,
            epochs=EPOCHS, batch=BATCH, rate=RATE, seed=seed,
        ).fit(x, votes)  # fmt: skip
        result, found = model.infer(x, votes), {"learning": model.score(x_test, y_test)}
    one = result.posterior[:, 1]
    return found | {
        "seconds": time.perf_counter() - began,
        "inference": float((result.labels == truth).mean()),
        "nll": float(-np.log(np.clip(np.where(truth == 1, one, 1.0 - one), 1e-12, 1.0)).mean()),
        "marginals": np.histogram(one, BINS)[0].tolist(),
    }


def methods_of(experiment: str) -> list[str]:
    return ["MF", "BP", "deepMF", "deepBP"] if experiment == "blur" else [*PLAIN, *DEEP]


def band(values: list[float]) -> tuple[float, float]:
    """Mean, and half of its 95 % interval."""
    return float(np.mean(values)), float(1.96 * np.std(values, ddof=1) / np.sqrt(len(values)))


def main() -> None:
    jobs = [
        (experiment, x, method, seed)
        for experiment, x in SETTINGS
        for method in methods_of(experiment)
        for seed in SEEDS
    ]
    done, machine = side_by_side("deepbp", work, jobs)
    found = {repr(job): row for job, row in zip(jobs, done, strict=True)}

    def values(experiment: str, x: object, method: str, what: str) -> list[float]:
        return [found[repr((experiment, x, method, seed))][what] for seed in SEEDS]

    rows = []
    for (experiment, x), what in product(SETTINGS, ("inference", "learning")):
        row: dict = {"experiment": experiment, "at": str(x), "accuracy of": what}
        for method in methods_of(experiment):
            if what == "inference" or method in DEEP:
                row[method] = "{:.3f} ± {:.3f}".format(*band(values(experiment, x, method, what)))
        gap = np.subtract(values(experiment, x, "deepBP", what), values(experiment, x, "deepMF", what))
        row["deepBP - deepMF"] = "{:+.3f} ± {:.3f}".format(*band(list(gap)))
        rows.append(row)
    sure = {
        method: (np.mean(values("mismatch", 1.4, method, "nll")), min(values("mismatch", 1.4, method, "inference")))
        for method in methods_of("mismatch")
    }
    seconds = {method: np.mean(values("prior", 1.0, method, "seconds")) for method in DEEP}
    draw(values)
    write(
        "deepbp",
        "Robustness: belief propagation and mean field with a network",
        f"The set-up of Kim et al.: pullovers and coats of Fashion-MNIST, {ITEMS:,} images, {ANNOTATORS} annotators of "
        f"one coin, three votes an image, four an annotator (spammers: all), {len(SEEDS)} seeds, mean and 95 % band. "
        f"Four-layer CNN, {EPOCHS} epochs of batches of {BATCH}, Adam {RATE}, nothing chosen by truth. prior: true "
        "Beta(a, a/2), known to the model; mismatch: truth Beta(2, 1), model Beta(2, b), one who guesses on every "
        "image; spammers: model Beta(2, 1.4), so many of them; blur: Gaussian, radius in pixels, and clipping, truth "
        "Beta(1, .5). At mismatch 1.4, mean negative log-probability of the truth and worst seed: "
        + ", ".join(f"{method} {nll:.2f}, {worst:.3f}" for method, (nll, worst) in sure.items())
        + f". Seconds a fit: {', '.join(f'{m} {s:.1f}' for m, s in seconds.items())}; {machine}.",
        rows,
    )


def draw(values) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("matplotlib is not here: nothing drawn", flush=True)
        return
    figure = Figure(figsize=(12, 6.5), layout="constrained")
    axes = figure.subplots(2, 3, sharex="col")
    for column, experiment in enumerate(XLABELS):
        places = [x for name, x in SETTINGS if name == experiment]
        for row, what in enumerate(("inference", "learning")):
            for method in methods_of(experiment):
                if what == "learning" and method not in DEEP:
                    continue
                mean, half = np.array([band(values(experiment, x, method, what)) for x in places]).T
                axes[row, column].plot(places, mean, marker="o", markersize=3, label=method, color=COLOURS[method])
                axes[row, column].fill_between(places, mean - half, mean + half, alpha=0.15, color=COLOURS[method])
            axes[row, column].set_ylabel(f"{what} accuracy")
        axes[1, column].set_xlabel(XLABELS[experiment], fontsize=8)
    axes[0, 0].legend(fontsize=8)
    figure.savefig(IMAGES / "deepbp.svg")
    figure = Figure(figsize=(12, 3.5), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for method in ("MF", "BP", "deepMF", "deepBP"):
        shares = np.mean(values("mismatch", 1.4, method, "marginals"), axis=0) / ITEMS
        left.stairs(shares, BINS, label=method, color=COLOURS[method])
        middle.plot(sorted(values("mismatch", 1.4, method, "inference")), marker=".", color=COLOURS[method])
    left.set_xlabel("marginal probability of a coat, one extreme spammer")
    left.set_ylabel("share of images")
    left.legend(fontsize=8)
    middle.set_xlabel("seeds, worst first")
    middle.set_ylabel("inference accuracy")
    for method, style in (("deepMF", "--"), ("deepBP", "-")):
        for number, blur in enumerate(BLURS):
            mean = [np.mean(values("blur", (blur, clip), method, "inference")) for clip in CLIPS]
            right.plot(CLIPS, mean, style, color=f"C{number}", label=f"{method}, blur {blur:g}")
    right.set_xlabel("clip")
    right.set_ylabel("inference accuracy")
    right.legend(fontsize=6)
    figure.savefig(IMAGES / "deepbp-sure.svg")


if __name__ == "__main__":
    main()
