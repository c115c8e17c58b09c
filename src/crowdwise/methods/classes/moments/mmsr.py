"""M-MSR: skills from agreements of pairs, of which some may lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.options import AnyNumber, AtMostHalf
from ....votes.codes import Array
from .one_coin_moments import Agreements, OneCoinMoments


@dataclass(frozen=True, kw_only=True)
class MMSR(OneCoinMoments):
    r"""One accuracy for each annotator under adversaries: every skill is a trimmed mean of what partners say of it.

    With :math:`|C_{ij}| \approx u_i v_j` (`OneCoinMoments`), in turn

    .. math:: v_j = \operatorname{mean}_i \operatorname{trim}_{F_j}(|C_{ij}| / u_i), \qquad u_i \text{ likewise}

    where trim leaves out, of the values above the last :math:`v_j`, the :math:`F_j` largest, and of those below it the
    :math:`F_j` smallest. Signs: everybody is taken to be better than chance until what partners say, by the items they
    share, speaks against it (the paper colours the graph of signs). O(pairs that met x log) a step. Use it where a
    minority colludes or attacks; honest crowds lose a little by it.

    corrupted: share of an annotator's partners that may be, .5 at most, so that
    :math:`F_j = \lfloor share \cdot n_j \rfloor - 1`; the paper has the least n of all for every j. max_iter, tol: stop
    after so many rounds, or when no skill changes by more. core: see `OneCoinMoments`.

    Reference: Ma & Olshevsky, Adversarial Crowdsourcing Through Robust Rank-One Matrix Completion, NeurIPS 2020,
    algorithm 1.

    >>> from crowdwise import MMSR, simulate
    >>> people = simulate.one_coin(14, 2, 0.8) + simulate.colluders(6, 2)
    >>> made = simulate.crowd(people, n_items=500, graph="dense", seed=0)
    >>> bool((MMSR().fit(made.crowd).labels == made.truth).mean() > 0.95)
    True
    """

    name: ClassVar[str] = "mmsr"
    corrupted: AtMostHalf = 0.5
    max_iter: int = 100
    tol: AnyNumber = 1e-6

    def skills(self, pairs: Agreements, n_classes: int) -> tuple[Array, bool]:
        source, target, product, _ = pairs.both_ways()
        order = np.argsort(target, kind="stable")
        source, target, size = source[order], target[order], np.abs(product[order])
        partners = np.bincount(target, minlength=pairs.n)
        most = np.maximum(np.floor(self.corrupted * partners).astype(int) - 1, 0)
        left = right = np.full(pairs.n, 0.5)
        for _ in range(self.max_iter):
            before = right
            right = _trimmed(size / left[source], target, partners, most, right)
            left = _trimmed(size / right[source], target, partners, most, left)
            if np.abs(right - before).max(initial=0.0) <= self.tol:
                break
        skill = np.sqrt(left * right)
        settled = bool(np.abs(right - before).max(initial=0.0) <= self.tol)
        return skill * _signs(pairs, skill), settled


def _trimmed(value: Array, target: Array, partners: Array, most: Array, now: Array) -> Array:
    """Mean of each target's values without up to `most` of the largest above `now` and of the smallest below it."""
    order = np.argsort(target + value / (1.0 + value.max(initial=0.0)))  # by target, then by value
    value, centre = value[order], now[target]
    begin = np.cumsum(partners) - partners
    rank = np.arange(value.size) - begin[target]
    too_low = (value < centre) & (rank < most[target])
    too_high = (value > centre) & (rank >= (partners - most)[target])
    kept = ~(too_low | too_high)
    number = np.bincount(target, kept, partners.size)
    mean = np.bincount(target, value * kept, partners.size) / np.maximum(number, 1.0)
    return np.clip(np.where(number > 0.0, mean, now), 1e-3, 1e3)


def _signs(pairs: Agreements, skill: Array, rounds: int = 50) -> Array:
    """Who is better than chance and who worse: everybody better, until what partners say of them speaks against it."""
    source, target, product, shared = pairs.both_ways()
    weight = shared * skill[source]
    certain = np.maximum(np.bincount(target, weight, pairs.n), 1e-300)
    sign = np.ones(pairs.n)
    for _ in range(rounds):
        heard = np.bincount(target, weight * np.sign(product) * sign[source], pairs.n) / certain
        sign = np.where(np.bincount(target, minlength=pairs.n) > 0, (sign + heard) / 2.0, 1.0)
    return np.where(sign < 0.0, -1.0, 1.0)
