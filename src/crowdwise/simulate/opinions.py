"""Votes that follow hidden opinions: annotators in groups, each group with an opinion of its own on every item."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..votes.codes import Array
from ..votes.crowd import Crowd


class Opinions(NamedTuple):
    """A crowd in which everybody votes on everything, the truth, each annotator's group, and the oracle's labels."""

    crowd: Crowd
    truth: Array
    group: Array
    oracle: Array


def hidden_opinions(
    n_items: int = 5000, n_annotators: int = 40, n_classes: int = 3, n_groups: int = 5, *, seed: int = 0
) -> Opinions:
    """Opinions given classes, and votes given opinions, by full confusion matrices; groups of uneven sizes.

    The set-up of the tutorial's slide on group-aware Dawid-Skene; it gives sizes only, the matrices are ours. The
    oracle knows all of them.

    >>> made = hidden_opinions(200, 12, 3, 3, seed=0)
    >>> made.crowd, made.group.tolist()
    (Crowd(2,400 votes, 200 items, 12 annotators, 3 classes), [0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2])
    """
    rng = np.random.default_rng(seed)
    several = rng.choice(n_groups, n_annotators - 2 * n_groups, p=rng.dirichlet(np.full(n_groups, 1.5)))
    group = np.sort(np.concatenate([np.repeat(np.arange(n_groups), 2), several]))
    opinion, vote = _matrices(rng, 0.5, 0.8, n_groups, n_classes), _matrices(rng, 0.5, 0.85, n_annotators, n_classes)
    prior = rng.dirichlet(np.full(n_classes, 10.0))

    def drawn(chance: Array) -> Array:
        return np.asarray((rng.random(chance.shape[:-1])[..., None] > chance.cumsum(axis=-1)[..., :-1]).sum(axis=-1))

    truth = rng.choice(n_classes, n_items, p=prior)
    held = np.stack([drawn(opinion[g][truth]) for g in range(n_groups)], axis=1)
    votes = np.stack([drawn(vote[j][held[:, group[j]]]) for j in range(n_annotators)], axis=1)
    log = np.tile(np.log(prior), (n_items, 1))
    for g in range(n_groups):
        said = sum((np.log(vote[j][:, votes[:, j]]).T for j in np.flatnonzero(group == g)), np.zeros(1))
        log += np.log(np.exp(said) @ opinion[g].T)
    return Opinions(Crowd.from_matrix(votes), truth, group, log.argmax(axis=1))


def _matrices(rng: np.random.Generator, low: float, high: float, n: int, n_classes: int) -> Array:
    """Confusion matrices with diagonals between low and high, errors as they come."""
    diagonal = rng.uniform(low, high, (n, n_classes))
    errors = rng.dirichlet(np.ones(n_classes - 1), (n, n_classes)) * (1.0 - diagonal)[:, :, None]
    out = np.empty((n, n_classes, n_classes))
    for k in range(n_classes):
        out[:, k, k], out[:, k, np.arange(n_classes) != k] = diagonal[:, k], errors[:, k]
    return out
