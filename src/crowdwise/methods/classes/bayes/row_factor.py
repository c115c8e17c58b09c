"""Messages of annotators whose confusion rows are Dirichlet: each factor kept as the Dirichlet of the same means."""

from __future__ import annotations

import numpy as np

from ....engine import NumpyEngine
from ....votes.codes import Array


class RowFactor:
    r"""Annotators whose rows have Dirichlet priors, and what they tell the items that they voted on.

    The mean over confusion matrices has as many terms as the items have classes together, and a peak that draws of the
    prior do not hit. Expectation propagation keeps a Dirichlet :math:`A_j[k, l]` for each annotator, to which a vote v
    on item i has added :math:`d_v(k)`. Without the vote, :math:`a_k = A_j[k, l] - d_v(k)` of :math:`s_k = \sum_g
    A_j[k, g] - d_v(k)`; with it, and with the item's message :math:`\mu`, the class is k with probability

    .. math:: r_k \propto \mu_k \, a_k / s_k, \qquad \frac{a_k + d_v(k)}{s_k + d_v(k)}
        = (1 - r_k) \frac{a_k}{s_k} + r_k \frac{a_k + 1}{s_k + 1}

    so that :math:`d_v(k) = r_k s_k / (s_k + 1 - r_k)`, between 0 and 1: nothing can diverge. The message back is
    :math:`a_k / s_k`, what is expected of the matrix without the vote. A vote of weight w adds w d, and leaves out
    min(w, 1) d. O(votes x classes) a round.

    Reference: Minka, Expectation propagation for approximate Bayesian inference, UAI 2001 (matching first moments).
    """

    def __init__(self, ops: NumpyEngine, annotators: Array, prior: Array):
        self.annotators, self.prior = annotators, prior
        self.votes = ops.votes_of(annotators)[0]
        self._place = np.full(ops.n_annotators, -1)
        self._place[annotators] = np.arange(annotators.size)
        self._by, self._label = self._place[ops.annotator[self.votes]], ops.label[self.votes]
        self._own = np.ones((1, 1)) if ops.weight is None else np.minimum(ops.weight[self.votes], 1.0)[:, None]
        self._added = np.zeros((self.votes.size, ops.n_classes))
        self._chance = self._added
        self._rows = np.tile(prior, (annotators.size, 1, 1))

    def send(self, ops: NumpyEngine, to_annotator: Array) -> Array:
        """Messages to items, (votes, true), given those from items; the annotators' rows move on."""
        said, total = self._without()
        chance = to_annotator[self.votes] * said / total
        self._chance = chance / chance.sum(axis=1, keepdims=True)
        self._added = self._chance * total / (total + 1.0 - self._chance)
        self._rows = self.prior + self._summed(ops, self._added)
        said, total = self._without()
        return said / total

    def moments(self, ops: NumpyEngine) -> tuple[Array, Array]:
        """Mean and variance of the matrices, (annotators, true, given).

        To the variance of the Dirichlet comes what not knowing the items' classes adds to it.
        """
        total = self._rows.sum(axis=2, keepdims=True)
        mean = self._rows / total
        doubt = self._summed(ops, self._chance * (1.0 - self._chance))
        others = doubt.sum(axis=2, keepdims=True) - doubt
        return mean, mean * (1.0 - mean) / (total + 1.0) + ((1.0 - mean) ** 2 * doubt + mean**2 * others) / total**2

    def _without(self) -> tuple[Array, Array]:
        """The rows of each vote's annotator without the vote: votes for what was said, and all, (votes, true)."""
        own = self._own * self._added
        return self._rows[self._by, :, self._label] - own, self._rows.sum(axis=2)[self._by] - own

    def _summed(self, ops: NumpyEngine, of_votes: Array) -> Array:
        """Sums over votes, (votes, true) -> (annotators, true, given)."""
        everywhere = np.zeros(ops.label.size)
        out = np.empty_like(self._rows)
        for k in range(ops.n_classes):
            everywhere[self.votes] = of_votes[:, k]
            out[:, k] = ops.annotator_votes(everywhere)[self.annotators]
        return out
