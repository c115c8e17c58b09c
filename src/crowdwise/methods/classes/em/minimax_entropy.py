"""MinimaxEntropy: votes as a log-linear model of annotators and items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....errors import InputError
from ....fit.em import EM
from ....fit.options import AnyNumber
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ....votes.known import Known


@dataclass(frozen=True, kw_only=True)
class MinimaxEntropy(EM):
    r"""Regularised minimax conditional entropy: each annotator and each item has a table of log-odds.

    .. math:: P(l_{ij} = l \mid z_i = k) \propto \exp(\tau_j[k, l] + \sigma_i[k, l])

    is what is left when the votes' confusion counts by annotator and by item are believed and entropy is otherwise as
    large as it can be. The tables climb the log-evidence less
    :math:`\frac{\alpha}{2} \|\tau\|^2 + \frac{\beta}{2} \|\sigma\|^2` by steps that a bound of the curvature allows, so
    that the trace never falls. O(votes x classes^2) a step, items x classes^2 kept. Use it where items of one class
    mislead in ways of their own and there are few classes: among the best on graded web pages and bluebirds, but with
    ten classes and four votes an item its penalty swamps the votes.

    strength: :math:`\alpha` is strength x classes^2, :math:`\beta` as many times more as annotators have more votes
    than items. ordinal: tables that only know on which side of each threshold class and label are, for classes in an
    order. item_steps: steps of an item's own table where labels are inferred. class_prior: "uniform", as published.
    The other parameters are those of every EM, but there is no history.

    Reference: Zhou, Basu, Mao & Platt, NIPS 2012, sections 2-4; ordinal: Zhou, Liu, Platt & Meek, ICML 2014, section 4.

    >>> from crowdwise import MinimaxEntropy, simulate
    >>> made = simulate.crowd(simulate.dirichlet(20, 3, 5, 1, seed=1), n_items=200, per_item=5, seed=0)
    >>> bool((MinimaxEntropy().fit(made.crowd).labels == made.truth).mean() > 0.85)
    True
    """

    name: ClassVar[str] = "minimax-entropy"
    structures: ClassVar[tuple[str, ...]] = ("independent",)
    whole: ClassVar[str] = "it keeps a table for each item"
    params: ClassVar[Mapping[str, Axes]] = {
        "logits": Axes(("annotator", "true", "given"), "real"),
        "item_logits": Axes(("item", "true", "given"), "real"),
        "penalty": Axes(("table",), "positive"),
        "pull": Axes(("annotator", "true", "given"), "real"),
        "item_pull": Axes(("item", "true", "given"), "real"),
        "item_met": Axes(("item", "true"), "positive"),
    }
    strength: float = 0.25
    ordinal: bool = False
    item_steps: int = 30
    class_prior: str | tuple[float, ...] = "uniform"
    tol: AnyNumber = 1e-6
    accelerate: bool = True

    @property
    def load(self) -> int:
        return 5  # exponentials

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.history:
            raise InputError(f"{self.name} has no history: its sums belong to the items")

    def statistics(self, ops: NumpyEngine, posterior: Array) -> Params:
        """Slopes where all tables are zero and every label has the same chance; the loop starts there."""
        counts, votes = ops.confusion_counts(posterior), ops.item_votes()
        by_item = posterior[:, :, None] * votes[:, None, :]
        return {
            "pull": counts - counts.mean(axis=2, keepdims=True),
            "item_pull": by_item - by_item.mean(axis=2, keepdims=True),
            "met": counts.sum(axis=2),
            "item_met": by_item.sum(axis=2),
        }

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        log_prior = self.independent.log_shares(params)
        posterior, evidence, pull, item_pull = ops.logit_sweep(
            params["logits"], params["item_logits"], log_prior, known
        )
        met = {"met": ops.annotator_sums(posterior), "item_met": posterior * self._degree(ops)}
        return {"pull": pull, "item_pull": item_pull, **met, "states": posterior.sum(axis=0)}, evidence

    def continues(self, start: Any) -> bool:
        return False  # the items' tables are not carried: a result's posterior is all there is to start from

    def estimate(self, statistics: Params, params: Params) -> Params:
        met, item_met = statistics["met"], statistics["item_met"]
        alpha = self.strength * met.shape[1] ** 2
        heard = max(int((met.sum(axis=1) > 0.0).sum()), 1), max(int((item_met.sum(axis=1) > 0.0).sum()), 1)
        penalty = np.array([alpha, alpha * heard[1] / heard[0]])
        tables = (
            params.get("logits", np.zeros_like(statistics["pull"])),
            params.get("item_logits", np.zeros_like(statistics["item_pull"])),
        )
        # Both tables move at once, so that each has the curvature of both: twice a softmax's bound of 1/2.
        return {
            "penalty": penalty,
            "logits": self._stepped(tables[0], statistics["pull"], met, penalty[0]),
            "item_logits": self._stepped(tables[1], statistics["item_pull"], item_met, penalty[1]),
        }

    def log_prior(self, params: Params) -> float:
        alpha, beta = params["penalty"]
        return float(-0.5 * (alpha * (params["logits"] ** 2).sum() + beta * (params["item_logits"] ** 2).sum()))

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        """With the annotators' tables as they are, each item finds its own."""
        log_prior, degree = self.independent.log_shares(params), self._degree(ops)
        own = np.zeros((ops.n_items, ops.n_classes, ops.n_classes))
        for _ in range(self.item_steps):
            posterior, _, _, pull = ops.logit_sweep(params["logits"], own, log_prior, known)
            own = self._stepped(own, pull, posterior * degree / 2.0, params["penalty"][1])
        return ops.logit_sweep(params["logits"], own, log_prior, known)[0]

    def log_likelihood(self, ops: NumpyEngine, params: Params) -> Array:
        """What the annotators' tables say, for an item of no table of its own."""
        logits = params["logits"]
        return ops.item_scores(logits - np.logaddexp.reduce(logits, axis=2, keepdims=True))

    def scores(self, ops: NumpyEngine, params: Params) -> None:
        """None: an item's own table is fitted to all of its votes together."""

    def log_sums(self, statistics: Params, params: Params) -> float:
        raise InputError(f"{self.name} has no history: its sums belong to the items")

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        return 6 * (n_items + n_annotators) * n_classes**2

    def _degree(self, ops: NumpyEngine) -> Array:
        return ops.item_votes().sum(axis=1, keepdims=True)

    def _stepped(self, table: Array, pull: Array, curvature: Array, penalty: float) -> Array:
        """One step up the bound; ordinal tables stay in their subspace, where one curvature holds for all rows."""
        slope = pull - penalty * table
        if not self.ordinal:
            return np.asarray(table + slope / (curvature[:, :, None] + penalty))
        step = slope / (curvature.max(axis=1)[:, None, None] + penalty)
        return np.asarray(
            table + (step.reshape(len(step), -1) @ _threshold_projection(table.shape[2])).reshape(step.shape)
        )


def _threshold_projection(n_classes: int) -> Array:
    """Onto tables [k, l] that are sums, over thresholds s, of a number for each (k >= s, l >= s)."""
    above = np.arange(n_classes) >= np.arange(1, n_classes)[:, None]  # (thresholds, classes)
    sides = np.stack([above, ~above])
    patterns = np.einsum("ask,bsl->abskl", sides, sides).reshape(-1, n_classes**2).astype(float)
    if not len(patterns):
        return np.ones((1, 1))
    return np.linalg.pinv(patterns) @ patterns
