"""OBI-WAN: annotators ordered by a singular vector, and a vote among as many of the first as settle most items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.keyed import keyed_uniform
from ....votes.known import Known
from .two_sided import answers, leading

BLOCK = 4_000_000  # numbers held at once


@dataclass(frozen=True, kw_only=True)
class OBIWAN(Aggregator):
    r"""Two classes: the permutation-based model's vote among the best annotators (OBI-WAN).

    Nothing is assumed of errors but an order: better annotators are right more often on every item, and easier items
    are answered rightly more often by every annotator. Items are divided into two halves. On each half annotators are
    ordered by the leading singular vector u of the other half's answers :math:`f_{ij} = \pm 1` (its sign such that the
    positive part is the larger one), and the first

    .. math:: \hat k = \arg\max_k \sum_i 1\left[\left|\sum_{j \le k} f_{ij}\right| \ge
        \sqrt{k \, p \log^{1.5}(N M)}\right], \qquad k \ge \log^{1.5}(N M) / p

    of them vote, p being the share of pairs of item and annotator that have a vote. Robust where `DawidSkene` is not:
    items may be as hard as they like. With few annotators the bound on k leaves all of them, and it is the majority
    vote. More classes are several problems, each class against the others. O(items x annotators), and a singular vector
    a half.

    Reference: Shah, Balakrishnan & Wainwright, A Permutation-Based Model for Crowd Labeling: Optimal Estimation and
    Robustness, 2016 (IEEE Trans. Inf. Theory 2021), section 3.

    >>> from crowdwise import OBIWAN, simulate
    >>> people = simulate.one_coin(60, 2, 0.9) + simulate.spammers(900, 2)
    >>> made = simulate.crowd(people, n_items=400, graph="dense", seed=0)
    >>> result = OBIWAN().fit(made.crowd)
    >>> bool((result.labels == made.truth).mean() > 0.99), int(result.params["chosen"][0, 0].sum())
    (True, 61)
    """

    name: ClassVar[str] = "obi-wan"
    params: ClassVar[Mapping[str, Axes]] = {
        **Aggregator.params,
        "chosen": Axes(("problem", "half", "annotator"), "real"),
    }

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        half = self._half(ops)
        chosen = []
        for yes in (1,) if ops.n_classes <= 2 else range(ops.n_classes):
            said = answers(ops, np.where(ops.label == yes, 1.0, -1.0))
            chosen.append([_chosen(_order(said[half != h]), said[half == h]) for h in (0, 1)])
        params: Params = {"chosen": np.array(chosen)}
        return Solution(self.infer(ops, params, known), params, {})

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        posterior = np.empty((ops.n_items, ops.n_classes))
        for k in range(ops.n_classes):
            votes = ops.item_votes(self._heard(ops, params, k % len(params["chosen"])))
            total = votes.sum(axis=1)
            posterior[:, k] = np.where(total > 0.0, votes[:, k] / np.where(total > 0.0, total, 1.0), 0.0)
        posterior += 1e-9
        posterior /= posterior.sum(axis=1, keepdims=True)
        return posterior if known is None else known.obeyed(posterior)

    def scores(self, ops: NumpyEngine, params: Params) -> Array | None:
        """Of two classes; of more, the votes of several problems do not add up."""
        return None if ops.n_classes != 2 else ops.item_votes(self._heard(ops, params, 0))

    def _heard(self, ops: NumpyEngine, params: Params, problem: int) -> Array:
        return params["chosen"][problem, self._half(ops)[ops.item], ops.annotator]

    def _half(self, ops: NumpyEngine) -> Array:
        return (keyed_uniform(self.seed, ops.crowd.item_hash) < 0.5).astype(np.int64)


def _order(said: Any) -> Array:
    """Annotators, best first."""
    if not said.shape[0]:
        return np.arange(said.shape[1])
    u = leading(said.T @ said)
    u = u if (u[u > 0.0] ** 2).sum() >= 0.5 else -u
    return np.argsort(-np.round(u, 9), kind="stable")


def _chosen(order: Array, said: Any) -> Array:
    """1 for the first annotators, of whom there are as many as settle most of these items."""
    n_items, n = said.shape
    share, bound = said.nnz / max(n_items * n, 1), np.log(max(n_items * n, 3)) ** 1.5
    k = np.arange(1, n + 1)
    settled = np.zeros(n, np.int64)
    step = max(1, BLOCK // n)
    for low in range(0, n_items, step):
        heard = np.abs(np.cumsum(said[low : low + step].toarray()[:, order], axis=1))  # (items, first k)
        settled += (heard >= np.sqrt(k * share * bound)).sum(axis=0)
    settled[k < min(bound / max(share, 1e-12), n)] = -1
    most = n if settled.max() <= 0 else int(settled.argmax()) + 1  # where nothing is settled, all are heard
    out = np.zeros(n)
    out[order[:most]] = 1.0
    return out
