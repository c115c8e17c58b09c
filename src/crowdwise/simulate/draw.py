"""Votes drawn from a population: who labels what, and what they say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, OptionError
from ..votes.codes import Array, names_array
from ..votes.crowd import Crowd
from ..votes.keyed import keyed_uniform
from .assignment import GRAPHS, dense_graph
from .populations import Annotators


class Simulation(NamedTuple):
    """A crowd, the truth behind it (class names, in the order of the items) and the annotators who voted.

    `confusion` is how they really vote: followers as their leaders, everybody as guessing as items are difficult.
    """

    crowd: Crowd
    truth: Array
    confusion: Array
    kind: Array


def crowd(
    annotators: Annotators,
    *,
    n_items: int | None = None,
    truth: Any = None,
    class_prior: Any = None,
    per_item: int = 5,
    graph: str = "random",
    difficulty: Any = None,
    classes: Any = None,
    seed: int = 0,
) -> Simulation:
    """Draw votes: of n_items with classes from `class_prior` (uniform), or of items whose class codes are `truth`.

    per_item, graph: how items are assigned ("random", "regular", "power-law", "dense"). difficulty: for each item, or
    for all, the chance that an annotator guesses. An opinion depends on seed, annotator and item only: a junior
    copies what the senior thinks of an item, whether or not the senior votes on it.
    """
    rng, n_classes = np.random.default_rng(seed), annotators.n_classes
    if truth is None:
        if not n_items or n_items < 1:
            raise InputError(f"n_items={n_items} must be at least 1, or truth given")
        share = np.full(n_classes, 1.0) if class_prior is None else np.asarray(class_prior, float)
        if share.shape != (n_classes,) or not (share >= 0.0).all() or not share.sum() > 0.0:
            raise InputError(f"class_prior={class_prior}: {n_classes} shares are needed")
        truth = rng.choice(n_classes, size=n_items, p=share / share.sum())
    truth = np.asarray(truth)
    n_items = truth.size
    if truth.dtype.kind not in "iu" or not n_items or not 0 <= truth.min() <= truth.max() < n_classes:
        raise InputError(f"truth must hold class codes in 0..{n_classes - 1}")
    if difficulty is not None:
        difficulty = np.broadcast_to(np.asarray(difficulty, float), n_items)
        if not ((difficulty >= 0.0) & (difficulty <= 1.0)).all():
            raise InputError("difficulty must lie between 0 and 1")
    if graph not in GRAPHS:
        raise OptionError(f"graph={graph!r}: choose {', '.join(GRAPHS)}")
    item, annotator = _assigned(annotators, n_items, per_item, graph, rng)

    def chance(stream: int, who: Array) -> Array:
        return keyed_uniform(seed * 1_000_003 + stream, who * n_items + item)

    follows = chance(1, annotator) < annotators.follow[annotator]
    speaker = np.where(follows, annotators.leader[annotator], annotator)
    ladder = np.cumsum(annotators.confusion, axis=2)
    drawn, true = chance(2, speaker), truth[item]
    label = np.zeros(item.size, np.int64)
    for k in range(n_classes - 1):
        label += drawn > ladder[speaker, true, k]
    if difficulty is not None:
        guesses = chance(3, annotator) < difficulty[item]
        label = np.where(guesses, (chance(4, annotator) * n_classes).astype(np.int64), label)
    visible = annotators.visible
    names = names_array(np.arange(n_classes) if classes is None else classes)
    votes = Crowd(
        item=item,
        annotator=np.searchsorted(visible, annotator),
        label=label,
        items=np.arange(n_items),
        annotators=np.arange(visible.size),
        classes=names,
    )
    follow = annotators.follow[:, None, None]
    shown = (1.0 - follow) * annotators.confusion + follow * annotators.confusion[annotators.leader]
    guess = 0.0 if difficulty is None else float(np.mean(difficulty))
    shown = (1.0 - guess) * shown + guess / n_classes
    return Simulation(votes, names[truth], shown[visible], annotators.kind[visible])


def with_copies(crowd: Crowd, of: int, n: int = 4, *, noise: float = 0.1, seed: Any = 0) -> Crowd:
    """The crowd with n copies of the annotator with code `of`: they vote on the same items, a share of votes random.

    Annotators are named by their codes then, and the copies come last.
    """
    rng, own = np.random.default_rng(seed), np.flatnonzero(crowd.annotator == of)
    said = [
        np.where(rng.random(own.size) < noise, rng.integers(crowd.n_classes, size=own.size), crowd.label[own])
        for _ in range(n)
    ]
    return Crowd(
        item=np.concatenate([crowd.item, *[crowd.item[own]] * n]),
        annotator=np.concatenate([crowd.annotator, crowd.n_annotators + np.repeat(np.arange(n), own.size)]),
        label=np.concatenate([crowd.label, *said]),
        items=crowd.items,
        annotators=np.arange(crowd.n_annotators + n),
        classes=crowd.classes,
    )


class Attacked(NamedTuple):
    """A crowd, which items are attacked, and the label that was agreed for each of them."""

    crowd: Crowd
    attacked: Array
    agreed: Array


def with_attack(made: Simulation, attackers: int, share: float, *, keeps: float = 0.9, seed: int = 0) -> Attacked:
    """The first so many annotators say an agreed false label on a share of the items, mostly; else what they said.

    >>> from crowdwise.simulate import one_coin
    >>> made = crowd(one_coin(9, 3, 0.8), n_items=100, per_item=4, seed=0)
    >>> found = with_attack(made, 3, 0.5)
    >>> bool((found.agreed != made.truth).all()), int(found.attacked.sum())
    (True, 44)
    """
    rng, (votes, n_classes) = np.random.default_rng(seed), (made.crowd, made.crowd.n_classes)
    there = rng.random(votes.n_items) < share
    agreed = (made.truth + rng.integers(1, n_classes, votes.n_items)) % n_classes
    lies = (votes.annotator < attackers) & there[votes.item] & (rng.random(votes.n_votes) < keeps)
    return Attacked(votes.derive(label=np.where(lies, agreed[votes.item], votes.label)), there, agreed)


def _assigned(
    annotators: Annotators, n_items: int, per_item: int, graph: str, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Who labels what: the graph among those who take part in it, and those who label everything."""
    chosen = np.flatnonzero(~annotators.hidden & ~annotators.everything)
    eager = np.flatnonzero(~annotators.hidden & annotators.everything)
    item, annotator = dense_graph(n_items, eager.size, eager.size, rng)
    annotator = eager[annotator] if eager.size else annotator
    if chosen.size:
        more_items, more = GRAPHS[graph](n_items, chosen.size, per_item, rng)
        item, annotator = np.concatenate([more_items, item]), np.concatenate([chosen[more], annotator])
    return item, annotator
