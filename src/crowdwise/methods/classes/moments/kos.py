"""KOS: messages between items and annotators, or the singular vector that they end in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ....engine import NumpyEngine
from ....votes.codes import Array
from ....votes.keyed import keyed_uniform
from .two_sided import TwoSided, Weights, answers, leading


@dataclass(frozen=True, kw_only=True)
class KOS(TwoSided):
    r"""Two classes: Karger, Oh and Shah's messages between items i and annotators j,

    .. math::
        x_{i \to j} = \sum_{m \ne j} f_{im} \, y_{m \to i}, \qquad
        y_{j \to i} = \sum_{n \ne i} f_{nj} \, x_{n \to j}

    from :math:`y \sim N(1, 1)`; an annotator's weight is the sum of all that they are told. Optimal up to a constant
    for random regular assignments of spammers and hammers; on ragged data the busiest annotators take over. form "svd"
    is what published tables call KOS: the leading singular vector of the answers less each annotator's mean over all
    items. O(votes) a round. The messages need not know how hard items are: they are the estimator of the generalised
    Dawid-Skene model too, in which annotator j says yes of item i with chance :math:`q_i p_j + (1 - q_i)(1 - p_j)` and
    answers have rank one, :math:`E f_{ij} = (2 q_i - 1)(2 p_j - 1)` (Khetan & Oh 2016).

    form: "messages" or "svd". rounds: of messages. problems: how more than two classes are made two, see `TwoSided`.

    Reference: Karger, Oh & Shah, NIPS 2011, algorithm 1; the singular vector as in Zhang et al. 2016, section 6.

    >>> from crowdwise import KOS, simulate
    >>> made = simulate.crowd(simulate.hammer_spammer(30, 2, 0.5), n_items=300, per_item=7, graph="regular", seed=0)
    >>> bool((KOS().fit(made.crowd).labels == made.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "kos"
    form: Literal["messages", "svd"] = "messages"
    rounds: int = 10

    def weigh(self, ops: NumpyEngine, sign: Array) -> Weights:
        return _singular(ops, sign) if self.form == "svd" else self._messages(ops, sign)

    def _messages(self, ops: NumpyEngine, sign: Array) -> Weights:
        from scipy.special import ndtri

        to_item = 1.0 + ndtri(keyed_uniform(self.seed, ops.crowd.vote_hash))  # y, (votes,)
        weight = np.ones(sign.size) if ops.weight is None else ops.weight
        own = np.minimum(weight, 1.0)  # a vote of weight 2 is two votes, of which one is left out
        for _ in range(self.rounds):
            said = sign * to_item
            to_annotator = np.bincount(ops.item, weight * said, ops.n_items)[ops.item] - own * said  # x
            said = sign * to_annotator
            told: Array = np.bincount(ops.annotator, weight * said, ops.n_annotators)
            to_item = told[ops.annotator] - own * said
            scale = max(float(np.abs(told).max(initial=0.0)), 1e-300)
            to_item, told = to_item / scale, told / scale
        return Weights(told)


def _singular(ops: NumpyEngine, sign: Array) -> Weights:
    from scipy.sparse.linalg import LinearOperator

    said = answers(ops, sign)
    mean = np.asarray(said.sum(axis=0)) / ops.n_items

    def squared(weight: Array) -> Array:
        """The centred answers' Gram matrix, applied."""
        weight = np.ravel(weight)
        return np.asarray(said.T @ (said @ weight)) - ops.n_items * mean * float((mean * weight).sum())

    n = ops.n_annotators
    weight = leading(LinearOperator((n, n), matvec=squared, dtype=float))
    if (weight[weight > 0.0] ** 2).sum() < 0.5:
        weight = -weight
    return Weights(weight, bias=-float((mean * weight).sum()))
