"""MaxMargin: weights under which the winning class of every item wins by a margin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
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
class MaxMargin(Aggregator):
    r"""Max-margin majority voting (M3V): weights under which the winning class of every item wins clearly.

    Class :math:`k` of item :math:`i` scores :math:`s_{ik} = \sum_j \eta_j 1[l_{ij} = k]`. Weights and classes in turn:

    .. math::
        \min_\eta \tfrac12 \|\eta\|^2 + c \sum_i \max_{k \ne y_i} \left[\ell - s_{i y_i} + s_{ik}\right]_+, \qquad
        y_i = \arg\max_k s_{ik}

    from the majority vote, with a smooth hinge and L-BFGS, until no label changes; the trace is minus the objective.
    A weight may be negative. O(votes + items x classes) a step. Use it where a few prolific annotators are good: it
    trusts whoever agrees with a clear majority. The posterior is softmax of the scores over the margin: it ranks items,
    but is no probability to rely on.

    cost: c. margin: :math:`\ell`. sharpness: of the smooth hinge, over the margin. max_iter: rounds at most.

    Reference: Tian & Zhu, NIPS 2015, section 3.

    >>> from crowdwise import MaxMargin, simulate
    >>> people = simulate.one_coin(8, 3, 0.8) + simulate.spammers(4, 3)
    >>> made = simulate.crowd(people, n_items=200, per_item=8, seed=0)
    >>> skill = MaxMargin().fit(made.crowd).params["skill"]
    >>> bool(skill[:8].min() > skill[8:].max())
    True
    """

    name: ClassVar[str] = "max-margin"
    exempt: ClassVar[dict[str, str]] = {
        "Renaming classes renames the answer": "it starts from the majority vote, whose ties go to the first class",
    }
    cost: float = 0.0625
    margin: float = 1.0
    sharpness: float = 10.0
    max_iter: int = 50

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        from scipy.optimize import minimize

        if start is not None:
            raise InputError(f"{self.name} starts from the majority vote: leave start out")
        params = {"skill": np.ones(ops.n_annotators)}
        label = self.infer(ops, params, known).argmax(axis=1)
        trace: list[float] = []
        settled = False
        while len(trace) < self.max_iter and not settled:
            before = label
            objective = partial(self._objective, ops, label)
            found = minimize(objective, params["skill"], jac=True, method="L-BFGS-B")
            params = {"skill": found.x}
            label = self.infer(ops, params, known).argmax(axis=1)
            settled = bool((label == before).all())
            trace.append(-float(found.fun))
            if callback is not None and callback(len(trace), trace[-1]):
                break
        return Solution(self.infer(ops, params, known), params, {}, tuple(trace), settled)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        scores = self.scores(ops, params) / self.margin
        return normalise(with_known(scores, known))[0]

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        return ops.item_votes(params["skill"][ops.annotator])

    def _objective(self, ops: NumpyEngine, label: Array, skill: Array) -> tuple[float, Array]:
        """The objective at these weights and classes, and its slope."""
        rows, beta = np.arange(ops.n_items), self.sharpness / self.margin
        scores = self.scores(ops, {"skill": skill})
        short = self.margin - scores[rows, label][:, None] + scores
        short[rows, label] = -np.inf
        top = np.maximum(short.max(axis=1), 0.0)
        over = np.exp(beta * (short - top[:, None]))
        total = np.exp(-beta * top) + over.sum(axis=1)
        slope = over / total[:, None]
        slope[rows, label] = -slope.sum(axis=1)
        loss = float((top + np.log(total) / beta).sum())
        pull = ops.annotator_votes(slope[ops.item, ops.label]).sum(axis=1)
        return 0.5 * float((skill * skill).sum()) + self.cost * loss, skill + self.cost * pull
