"""Populations of annotators: how each of them votes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InputError, OptionError
from ..votes.codes import Array


@dataclass(frozen=True, eq=False)
class Annotators:
    """A population: how each annotator votes.

    confusion: (annotators, true, given). kind: a word for each. leader: whose opinion each one follows (-1: nobody's)
    and follow: how often; a hidden annotator only leads. everything: labels all items, whatever the assignment.
    """

    confusion: Array
    kind: Array
    leader: Array
    follow: Array
    hidden: Array
    everything: Array

    @classmethod
    def make(
        cls,
        kind: str,
        confusion: Array,
        *,
        follow: float = 0.0,
        hidden: bool = False,
        everything: bool = False,
    ) -> Annotators:
        """A population of one kind."""
        rows = confusion.sum(axis=2)
        if (confusion < 0.0).any() or not np.allclose(rows, 1.0):
            raise InputError(f"{kind}: rows of the confusion matrices must be distributions")
        if not 0.0 <= follow <= 1.0:
            raise InputError(f"{kind}: the chance to follow must lie between 0 and 1, not {follow}")
        n = len(confusion)
        return cls(
            confusion=confusion,
            kind=np.full(n, kind, object),
            leader=np.full(n, -1),
            follow=np.full(n, float(follow)),
            hidden=np.full(n, hidden),
            everything=np.full(n, everything),
        )

    def __add__(self, other: Annotators) -> Annotators:
        if self.n_classes != other.n_classes:
            raise InputError(f"populations of {self.n_classes} and {other.n_classes} classes cannot be joined")
        leader = np.where(other.leader < 0, -1, other.leader + len(self.confusion))
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in self.__dataclass_fields__}
        pairs["leader"] = (self.leader, leader)
        return Annotators(**{name: np.concatenate(pair) for name, pair in pairs.items()})

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.confusion.shape[1])

    @property
    def visible(self) -> Array:
        """Codes of the annotators who vote; their order is that of the simulated crowd's annotators."""
        return np.flatnonzero(~self.hidden)


# -- populations ----------------------------------------------------------------------------------------------------


def one_coin(n: int, n_classes: int, accuracy: Any = 0.7) -> Annotators:
    """Right with one chance (a number, or one for each annotator), errors spread evenly."""
    accuracy = np.broadcast_to(np.asarray(accuracy, float), n)[:, None]
    return Annotators.make("one-coin", _by_class(accuracy * np.ones(n_classes)))


def two_coin(n: int, sensitivity: Any = 0.8, specificity: Any = 0.8) -> Annotators:
    """Two classes: right about class 1 with the sensitivity, about class 0 with the specificity."""
    right = np.stack(np.broadcast_arrays(specificity, sensitivity), axis=-1).astype(float)
    return Annotators.make("two-coin", _by_class(np.broadcast_to(right, (n, 2))))


def beta(n: int, n_classes: int, right: float = 4.0, wrong: float = 2.0, seed: int = 0) -> Annotators:
    """One-coin annotators whose accuracies are drawn from Beta(right, wrong)."""
    accuracy = np.random.default_rng(seed).beta(right, wrong, n)
    return Annotators.make("beta", one_coin(n, n_classes, accuracy).confusion)


def dirichlet(n: int, n_classes: int, diagonal: float = 4.0, rest: float = 1.0, seed: int = 0) -> Annotators:
    """Rows of confusion matrices drawn from Dirichlet distributions with so much weight on and off the diagonal."""
    weight = np.where(np.eye(n_classes, dtype=bool), diagonal, rest)
    drawn = np.random.default_rng(seed).gamma(np.broadcast_to(weight, (n, n_classes, n_classes)))
    drawn = np.maximum(drawn, 1e-300)
    return Annotators.make("dirichlet", drawn / drawn.sum(axis=2, keepdims=True))


def ordinal(n: int, n_classes: int, spread: float = 0.7, bias: float = 0.5, seed: int = 0) -> Annotators:
    """Ordered classes: errors fall off as exp(-|l - k - b| / spread), b drawn from N(0, bias) for each annotator."""
    shift = np.random.default_rng(seed).normal(0.0, bias, n)[:, None, None]
    place = np.arange(n_classes)
    chance = np.exp(-np.abs(place - place[:, None] - shift) / spread)
    return Annotators.make("ordinal", chance / chance.sum(axis=2, keepdims=True))


def hammer_spammer(n: int, n_classes: int, hammers: float = 0.5, seed: int = 0) -> Annotators:
    """Each annotator knows everything (with chance `hammers`) or guesses (Karger, Oh & Shah 2011)."""
    hammer = np.random.default_rng(seed).random(n) < hammers
    return Annotators.make("hammer-spammer", one_coin(n, n_classes, np.where(hammer, 1.0, 1.0 / n_classes)).confusion)


def spammers(n: int, n_classes: int, everything: bool = False) -> Annotators:
    """Guess evenly; with `everything` they label all items (the extreme spammers of Kim, Cho, Kim & Ok)."""
    guess = np.full((n, n_classes, n_classes), 1.0 / n_classes)
    return Annotators.make("extreme-spammer" if everything else "spammer", guess, everything=everything)


def pairwise_flippers(n: int, n_classes: int, flip: float = 0.4) -> Annotators:
    """Take each class for the next one with chance `flip` (after the pairwise flipping of Tanno et al. 2019,
    whose annotators draw their targets)."""
    matrix = (1.0 - flip) * np.eye(n_classes) + flip * np.roll(np.eye(n_classes), 1, axis=1)
    return Annotators.make("pairwise-flipper", _copies(matrix, n))


def class_experts(n: int, n_classes: int, known: float = 0.95, other: float = 0.4) -> Annotators:
    """Annotator j knows class j mod K well and the others badly."""
    expert = np.arange(n)[:, None] % n_classes == np.arange(n_classes)
    return Annotators.make("class-expert", _by_class(np.where(expert, known, other)))


def specialists(n: int, n_classes: int, other: float = 0.5) -> Annotators:
    """Annotator j says class j mod K where it is true and nowhere else; right about the others with chance `other`."""
    own = np.arange(n)[:, None] % n_classes == np.arange(n_classes)
    confusion = _by_class(np.where(own, 1.0, other))
    confusion = np.where(own[:, None, :] & ~own[:, :, None], 0.0, confusion)
    return Annotators.make("specialist", confusion / confusion.sum(axis=2, keepdims=True))


def class_biased(n: int, n_classes: int, accuracy: float = 0.8, bias: float = 0.4) -> Annotators:
    """One-coin annotators who say class j mod K, whatever is true, with chance `bias`."""
    favourite = np.eye(n_classes)[np.arange(n) % n_classes][:, None, :]
    honest = one_coin(n, n_classes, accuracy).confusion
    return Annotators.make("class-biased", (1.0 - bias) * honest + bias * favourite)


def one_class(n: int, n_classes: int) -> Annotators:
    """Always say class j mod K."""
    favourite = np.eye(n_classes)[np.arange(n) % n_classes][:, None, :]
    return Annotators.make("one-class", np.repeat(favourite, n_classes, axis=1))


def adversaries(n: int, n_classes: int, accuracy: float = 0.9) -> Annotators:
    """Know the truth with that accuracy and say the next class instead: permuted classes."""
    honest = one_coin(n, n_classes, accuracy).confusion
    return Annotators.make("adversary", np.roll(honest, 1, axis=2))


def copying_juniors(n: int, n_classes: int, seniors: int = 1, accuracy: float = 0.8, follow: float = 1.0) -> Annotators:
    """Seniors of that accuracy, and n juniors who copy one of them with chance `follow` and guess otherwise."""
    masters = Annotators.make("senior", one_coin(seniors, n_classes, accuracy).confusion)
    return _led(masters, "junior", spammers(n, n_classes).confusion, np.arange(n) % seniors, follow)


def colluders(n: int, n_classes: int, p_corr: float = 0.9, accuracy: float = 0.7, plot: str = "next") -> Annotators:
    """Agree with chance `p_corr` on one common false answer an item; otherwise one-coin annotators.

    plot: the false answer is the "next" class, always, or "any" other one, drawn for each item.
    """
    plots = {"next": adversaries(1, n_classes, accuracy=1.0), "any": one_coin(1, n_classes, accuracy=0.0)}
    if plot not in plots:
        raise InputError(f"plot={plot!r}: choose next or any")
    agreed = Annotators.make("plot", plots[plot].confusion, hidden=True)
    return _led(agreed, "colluder", one_coin(n, n_classes, accuracy).confusion, np.zeros(n, np.int64), p_corr)


def correlated_group(
    n: int, n_classes: int, accuracy: float = 0.7, follow: float = 0.8, own: float | None = None
) -> Annotators:
    """Share one hidden opinion of that accuracy, and have their own otherwise (as accurate, unless `own` says)."""
    opinion = Annotators.make("opinion", one_coin(1, n_classes, accuracy).confusion, hidden=True)
    members = one_coin(n, n_classes, accuracy if own is None else own).confusion
    return _led(opinion, "group", members, np.zeros(n, np.int64), follow)


KINDS: dict[str, Callable[[int, int, int], Annotators]] = {
    "one-coin": lambda n, k, seed: one_coin(n, k, np.random.default_rng(seed).uniform(0.55, 0.95, n)),
    "beta": lambda n, k, seed: beta(n, k, seed=seed),
    "dirichlet": lambda n, k, seed: dirichlet(n, k, seed=seed),
    "ordinal": lambda n, k, seed: ordinal(n, k, seed=seed),
    "hammer-spammer": lambda n, k, seed: hammer_spammer(n, k, seed=seed),
    "spammer": lambda n, k, _: spammers(n, k),
    "extreme-spammer": lambda n, k, _: spammers(n, k, everything=True),
    "pairwise-flipper": lambda n, k, _: pairwise_flippers(n, k),
    "class-expert": lambda n, k, _: class_experts(n, k),
    "specialist": lambda n, k, _: specialists(n, k),
    "class-biased": lambda n, k, _: class_biased(n, k),
    "one-class": lambda n, k, _: one_class(n, k),
    "adversary": lambda n, k, _: adversaries(n, k),
    "junior": lambda n, k, _: copying_juniors(n, k),
    "colluder": lambda n, k, _: colluders(n, k),
    "group": lambda n, k, _: correlated_group(n, k),
}


def parse(text: str, n_classes: int, seed: int = 0) -> Annotators:
    """A population from "one-coin=20,spammer=5": how many of which kind, each with its usual settings.

    >>> len(parse("one-coin=3,spammer=2", n_classes=4).visible)
    5
    """
    people = None
    for place, part in enumerate(text.split(",")):
        kind, _, number = part.strip().partition("=")
        if kind not in KINDS:
            raise OptionError(f"people: {kind!r} is unknown; choose {', '.join(KINDS)}")
        if not number.isdecimal() or not int(number):
            raise OptionError(f"people: write {kind}=5, not {part.strip()!r}")
        some = KINDS[kind](int(number), n_classes, seed + 7919 * place)
        people = some if people is None else people + some
    assert people is not None
    return people


def _led(leaders: Annotators, kind: str, confusion: Array, leader: Array, follow: float) -> Annotators:
    """Leaders, and behind them the followers of each."""
    joined = leaders + Annotators.make(kind, confusion, follow=follow)
    return replace(joined, leader=np.concatenate([leaders.leader, leader]))


def _by_class(accuracy: Array) -> Array:
    """(annotators, true) accuracies as confusion matrices with evenly spread errors."""
    n_classes = accuracy.shape[1]
    wrong = (1.0 - accuracy) / max(n_classes - 1, 1)
    return np.where(np.eye(n_classes, dtype=bool), accuracy[:, :, None], wrong[:, :, None])


def _copies(matrix: Array, n: int) -> Array:
    return np.repeat(matrix[None], n, axis=0)
