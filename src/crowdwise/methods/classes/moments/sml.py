"""SML: the spectral meta-learner, from covariances of the votes; with a third moment, also each annotator's rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ....engine import NumpyEngine
from ....fit.options import AnyNumber
from ....votes.codes import Array
from .joint_counts import joint_of
from .low_rank import HALF, completed_root
from .moment_method import busiest, busiest_codes
from .two_sided import TwoSided, Weights, answers

TRIPLES = 30  # annotators, those of most votes, whose third moments tell how unbalanced the classes are


@dataclass(frozen=True, kw_only=True)
class SML(TwoSided):
    r"""Two classes: the covariances of annotators have rank one off their diagonal.

    .. math:: \mathrm{Cov}(f_i, f_j) = (1 - b^2)(2 \pi_i - 1)(2 \pi_j - 1) = v_i v_j

    with :math:`\pi` balanced accuracies and b the classes' imbalance. v, by which votes are weighted, is fitted to the
    pairs that met, each trusted by the items it shares, the diagonal imputed; it is positive for most. Third moments
    are :math:`\alpha v_i v_j v_k`, :math:`b = -\alpha / \sqrt{4 + \alpha^2}`, and with the mean :math:`\mu` give rates

    .. math::
        P(f = 1 \mid 1) = \tfrac12 \Big(1 + \mu + v \sqrt{\tfrac{1 - b}{1 + b}}\Big), \qquad
        P(f = -1 \mid -1) = \tfrac12 \Big(1 - \mu + v \sqrt{\tfrac{1 + b}{1 - b}}\Big)

    O(pairs) a step. Needs no class shares and no starting point; sparse pairs drown it.

    rule: "linear", votes weighted by v (Parisi et al.), or "likelihood", by the logarithms of the rates (Jaffe et al.).
    core: how many annotators, those of most votes, are in pairs. max_iter, tol: of the imputation. problems: how more
    than two classes are made two, see `TwoSided`.

    Reference: Parisi, Strino, Nadler & Kluger, PNAS 111(4), 2014; Jaffe, Nadler & Kluger, AISTATS 2015.

    >>> from crowdwise import SML, simulate
    >>> made = simulate.crowd(simulate.one_coin(12, 2, 0.8), n_items=200, per_item=5, seed=0)
    >>> bool((SML().fit(made.crowd).labels == made.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "sml"
    rule: Literal["linear", "likelihood"] = "linear"
    core: int = 500
    max_iter: int = 1000
    tol: AnyNumber = 1e-9

    def weigh(self, ops: NumpyEngine, sign: Array) -> Weights:
        root, settled = self._root(ops, sign)
        if self.rule == "linear":
            return Weights(root, settled=settled)
        imbalance = _imbalance(ops, sign, np.nan_to_num(root))
        sensitivity, specificity = _rates(ops, sign, root, imbalance)
        yes, no = np.log(sensitivity / (1.0 - specificity)), np.log((1.0 - sensitivity) / specificity)
        odds = float(np.log((1.0 + imbalance) / (1.0 - imbalance)))
        return Weights((yes - no) / 2.0, (yes + no) / 2.0, odds, settled)

    def _root(self, ops: NumpyEngine, sign: Array) -> tuple[Array, bool]:
        """v of Cov = v v', NaN where it is unknown, and whether it has settled."""
        chosen = busiest_codes(ops, self.core)
        said, there = answers(ops, sign)[:, chosen], answers(ops, np.ones(sign.size))[:, chosen]
        shared = np.asarray((there.T @ there).todense())
        np.fill_diagonal(shared, 0.0)
        some = np.where(shared > 0.0, shared, 1.0)
        mean = np.asarray((said.T @ there).todense()) / some  # of i, on the items that i and j share
        covariance = np.where(shared > 0.0, np.asarray((said.T @ said).todense()) / some - mean * mean.T, 0.0)
        usual = float((covariance * shared).sum()) / max(float(shared.sum()), 1.0)
        start = np.full((chosen.size, 1), np.sqrt(max(usual, 0.01)))
        found, settled = completed_root(covariance, shared / (shared + HALF), start, self.max_iter, self.tol)
        root = np.full(ops.n_annotators, np.nan)
        root[chosen] = np.where(shared.any(axis=1), found[:, 0] * np.sign(found.sum() or 1.0), np.nan)
        return root, settled


def _imbalance(ops: NumpyEngine, sign: Array, root: Array) -> float:
    """b = P(1) - P(-1), from how third moments compare with products of v."""
    two = ops.over(ops.crowd.derive(label=(sign > 0.0).astype(np.int64), classes=np.arange(2)))
    chosen, among = busiest(two, TRIPLES)
    triples = joint_of(among, among.tuples(3))
    value = np.array([-1.0, 1.0])
    mean = [np.tensordot(triples.joint.sum(axis=tuple({1, 2, 3} - {axis})), value, axes=1) for axis in (1, 2, 3)]
    centred = [value - own[:, None] for own in mean]
    third = np.einsum("tabc,ta,tb,tc->t", triples.joint, *centred)
    product = root[chosen][triples.annotators].prod(axis=1)
    alpha = float((triples.shared * third * product).sum()) / max(float((triples.shared * product**2).sum()), 1e-12)
    return float(np.clip(-alpha / np.sqrt(4.0 + alpha**2), -0.98, 0.98))


def _rates(ops: NumpyEngine, sign: Array, root: Array, imbalance: float) -> tuple[Array, Array]:
    """Sensitivity and specificity, no more certain than the votes behind them; NaN where v is."""
    votes = ops.given.sum(axis=1)
    mean = ops.annotator_votes(sign).sum(axis=1) / np.maximum(votes, 1e-300)
    tilt, edge = np.sqrt((1.0 - imbalance) / (1.0 + imbalance)), 1.0 / (votes + 2.0)
    sensitivity, specificity = (1.0 + mean + root * tilt) / 2.0, (1.0 - mean + root / tilt) / 2.0
    return np.clip(sensitivity, edge, 1.0 - edge), np.clip(specificity, edge, 1.0 - edge)
