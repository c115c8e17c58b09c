"""Small votes of each kind, of all sorts of annotators: what promises are checked on. A new kind adds one function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import simulate
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from ...votes.crowd import Crowd
from ...votes.ratings import Ratings
from ...votes.similarities import Groupings
from ...votes.votes import Votes


def small_crowd(seed: int = 0, weighted: bool = False, **options: Any) -> tuple[Crowd, Array]:
    """A small crowd, and the true class codes."""
    people = (
        simulate.one_coin(14, 3, np.linspace(0.5, 0.95, 14))
        + simulate.class_biased(4, 3)
        + simulate.spammers(3, 3)
        + simulate.adversaries(1, 3)
    )
    made = simulate.crowd(people, **{"n_items": 240, "per_item": 5, "seed": seed, **options})
    weight = np.random.default_rng(seed).uniform(0.2, 2.0, made.crowd.n_votes) if weighted else None
    return made.crowd.with_weight(weight), made.truth


def small_ratings(seed: int = 0) -> Ratings:
    """Eighty items rated four times each by twelve annotators with biases and spreads of their own."""
    rng = np.random.default_rng(seed)
    value, bias, spread = rng.normal(3.0, 1.0, 80), rng.normal(0.0, 0.5, 12), rng.uniform(0.2, 1.5, 12)
    item = np.repeat(np.arange(80), 4)
    annotator = np.concatenate([rng.permutation(12)[:4] for _ in range(80)])
    said = value[item] + bias[annotator] + spread[annotator] * rng.normal(size=item.size)
    return Ratings.from_columns(item, annotator, said)


def small_comparisons(seed: int = 0) -> Comparisons:
    """Fifteen items compared 300 times by six annotators."""
    rng = np.random.default_rng(seed)
    score = rng.normal(0.0, 1.5, 15)
    pair = np.array([rng.permutation(15)[:2] for _ in range(300)])
    chance = 1.0 / (1.0 + np.exp(score[pair[:, 1]] - score[pair[:, 0]]))
    label = np.where(rng.random(300) < 0.1, "tie", np.where(rng.random(300) < chance, "left", "right"))
    return Comparisons.from_columns(pair[:, 0], pair[:, 1], rng.integers(6, size=300), label.tolist())


def small_groupings(seed: int = 0) -> Groupings:
    """Thirty items of three clusters, which six annotators put onto piles with names of their own."""
    rng = np.random.default_rng(seed)
    item, who = np.divmod(np.arange(180), 6)
    seen = np.where(rng.random(180) < 0.8, item % 3, rng.integers(3, size=180))
    piles = [f"{one}-{pile}" for one, pile in zip(who.tolist(), ((seen + who) % 3).tolist(), strict=True)]
    return Groupings.from_columns(item, who, piles)


SMALL: dict[str, Callable[[int], Votes]] = {
    "classes": lambda seed: small_crowd(seed)[0],
    "ratings": small_ratings,
    "comparisons": small_comparisons,
    "label-sets": lambda seed: simulate.label_sets(n_items=40, n_annotators=6, per_item=4, seed=seed).sets,
    "similarities": lambda seed: (
        simulate.similarities(n_items=30, n_annotators=6, n_votes=400, n_clusters=3, seed=seed).similarities
    ),
    "groupings": small_groupings,
    "boxes": lambda seed: simulate.boxes(n_items=20, n_annotators=6, per_item=4, seed=seed).boxes,
    "masks": lambda seed: simulate.masks(n_items=6, n_annotators=5, per_item=4, size=12, seed=seed).masks,
    "texts": lambda seed: simulate.texts(n_items=20, n_annotators=6, per_item=4, n_words=8, seed=seed).texts,
    "spans": lambda seed: simulate.spans(n_documents=16, n_annotators=6, per_document=3, n_tokens=12, seed=seed).spans,
}
