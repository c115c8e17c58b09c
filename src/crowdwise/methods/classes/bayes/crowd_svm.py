"""CrowdSVM: Bayesian Dawid-Skene and max-margin voting in one posterior, by Gibbs sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....fit.params import Axes, Params
from ....votes.codes import Array
from .gibbs import Gibbs


@dataclass(frozen=True, kw_only=True)
class CrowdSVM(Gibbs):
    r"""Gibbs-CrowdSVM: confusion matrices must explain the votes, and a weighted vote must win by a margin.

    The likelihood of `Gibbs` times a pseudo-likelihood :math:`\exp(-2 c [\zeta_i]_+)`, where
    :math:`\zeta_i = \ell - \eta^T (g_i(z_i) - g_i(s_i))`, :math:`g_i(k)_j = 1[l_{ij} = k]` and :math:`s_i` is the best
    scoring class but :math:`z_i`; weights :math:`\eta \sim N(1, v)`. The hinge is a scale mixture of Gaussians, so that
    beside what `Gibbs` draws

    .. math::
        \lambda_i^{-1} \sim IG\left(\frac{1}{c |\zeta_i|}, 1\right), \qquad
        \eta \sim N(\Sigma b, \Sigma), \quad
        \Sigma^{-1} = \tfrac{1}{v} I + c^2 \sum_i \lambda_i^{-1} \Delta_i \Delta_i^T, \quad
        b = \tfrac{1}{v} 1 + c \sum_i (1 + c \ell \lambda_i^{-1}) \Delta_i

    with :math:`\Delta_i = g_i(z_i) - g_i(s_i)`. O(chains x (votes x classes + annotators^3)) a sweep (items^3, if they
    are fewer): up to a few thousand annotators. Use it where a few prolific annotators are much better than the rest.

    cost, margin, variance: c, :math:`\ell` and v. The other parameters are those of `Gibbs`.

    Reference: Tian & Zhu, NIPS 2015, section 5; the mixture of Polson & Scott 2011.

    >>> from crowdwise import CrowdSVM, simulate
    >>> people = simulate.one_coin(8, 2, 0.8) + simulate.spammers(4, 2)
    >>> made = simulate.crowd(people, n_items=100, per_item=8, seed=0)
    >>> skill = CrowdSVM(draws=20).fit(made.crowd).params["skill_draws"].mean(axis=0)
    >>> bool(skill[:8].mean() > skill[8:].mean())
    True
    """

    name: ClassVar[str] = "crowd-svm"
    params: ClassVar[Mapping[str, Axes]] = {
        "skill_draws": Axes(("draw", "annotator"), "real"),
    }
    chains: int = 2
    cost: float = 0.25
    margin: float = 3.0
    variance: float = 1.0

    def begin_beside(self, ops: NumpyEngine) -> Params:
        return {"skill_draws": np.ones((self.chains, ops.n_annotators))}

    def draw_beside(
        self, ops: NumpyEngine, rng: np.random.Generator, z: Array, beside: Params
    ) -> tuple[Params, Array | float]:
        skills, says = [], []
        for last, drawn in zip(beside["skill_draws"], z.argmax(axis=2).T, strict=True):
            short, rival = self._short(ops, last)
            own = np.arange(ops.n_items), drawn
            # 1 / lambda; its mean is capped, because a draw of a huge mean is mostly rounding
            scale = rng.wald(1.0 / np.maximum(self.cost * np.abs(short[own]), 1e-3), 1.0)
            # To six digits: the chain doubles a difference every few sweeps, and so would double that of two roundings.
            skill = self._draw_skill(ops, rng, drawn, rival[own], scale).round(6)
            short, _ = self._short(ops, skill)
            says.append(-0.5 * scale[:, None] * (1.0 / scale[:, None] + self.cost * short) ** 2)
            skills.append(skill)
        return {"skill_draws": np.stack(skills)}, np.stack(says, axis=1)

    def log_beside(self, ops: NumpyEngine, params: Params, draw: int) -> Array | float:
        return -2.0 * self.cost * np.maximum(self._short(ops, params["skill_draws"][draw])[0], 0.0)

    def _short(self, ops: NumpyEngine, skill: Array) -> tuple[Array, Array]:
        """How far each class of each item is from winning by the margin, and the class it has to beat."""
        scores = ops.item_votes(skill[ops.annotator])
        order = np.argsort(-scores, axis=1, kind="stable")[:, :2]
        best, second = order[:, :1], order[:, -1:]
        rival = np.where(np.arange(ops.n_classes) == best, second, best)  # (items, true)
        return self.margin - scores + np.take_along_axis(scores, rival, axis=1), rival

    def _draw_skill(
        self, ops: NumpyEngine, rng: np.random.Generator, drawn: Array, rival: Array, scale: Array
    ) -> Array:
        from scipy.sparse import csr_array

        label = ops.label
        sign = (label == drawn[ops.item]).astype(float) - (label == rival[ops.item])
        sign = sign if ops.weight is None else sign * ops.weight
        shape = (ops.n_items, ops.n_annotators)
        delta = csr_array((sign, (ops.item.astype(np.int64), ops.annotator.astype(np.int64))), shape=shape)
        # Rows in which the margins are a regression with unit noise: root (wanted - rows eta).
        root = self.cost * np.sqrt(scale)
        wanted = 1.0 / np.sqrt(scale) + root * self.margin - root * delta.sum(axis=1)  # what eta = 1 leaves
        rows = (delta * root[:, None]).tocsr()
        return 1.0 + _regression_draw(rng, rows, wanted, self.variance)

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return super().floats_needed(n_items, n_annotators, n_classes) + 4 * min(n_items, n_annotators) ** 2


def _regression_draw(rng: np.random.Generator, rows: Any, wanted: Array, variance: float) -> Array:
    """A draw of eta where wanted ~ N(rows eta, I) and eta ~ N(0, variance): the smaller of two systems is solved."""
    from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

    n, p = rows.shape
    if p <= n:
        root = cholesky((rows.T @ rows).toarray() + np.eye(p) / variance, lower=True)
        mean = solve_triangular(root, rows.T @ wanted, lower=True) + rng.standard_normal(p)
        return np.asarray(solve_triangular(root, mean, lower=True, trans="T"))
    # Bhattacharya, Chakraborty & Mallick 2016: a draw of the prior, corrected where the rows look.
    prior = np.sqrt(variance) * rng.standard_normal(p)
    gap = wanted - rows @ prior - rng.standard_normal(n)
    return np.asarray(
        prior + variance * rows.T @ cho_solve(cho_factor((variance * rows @ rows.T).toarray() + np.eye(n)), gap)
    )
