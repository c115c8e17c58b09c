"""Dirichlet priors of confusion rows learned from the counts of many annotators: Minka's fixed point, made to climb."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....engine.special import digamma
from ....votes.codes import Array
from .dirichlet import log_beta, row_sums


def evidence(counts: Array, pseudo: Array) -> Array:
    """Log chance of each annotator's counts (annotators, true, given) under rows Dirichlet(pseudo), rows summed out."""
    return (log_beta(counts + pseudo) - log_beta(pseudo)).sum(axis=1)


def gains(counts: Array, pseudo: Array, weight: Array | None = None) -> tuple[Array, Array]:
    """Above and below the line of Minka's step: for each entry (true, given), and for each row.

    An entry's step is pseudo x gain / cost; entries that share a number add up their gains and costs.
    """
    weight = np.ones(len(counts)) if weight is None else weight
    total = pseudo.sum(axis=1)
    gain = np.tensordot(weight, digamma(counts + pseudo) - digamma(pseudo), axes=1)
    return gain, weight @ (digamma(row_sums(counts) + total) - digamma(total))


def pooled(counts: Array, pseudo: Array, usual: Array, strength: float) -> Array:
    """A step towards the crowd's mean confusion times a strength: Minka's for the strength, from one wide prior on it.

    usual: counts (true, given) that the crowd's have beside them. The prior on the strength is Gamma(2, 1 / strength):
    away from zero, and highest at `strength`.
    """
    gain, cost = gains(counts, pseudo)
    mean = counts.sum(axis=0) + usual
    mean /= mean.sum(axis=1, keepdims=True)
    return np.asarray(mean * (((pseudo * gain).sum() + 1.0) / (cost.sum() + 1.0 / strength)))


def log_hyper(number: Array, start: Array) -> float:
    """Log of Gamma(2, 1 / start) over all numbers, but for a constant: wide, away from zero, highest at `start`."""
    return float((np.log(number) - number / start).sum())


def climb(objective: Callable[[Array], float], pseudo: Array, proposed: Array) -> Array:
    """The proposal, or a point on the way to it (in logarithms) where the objective is no lower than it is here."""
    step, before = np.log(proposed / pseudo), objective(pseudo)
    for _ in range(8):
        if objective(pseudo * np.exp(step)) >= before:
            return np.asarray(pseudo * np.exp(step))
        step = step / 2.0
    return pseudo
