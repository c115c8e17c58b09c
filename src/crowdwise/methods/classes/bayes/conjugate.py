"""What expected counts of an annotator's votes make of a prior on their confusion matrix.

Each kind of prior answers alike, for counts (annotators, true, given): `evidence`, the log of the mean of
exp(counts x log A) over the prior; `mean_log`, E log A; `moments`, mean and variance of A.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ....votes.codes import Array
from .dirichlet import log_beta, mean_log


class Component(ABC):
    """One kind of prior."""

    @abstractmethod
    def evidence(self, counts: Array) -> Array:
        """(annotators,)."""

    @abstractmethod
    def mean_log(self, counts: Array) -> Array:
        """(annotators, true, given)."""

    @abstractmethod
    def moments(self, counts: Array) -> tuple[Array, Array]:
        """Two (annotators, true, given)."""


@dataclass(frozen=True)
class Rows(Component):
    """Dirichlet rows; votes: (true, given)."""

    votes: Array

    def evidence(self, counts: Array) -> Array:
        return (log_beta(counts + self.votes) - log_beta(self.votes)).sum(axis=1)

    def mean_log(self, counts: Array) -> Array:
        return mean_log(counts + self.votes)

    def moments(self, counts: Array) -> tuple[Array, Array]:
        return _dirichlet_moments(counts + self.votes)


@dataclass(frozen=True)
class Coins(Component):
    """Accuracies, Beta(right, wrong), one for each class or one for all; an error is any other class alike."""

    right: float
    wrong: float
    by_class: bool

    def evidence(self, counts: Array) -> Array:
        cells, pseudo = self._cells(counts), np.array([self.right, self.wrong])
        errors = cells[:, :, 1].sum(axis=1) * np.log(max(counts.shape[2] - 1, 1))
        return (log_beta(cells + pseudo) - log_beta(pseudo)).sum(axis=1) - errors

    def mean_log(self, counts: Array) -> Array:
        n_classes = counts.shape[2]
        mean = mean_log(self._cells(counts) + np.array([self.right, self.wrong]))
        return _spread(mean[:, :, 0], mean[:, :, 1] - np.log(max(n_classes - 1, 1)), n_classes)

    def moments(self, counts: Array) -> tuple[Array, Array]:
        n_classes = counts.shape[2]
        mean, variance = _dirichlet_moments(self._cells(counts) + np.array([self.right, self.wrong]))
        others = max(n_classes - 1, 1)
        return (
            _spread(mean[:, :, 0], mean[:, :, 1] / others, n_classes),
            _spread(variance[:, :, 0], variance[:, :, 1] / others**2, n_classes),
        )

    def _cells(self, counts: Array) -> Array:
        """Counts of right and wrong, (annotators, 1 or true, 2)."""
        right, met = np.einsum("jkk->jk", counts), counts.sum(axis=2)
        both = np.stack([right, np.maximum(met - right, 0.0)], axis=2)
        return both if self.by_class else both.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Samples(Component):
    """Matrices that are as likely as each other, (samples, true, given)."""

    chance: Array

    def evidence(self, counts: Array) -> Array:
        log = np.tensordot(counts, np.log(self.chance), axes=([1, 2], [1, 2]))
        high = log.max(axis=1)
        return high + np.log(np.exp(log - high[:, None]).mean(axis=1))

    def mean_log(self, counts: Array) -> Array:
        return np.tensordot(self._member(counts), np.log(self.chance), axes=1)

    def moments(self, counts: Array) -> tuple[Array, Array]:
        member = self._member(counts)
        mean = np.tensordot(member, self.chance, axes=1)
        return mean, np.maximum(np.tensordot(member, self.chance**2, axes=1) - mean**2, 0.0)

    def _member(self, counts: Array) -> Array:
        return over_points(counts, np.zeros(len(self.chance)), np.log(self.chance))


def over_points(counts: Array, log_weight: Array, log_chance: Array) -> Array:
    """How much of each annotator is at each point, (annotators, points), given the expected counts of their votes."""
    log_member = log_weight + np.tensordot(counts, log_chance, axes=([1, 2], [1, 2]))
    member = np.exp(log_member - log_member.max(axis=1, keepdims=True))
    return np.asarray(member / member.sum(axis=1, keepdims=True))


def _dirichlet_moments(votes: Array) -> tuple[Array, Array]:
    total = votes.sum(axis=2, keepdims=True)
    mean = votes / total
    return mean, mean * (1.0 - mean) / (total + 1.0)


def _spread(on: Array, off: Array, n_classes: int) -> Array:
    """Matrices of a number on the diagonal and one off it, (annotators, 1 or true) each."""
    shape = (len(on), n_classes, n_classes)
    return np.where(np.eye(n_classes, dtype=bool), np.broadcast_to(on[:, :, None], shape), off[:, :, None])
