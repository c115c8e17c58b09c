"""Ratings and comparisons: every method on real sets, as they are and with odd annotators planted; and their speed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from benchmarks.measure import write
from crowdwise import Comparisons, Ratings, simulate
from crowdwise.io.numbers_and_pairs import read_ratings, read_values
from crowdwise.methods import make, names

SEEDS = 6
PLANTED = 4
IMPLIED = (("dots", 6), ("dots", 20), ("dots_ice", 20), ("calories", 15))
Case = tuple[Ratings, dict]


def folder() -> Path:
    return Path(os.environ["CROWDWISE_DATA"])


def ratings(name: str) -> Ratings:
    file = folder() / name / "ratings.csv"
    return read_ratings([file] if file.exists() else [folder() / name / "labels.csv"])[0]


def truth(name: str) -> dict:
    return read_values(folder() / name / "truth.csv")


def few(votes: Ratings, per_item: int, seed: int) -> Ratings:
    """So many ratings of each item, drawn."""
    order = np.lexsort((np.random.default_rng(seed).random(votes.n_votes), votes.item))
    place = np.empty(votes.n_votes, np.int64)
    place[order] = np.arange(votes.n_votes) - np.searchsorted(votes.item[order], votes.item[order])
    return votes.take(place < per_item)


def halves(name: str, per_item: int) -> Iterator[Case]:
    """Half of the annotators to learn from, the means of the other half to be held to: there is no truth."""
    votes = ratings(name)
    for seed in range(SEEDS):
        side = np.random.default_rng(seed).random(votes.n_annotators) < 0.5
        own, other = (votes.take(some[votes.annotator]) for some in (side, ~side))
        n = np.bincount(other.item, minlength=votes.n_items)
        mean = np.bincount(other.item, other.value, votes.n_items) / np.maximum(n, 1)
        yield few(own, per_item, seed), {votes.items[k]: mean[k] for k in np.flatnonzero(n)}


def planted(name: str, odd: str, share: float) -> Iterator[Case]:
    votes, known = ratings(name), truth(name)
    for seed in range(PLANTED):
        rng = np.random.default_rng(seed)
        value, low, high = np.array(votes.value, float), votes.value.min(), votes.value.max()
        drawn = rng.permutation(votes.n_annotators)
        if odd == "heaviest":  # of those who gave most ratings
            drawn = drawn[np.argsort(-np.bincount(votes.annotator, minlength=votes.n_annotators)[drawn])]
        who = drawn[: round(share * votes.n_annotators)]
        theirs = np.isin(votes.annotator, who)
        if odd == "flippers":
            value[theirs] = low + high - value[theirs]
        elif odd == "constant":
            value[theirs] = rng.choice(value, votes.n_annotators)[votes.annotator][theirs]
        elif odd in ("spammers", "heaviest"):
            value[theirs] = rng.permutation(votes.value)[: theirs.sum()]
        else:
            wild = rng.random(value.size) < share
            value[wild] = rng.uniform(low - (high - low), high + (high - low), int(wild.sum()))
        yield votes.derive(value=value), known


def heavy(name: str, many: int) -> float:
    """So many annotators as a share of all."""
    return many / ratings(name).n_annotators


def error(name: str, case: Case) -> float:
    votes, known = case
    found = make(name).fit(votes)
    told = [
        (value, known[item])
        for item, value in zip(found.items.tolist(), found.estimate.mean, strict=True)
        if item in known
    ]
    return float(np.sqrt(np.mean([(a - b) ** 2 for a, b in told])))


def of_ratings() -> None:
    cases: dict[str, Callable[[], Iterator[Case]]] = {
        "snow_emotion": lambda: iter([(ratings("snow_emotion"), truth("snow_emotion"))]),
        "snow_emotion, 3 each": lambda: (
            (few(ratings("snow_emotion"), 3, s), truth("snow_emotion")) for s in range(SEEDS)
        ),
        "movie_reviews": lambda: iter([(ratings("movie_reviews"), truth("movie_reviews"))]),
        "movie_reviews, 20 % flippers": lambda: planted("movie_reviews", "flippers", 0.2),
        "movie_reviews, 20 % constant": lambda: planted("movie_reviews", "constant", 0.2),
        "movie_reviews, 5 % wild": lambda: planted("movie_reviews", "wild", 0.05),
        "movie_reviews, 30 % spammers": lambda: planted("movie_reviews", "spammers", 0.3),
        "movie_reviews, 2 heaviest spam": lambda: planted("movie_reviews", "heaviest", heavy("movie_reviews", 2)),
        "movie_reviews, the five heaviest spam": lambda: planted(
            "movie_reviews", "heaviest", heavy("movie_reviews", 5)
        ),
        "snow_emotion, 3 heaviest spam": lambda: planted("snow_emotion", "heaviest", heavy("snow_emotion", 3)),
        "live_hfr, 5 each": lambda: halves("live_hfr", 5),
        "popquorn_offensive, 5 each": lambda: halves("popquorn_offensive", 5),
        "dots, 8 each": lambda: ((few(ratings("dots"), 8, s), truth("dots")) for s in range(SEEDS)),
        "dots_ice, 8 each": lambda: ((few(ratings("dots_ice"), 8, s), truth("dots_ice")) for s in range(SEEDS)),
        "calories, 20 each": lambda: ((few(ratings("calories"), 20, s), truth("calories")) for s in range(SEEDS)),
    }
    rows = []
    for label, drawn in cases.items():
        found = {name: np.array([error(name, case) for case in drawn()]) for name in names("ratings")}
        less = found["auto-ratings"] - found["mean"]
        gain = f"{less.mean():+.3g}" + (f" ± {less.std(ddof=1) / np.sqrt(less.size):.2g}" if less.size > 1 else "")
        row = {"ratings": label, "auto - mean": gain, **{name: float(each.mean()) for name, each in found.items()}}
        rows.append(row)
        print(label, row["mean"], row["auto-ratings"], flush=True)
    write(
        "ratings",
        "Ratings: root mean squared error",
        "Against known values; for live_hfr and popquorn_offensive, which have none, against the means of the other "
        f"half of the annotators. Draws: {SEEDS}, planted ones {PLANTED}, sets as they are once; ± is a standard error "
        "over draws. Wild answers lie "
        "anywhere up to a range beyond either end. The safeguards of auto-ratings, and where it stops, were chosen "
        "in sight of these sets.",
        rows,
    )


def implied(name: str, per_annotator: int, odd: str, seed: int) -> tuple[Comparisons, np.ndarray]:
    """Comparisons that follow from two numbers of one annotator each, the sides drawn; some annotators made odd."""
    votes, known = ratings(name), truth(name)
    rng, rows = np.random.default_rng(seed), []
    here = np.array([item in known for item in votes.items.tolist()])
    for who in range(votes.n_annotators):
        own = np.flatnonzero((votes.annotator == who) & here[votes.item])
        pairs = [(a, b) for k, a in enumerate(own) for b in own[k + 1 :] if votes.item[a] != votes.item[b]]
        for k in rng.permutation(len(pairs))[:per_annotator]:
            a, b = pairs[k] if rng.random() < 0.5 else pairs[k][::-1]
            side = 2 if votes.value[a] == votes.value[b] else int(votes.value[a] < votes.value[b])
            rows.append((votes.item[a], votes.item[b], who, side))
    left, right, who, side = np.array(rows).T
    kind, share = odd.split() if odd != "clean" else ("", "0")
    theirs = np.isin(who, rng.permutation(votes.n_annotators)[: round(float(share) * votes.n_annotators)])
    if kind == "spam":
        side = np.where(theirs, rng.integers(0, 2, side.size), side)
    elif kind == "flip":
        side = np.where(theirs & (side < 2), 1 - side, side)
    elif kind == "left":
        side = np.where(theirs, 0, side)
    said = Comparisons(
        item=left, other=right, annotator=who, label=side, items=votes.items, annotators=votes.annotators,
        classes=np.array(["left", "right", "tie"], object),
    )  # fmt: skip
    return said.subset(items=votes.items[here]), np.array([known[item] for item in votes.items[here].tolist()])


def of_comparisons() -> None:
    rows = []
    for odd in ("clean", "spam 0.3", "flip 0.2", "left 0.3", "spam 0.6"):
        drawn = [implied(name, each, odd, seed) for name, each in IMPLIED for seed in range(3)]
        row: dict[str, object] = {"annotators": odd}
        for name in names("comparisons"):
            row[name] = float(
                np.mean([kendalltau(make(name).fit(said).estimate.mean, known)[0] for said, known in drawn])
            )
        rows.append(row)
        print(row, flush=True)
    write(
        "comparisons",
        "Comparisons: Kendall's tau to the true order",
        "Comparisons that follow from two numbers of one annotator: dots with 6 and 20 an annotator, dots_ice 20, "
        "calories 15; means over these and three seeds. A share of the annotators tosses a coin (spam), says the other "
        "item (flip), or always says left.",
        rows,
    )


def speed() -> None:
    rows = []
    simulated = simulate.comparisons(n_items=1000, n_annotators=1000, per_annotator=200, seed=1).comparisons
    for name in ("bradley-terry", "noisy-bt"):
        make(name).fit(simulated)  # compiled before anything is measured
    make("empirical-bayes").fit(simulate.ratings(n_items=60_000, n_annotators=1000, per_item=5, seed=1).ratings)
    for name, n in (
        ("bradley-terry", 10_000_000),
        ("crowd-bt", 1_000_000),
        ("noisy-bt", 1_000_000),
        ("slope-bt", 1_000_000),
    ):
        made = simulate.comparisons(n_items=1000, n_annotators=1000, per_annotator=n // 1000, seed=0)
        began = time.perf_counter()
        result = make(name).fit(made.comparisons)
        taken = time.perf_counter() - began
        right = float(kendalltau(result.estimate.mean, made.truth)[0])
        rows.append({"method": name, "answers": n, "seconds": taken, "tau or correlation": right})
        print(rows[-1], flush=True)
    for name, n in (("mean", 10_000_000), ("empirical-bayes", 10_000_000), ("auto-ratings", 1_000_000)):
        made = simulate.ratings(n_items=n // 5, n_annotators=1000, per_item=5, seed=0) if n <= 1_000_000 else large(n)
        method = make(name, max_iter=20, tol=1e-300) if name == "empirical-bayes" else make(name)
        began = time.perf_counter()
        result = method.fit(made.ratings)
        taken = time.perf_counter() - began
        right = float(np.corrcoef(result.estimate.mean, made.truth)[0, 1])
        rows.append({"method": name, "answers": n, "seconds": taken, "tau or correlation": right})
        print(rows[-1], flush=True)
    write(
        "numbers-speed",
        "Ratings and comparisons: seconds",
        "One run each, votes to result. Comparisons of 1,000 items by 1,000 annotators; ratings by 1,000 annotators, "
        "five an item; empirical-bayes makes 20 steps. Everything was compiled beforehand (crowdwise warm).",
        rows,
    )


def large(n: int) -> simulate.RatedItems:
    """Ratings without the table of all noise that `simulate.ratings` keeps for copies."""
    rng = np.random.default_rng(0)
    items = n // 5
    value, bias, gain = rng.normal(size=items), rng.normal(0, 0.3, 1000), rng.normal(1, 0.2, 1000)
    spread = rng.uniform(0.3, 1.2, 1000)
    item, who = np.repeat(np.arange(items), 5), rng.integers(0, 1000, n)
    said = bias[who] + gain[who] * value[item] + spread[who] * rng.normal(size=n)
    made = Ratings(item=item, annotator=who, value=said, items=np.arange(items), annotators=np.arange(1000))
    return simulate.RatedItems(made, value, bias, gain, spread)


def main() -> None:
    speed()
    if "CROWDWISE_DATA" not in os.environ:
        print("numbers: the real sets are skipped, CROWDWISE_DATA does not name a folder of data sets")
        return
    of_ratings()
    of_comparisons()


if __name__ == "__main__":
    main()
