"""GLAD: annotators of different ability on items of different difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....fit.forms import TableEM
from ....fit.params import Axes, Params
from ....fit.structure import ClassShares
from ....votes.codes import Array
from ....votes.known import Known

ABILITY_STEPS = 5  # of the bound, each of which climbs, in one M-step


@dataclass(frozen=True)
class Levels(ClassShares):
    """Shares of the classes; those of the levels of ease within a class are known."""

    log_levels: tuple[float, ...] = ()

    def estimate(self, sums: Params, params: Params) -> Params:
        by_class = sums["states"].reshape(-1, len(self.log_levels)).sum(axis=1)
        return super().estimate({"states": by_class}, params)

    def log_shares(self, params: Params) -> Array:
        return (super().log_shares(params)[:, None] + self.log_levels).ravel()


@dataclass(frozen=True, kw_only=True)
class GLAD(TableEM):
    r"""Generative model of labels, abilities and difficulties: able annotators err on hard items only.

    Annotator :math:`j` of ability :math:`a_j \sim N(1, 1)` names the class of item :math:`i` with probability

    .. math:: P(l_{ij} = z_i) = \sigma(a_j b_i), \qquad \log b_i \sim N(1, 1)

    and each other class with :math:`(1 - \sigma(a_j b_i)) / (K - 1)`; a negative ability is an adversary's. The ease
    :math:`b_i` is summed out over Gauss-Hermite nodes, hidden states of the item beside its class, where the paper
    climbs it: an item has few votes, and no best ease to speak of. Abilities take steps of the Jaakkola-Jordan bound,
    which never fall. O(votes x classes x levels) a step. Use it where items differ more than annotators do;
    class-biased annotators break it. `params["difficulty"]` holds the posterior mean of :math:`-\log b_i`.

    levels: nodes of the ease. class_prior: "uniform", as published; learned, it often runs away with one class. The
    other parameters are those of every EM.

    Reference: Whitehill, Ruvolo, Wu, Bergsma & Movellan, NIPS 2009, section 2; the bound of Jaakkola & Jordan 2000.

    >>> from crowdwise import GLAD, simulate
    >>> people = simulate.one_coin(8, 2, 0.85) + simulate.adversaries(2, 2)
    >>> result = GLAD().fit(simulate.crowd(people, n_items=200, per_item=6, seed=0).crowd)
    >>> bool(result.params["ability"][:8].min() > 0.0 > result.params["ability"][8:].max())
    True
    """

    name: ClassVar[str] = "glad"
    params: ClassVar[Mapping[str, Axes]] = {
        "ability": Axes(("annotator",), "real"),
        "difficulty": Axes(("item",), "real"),
    }
    levels: int = 7
    accelerate: bool = True
    class_prior: str | tuple[float, ...] = "uniform"

    @property
    def states_per_class(self) -> int:
        return self.levels

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        return {"ability": np.ones(n_annotators)}

    def split(self, posterior: Array, run: int, key: Array) -> Array:
        weight = np.exp(nodes(self.levels)[1])
        return (super().split(posterior, run, key)[:, :, None] * weight).reshape(len(posterior), -1)

    def log_table(self, params: Params) -> Array:
        x = params["ability"][:, None] * np.exp(nodes(self.levels)[0])  # (annotators, levels)
        n_classes = len(params["prior"])
        hit = np.eye(n_classes, dtype=bool)[None, :, None, :]
        right, wrong = _log_sigmoid(x), _log_sigmoid(-x) - np.log(max(n_classes - 1, 1))
        table = np.where(hit, right[:, None, :, None], wrong[:, None, :, None])  # (annotators, true, levels, given)
        return table.reshape(len(x), -1, n_classes)

    def estimate(self, statistics: Params, params: Params) -> Params:
        n_classes = statistics["counts"].shape[2]
        counts = statistics["counts"].reshape(-1, n_classes, self.levels, n_classes)
        right, met = np.einsum("jkgk->jg", counts), counts.sum(axis=(1, 3))
        ease, ability = np.exp(nodes(self.levels)[0]), params["ability"]
        pull = ((right - met / 2.0) * ease).sum(axis=1)
        for _ in range(ABILITY_STEPS):
            x = np.maximum(np.abs(ability[:, None] * ease), 1e-6)
            bend = np.tanh(x / 2.0) / (2.0 * x)
            ability = (pull + 1.0) / ((met * bend * ease**2).sum(axis=1) + 1.0)
        return {"ability": ability}

    @property
    def independent(self) -> Levels:
        return Levels(self.class_prior, self.class_smoothing, tuple(nodes(self.levels)[1]))

    def log_prior(self, params: Params) -> float:
        return float(-0.5 * ((params["ability"] - 1.0) ** 2).sum())

    def local(self, ops: NumpyEngine, params: Params, known: Known | None) -> Params:
        by_level = self.posterior(ops, params, known).reshape(ops.n_items, -1, self.levels).sum(axis=1)
        return {"difficulty": -(by_level * nodes(self.levels)[0]).sum(axis=1)}


@cache
def nodes(levels: int) -> tuple[Array, Array]:
    """Log ease and log weight of each level: Gauss-Hermite for N(1, 1)."""
    node, weight = np.polynomial.hermite_e.hermegauss(levels)
    return 1.0 + node, np.log(weight / weight.sum())


def _log_sigmoid(x: Array) -> Array:
    return -np.logaddexp(0.0, -x)
