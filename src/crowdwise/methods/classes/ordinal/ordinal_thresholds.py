"""OrdinalThresholds: classes in an order, as one two-class problem for each threshold between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine, normalise
from ....errors import InputError, TooLarge
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution, Watch
from ....fit.options import AnyNumber
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known, with_known
from ..bayes.ibcc import IBCC

MOST_CLASSES = 1_000


@dataclass(frozen=True, kw_only=True)
class OrdinalThresholds(Aggregator):
    r"""Classes in an order: is it above this threshold? One two-class `IBCC` for each of the K - 1 thresholds.

    At threshold :math:`t` a vote says whether :math:`l_{ij} > t`, and annotators have a sensitivity and a specificity.
    The posteriors :math:`P(z_i > t)` are made to fall with t, each no larger than the one before, and

    .. math:: q_i(k) = P(z_i > k - 1) - P(z_i > k)

    O(votes x classes) a step. Use it for grades where annotators are strict or lenient in ways that differ along the
    scale; `Ordinal` has fewer parameters. Classes must be in order, as numbers are.

    diagonal, rest, max_iter, tol: as for `IBCC`, whose prior keeps annotators of few votes in bounds.

    Reference: Raykar et al., JMLR 11, 2010, section 5.

    >>> from crowdwise import OrdinalThresholds, simulate
    >>> made = simulate.crowd(simulate.ordinal(20, 5, spread=0.6, seed=1), n_items=200, per_item=4, seed=0)
    >>> bool((OrdinalThresholds().fit(made.crowd).labels == made.truth).mean() > 0.6)
    True
    """

    name: ClassVar[str] = "ordinal-thresholds"
    params: ClassVar[Mapping[str, Axes]] = {
        "side_votes": Axes(("threshold", "side"), "positive"),
        "side_confusion_votes": Axes(("threshold", "annotator", "side", "given_side"), "positive"),
    }
    unit: ClassVar[str] = "log-odds"
    exempt: ClassVar[dict[str, str]] = {
        "Renaming classes renames the answer": "the order of the classes is what the model is about",
    }
    diagonal: float = 4.0
    rest: float = 1.0
    max_iter: int = 500
    tol: AnyNumber = 1e-7

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} starts from the votes: leave start out")
        if ops.n_classes > MOST_CLASSES:
            raise TooLarge(
                f"{self.name} would need {ops.n_classes - 1:,} fits, one for each threshold: merge classes, to "
                f"{MOST_CLASSES:,} at most"
            )
        watch = Watch(callback)
        sides = [
            self._binary.solve(self._sides(ops, t), _by_side(known, t), None, watch) for t in range(ops.n_classes - 1)
        ]
        shape = (len(sides), ops.n_annotators, 2, 2)
        params = {
            "side_votes": np.array([side.params["class_votes"] for side in sides]).reshape(-1, 2),
            "side_confusion_votes": np.array([side.params["confusion_votes"] for side in sides]).reshape(shape),
        }
        converged = all(side.converged for side in sides)
        return Solution(self.infer(ops, params, known), params, {}, converged=converged)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        above = np.ones((ops.n_items, ops.n_classes + 1))
        above[:, -1] = 0.0
        for t, votes in enumerate(zip(params["side_votes"], params["side_confusion_votes"], strict=True)):
            of_side = dict(zip(("class_votes", "confusion_votes"), votes, strict=True))
            above[:, t + 1] = self._binary.infer(self._sides(ops, t), of_side, _by_side(known, t))[:, 1]
        above = np.minimum.accumulate(above, axis=1)
        posterior = above[:, :-1] - above[:, 1:]
        return posterior if known is None else normalise(with_known(np.log(np.maximum(posterior, 1e-30)), known))[0]

    @property
    def _binary(self) -> IBCC:
        return IBCC(diagonal=self.diagonal, rest=self.rest, max_iter=self.max_iter, tol=self.tol)

    def _sides(self, ops: NumpyEngine, threshold: int) -> NumpyEngine:
        label = (ops.label > threshold).astype(ops.label.dtype)
        return ops.over(ops.crowd.derive(label=label, classes=np.arange(2)))


def _by_side(known: Known | None, threshold: int) -> Known | None:
    """What gold says of at most and above the threshold; what else is known of an item joins at the end, once."""
    if known is None:
        return None
    gold = known.gold
    certain = np.where(np.isfinite(gold.log_rows), 0.0, -np.inf)
    sides = [certain[:, : threshold + 1].max(axis=1), certain[:, threshold + 1 :].max(axis=1)]
    return Known(gold.item, np.stack(sides, axis=1))
