"""Ordinal: classes in an order, and annotators whose errors fall off with distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....fit.forms import TableEM
from ....fit.params import Axes, Params
from ....votes.codes import Array
from ..bayes.conjugate import over_points

BIASES = np.linspace(-1.5, 1.5, 13)
SPREADS = np.geomspace(0.15, 6.0, 12)
PSEUDO_ANNOTATORS = 10.0  # that the shares of the grid's points start from
ANY_LABEL = 0.01  # of the votes are slips of the pen, any label


@dataclass(frozen=True, kw_only=True)
class Ordinal(TableEM):
    r"""Classes in an order: an annotator's errors fall off with distance, around a bias of their own.

    Class :math:`k` is called :math:`l` (both counted along the order of the crowd's classes) with a chance

    .. math:: A_j[k, l] \propto \exp\left(-\frac{|l - k - b_j|^p}{s_j}\right)

    by an annotator of bias :math:`b_j` (lenient or strict) and spread :math:`s_j`, one vote in a hundred aside. Both
    live on a grid; how much of an annotator is at each point of it, and how much of the crowd, climb the evidence lower
    bound, which is the trace. O(votes x classes) a step. Use it for grades and ratings with few votes an annotator: two
    numbers are learned from votes that would not fill a confusion matrix. Classes must be in order, as numbers are;
    `Crowd.with_classes` orders names.

    power: p, 1 or 2. The other parameters are those of every EM. `params["bias"]` and `params["spread"]` hold means.

    Reference: Rogers, Girolami & Polajnar, Statistics and Computing 20, 2010 (annotators of ordered classes by bias and
    precision); the grid is ours.

    >>> from crowdwise import Ordinal, simulate
    >>> made = simulate.crowd(simulate.ordinal(20, 5, spread=0.6, seed=1), n_items=200, per_item=4, seed=0)
    >>> bool((Ordinal().fit(made.crowd).labels == made.truth).mean() > 0.7)
    True
    """

    name: ClassVar[str] = "ordinal"
    params: ClassVar[Mapping[str, Axes]] = {
        "bias": Axes(("annotator",), "real"),
        "spread": Axes(("annotator",), "positive"),
        "point_shares": Axes(("point",), "simplex"),
    }
    exempt: ClassVar[dict[str, str]] = {
        "Renaming classes renames the answer": "the order of the classes is what the model is about",
    }
    power: float = 1.0
    class_smoothing: float = 2.0
    accelerate: bool = True

    def initial(self, n_annotators: int, n_classes: int) -> Params:
        return {"point_shares": self._usual_shares()}

    def estimate(self, statistics: Params, params: Params) -> Params:
        counts = statistics["counts"]
        log_chance = self._log_chance(counts.shape[2])
        shares = over_points(counts, np.log(params["point_shares"]), log_chance).sum(axis=0)
        shares = shares + PSEUDO_ANNOTATORS * self._usual_shares()
        shares /= shares.sum()
        return {"point_shares": shares, "counts": counts}

    def derived(self, params: Params) -> Params:
        member = self._member(params, self._log_chance(params["counts"].shape[2]))
        bias, spread = (grid.ravel() for grid in np.meshgrid(BIASES, SPREADS, indexing="ij"))
        return {"bias": member @ bias, "spread": member @ spread}

    def log_table(self, params: Params) -> Array:
        log_chance = self._log_chance(params["counts"].shape[2])
        return np.tensordot(self._member(params, log_chance), log_chance, axes=1)

    def log_prior(self, params: Params) -> float:
        member = self._member(params, self._log_chance(params["counts"].shape[2]))
        log_share = np.log(params["point_shares"])
        of_annotators = float((member * (log_share - np.log(np.maximum(member, 1e-300)))).sum())
        return of_annotators + PSEUDO_ANNOTATORS * float((self._usual_shares() * log_share).sum())

    def _usual_shares(self) -> Array:
        """Where annotators are before a vote is seen: about unbiased, more often right than wrong."""
        log_share = -0.5 * (BIASES[:, None] / 0.35) ** 2 - 0.5 * (np.log(SPREADS / 0.4) / 0.7) ** 2
        share = np.exp(log_share).ravel()
        return np.asarray(share / share.sum())

    def _member(self, params: Params, log_chance: Array) -> Array:
        return over_points(params["counts"], np.log(params["point_shares"]), log_chance)

    def _log_chance(self, n_classes: int) -> Array:
        """Of each label, at each point of the grid: (points, true, given)."""
        bias, spread = (grid.reshape(-1, 1, 1) for grid in np.meshgrid(BIASES, SPREADS, indexing="ij"))
        place = np.arange(n_classes)
        chance = np.exp(-(np.abs(place - place[:, None] - bias) ** self.power) / spread)
        chance /= chance.sum(axis=2, keepdims=True)
        return np.log((1.0 - ANY_LABEL) * chance + ANY_LABEL / n_classes)

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        points = BIASES.size * SPREADS.size * (n_classes**2 + n_annotators)
        return super().floats_needed(n_items, n_annotators, n_classes) + points
