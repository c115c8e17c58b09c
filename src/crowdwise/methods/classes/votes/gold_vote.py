"""GoldVote: a vote weighed by what known labels say of each annotator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine, normalise
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution
from ....fit.params import Params
from ....votes.codes import Array
from ....votes.known import Known, with_known


@dataclass(frozen=True, kw_only=True)
class GoldVote(Aggregator):
    r"""Each vote counts the log-odds of its annotator's accuracy on known labels, drawn to a guess.

    .. math::
        w_j = \log \frac{(K - 1)\, p_j}{1 - p_j}, \qquad p_j = \frac{r_j + s / K}{n_j + s}, \qquad
        q_i(k) \propto \exp \sum_j w_j 1[l_{ij} = k]

    :math:`r_j` right of :math:`n_j` votes on gold items. Who has no vote there counts nothing; without any gold it is
    the majority vote. Nothing is learned from items without gold: what fails together is not found, and does no harm
    either. Use it where a few labels are known and most annotators may be wrong, as judges on adversarial items.
    O(votes).

    pseudo: s, votes of a guesser in each annotator's record.

    Reference: weighted votes with known accuracies, Nitzan & Paroush 1982.

    >>> from crowdwise import Crowd, GoldVote
    >>> crowd = Crowd.from_matrix([[0, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0]])
    >>> GoldVote().fit(crowd, gold={0: 0, 1: 1, 2: 0}).label_of(3)
    np.int64(1)
    """

    name: ClassVar[str] = "gold-vote"
    unit: ClassVar[str] = "log-odds"
    pseudo: float = 4.0

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        params = {"skill": self.log_odds(ops, known)}
        return Solution(self.infer(ops, params, known), params, {})

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        scores = self.scores(ops, params)
        posterior = normalise(with_known(scores, known))[0]
        return posterior if known is None else known.obeyed(posterior)

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_votes(params["skill"][ops.annotator])

    def log_odds(self, ops: NumpyEngine, known: Known | None) -> Array:
        """What a vote of each annotator counts."""
        gold = None if known is None else known.gold
        if gold is None or not gold.item.size:
            return np.ones(ops.n_annotators)
        told = np.full(ops.n_items, -1)
        told[gold.item] = gold.log_rows.argmax(axis=1)
        true = told[ops.item]
        k = max(ops.n_classes, 2)
        right = ops.annotator_votes((ops.label == true).astype(float)).sum(axis=1)
        n = ops.annotator_votes((true >= 0).astype(float)).sum(axis=1)
        p = np.clip((right + self.pseudo / k) / (n + self.pseudo), 1e-6, 1.0 - 1e-6)
        return np.asarray(np.log((k - 1) * p / (1.0 - p)))
