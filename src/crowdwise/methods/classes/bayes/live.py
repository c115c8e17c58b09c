"""Live: four sweeps from vote shares, for crowds that are still being asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....fit.aggregator import Aggregator
from ....fit.em import vote_shares
from ....fit.method import Callback, Solution, Watch
from ....fit.options import NonNegative
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known

RIGHT, ALL = 7.0, 10.0  # votes of the prior: seven of ten strangers are right
LEAST = 1e-12


@dataclass(frozen=True, kw_only=True)
class Live(Aggregator):
    r"""Confusion matrices that borrow from a coin of the annotator's own, and that from the crowd: for few votes.

    From vote shares, a few sweeps and no more, since EM goes wrong where there are few votes and it is left running.
    With expected counts :math:`C_j`, their sum S, and :math:`a_0 = (\mathrm{tr}\, S + 7) / (\sum S + 10)`, the crowd's
    matrix B has rows of S and fifty votes of a coin :math:`a_0`; annotator j's coin is
    :math:`a_j = (\mathrm{tr}\, C_j + 4 a_0) / (\sum C_j + 4)`, which moves the odds of B's diagonal; and

    .. math::
        A_j = (C_j + 4 b_j) / (C_j 1 + 4), \qquad q_i \propto \left(1 + \sum_i q_i\right) \prod_j A_j[\cdot, l_{ij}]

    What comes out depends on the votes alone, not on the order in which they came. Four passes over the votes. Use it
    while votes are collected; with many votes, `auto` is better.

    sweeps: how many. coin, row, crowd: votes by which an annotator's coin, their rows, and the crowd's rows are drawn
    to what they borrow from.

    Reference: crowdwise; shrinkage as in Liu, Peng & Ihler (NIPS 2012) and Kim & Ghahramani 2012.

    >>> from crowdwise import Live, simulate
    >>> made = simulate.crowd(simulate.one_coin(10, 3, accuracy=0.8), n_items=200, per_item=2, seed=0)
    >>> bool((Live().fit(made.crowd).labels == made.truth).mean() > 0.75)
    True
    """

    name: ClassVar[str] = "live"
    unit: ClassVar[str] = "log-odds"
    params: ClassVar[Mapping[str, Axes]] = {**Aggregator.params, "stranger": Axes(("true", "given"), "simplex")}
    sweeps: int = 4
    coin: NonNegative = 4.0
    row: float = 4.0
    crowd: float = 50.0

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        posterior = vote_shares(ops)
        posterior = posterior if known is None else known.obeyed(posterior)
        watch, params = Watch(callback), {}
        for step in range(1, self.sweeps + 1):
            params = self._believed(ops.confusion_counts(posterior), posterior)
            posterior, evidence = ops.posterior(np.log(params["confusion"]), np.log(params["prior"]), known)
            if watch(step, evidence):
                break
        return Solution(posterior, params, {})

    def _believed(self, counts: Array, posterior: Array) -> Params:
        """What is believed of annotators and classes, from expected counts (annotators, true, given)."""
        k = counts.shape[2]
        eye, others = np.eye(k, dtype=bool), max(k - 1, 1)
        total, sums = counts.sum(axis=(1, 2)), counts.sum(axis=0)
        right = np.einsum("jkk->j", counts)
        usual = (right.sum() + RIGHT) / (total.sum() + ALL) if k > 1 else 1.0 - LEAST
        crowd = sums + self.crowd * np.where(eye, usual, (1.0 - usual) / others)
        crowd /= crowd.sum(axis=1, keepdims=True)
        own = (right + self.coin * usual) / np.maximum(total + self.coin, LEAST)
        on = np.diag(crowd)
        odds = on / np.maximum(1.0 - on, LEAST) * (_odds(own) / _odds(usual))[:, None]
        on_own = odds / (1.0 + odds)
        rows = (1.0 - on_own)[:, :, None] * crowd / np.maximum(1.0 - on, LEAST)[:, None]
        rows = np.where(eye, on_own[:, :, None], rows)
        confusion = (counts + self.row * rows) / (counts.sum(axis=2) + self.row)[:, :, None]
        confusion = np.maximum(confusion, LEAST)
        mass = 1.0 + posterior.sum(axis=0, dtype=float)
        return {
            "confusion": confusion / confusion.sum(axis=2, keepdims=True),
            "prior": mass / mass.sum(),
            "stranger": crowd,
        }

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        return ops.posterior(np.log(params["confusion"]), np.log(params["prior"]), known)[0]

    def scores(self, ops: NumpyEngine, params: Params) -> Array | None:
        return ops.item_scores(np.log(params["confusion"]))

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return super().floats_needed(n_items, n_annotators, n_classes) + 5 * n_annotators * n_classes**2


def _odds(chance: Any) -> Any:
    return np.asarray(chance) / np.maximum(1.0 - np.asarray(chance), LEAST)
