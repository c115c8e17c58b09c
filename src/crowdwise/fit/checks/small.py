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


SMALL: dict[str, Callable[[int], Votes]] = {
    "classes": lambda seed: small_crowd(seed)[0],
    "ratings": small_ratings,
    "comparisons": small_comparisons,
    "texts": lambda seed: simulate.texts(n_items=20, n_annotators=6, per_item=4, n_words=8, seed=seed).texts,
    "spans": lambda seed: simulate.spans(n_documents=16, n_annotators=6, per_document=3, n_tokens=12, seed=seed).spans,
}
