"""GaussianEM: a bias and a spread for each annotator, by EM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError
from ...fit.climber import Climber, Part, added
from ...fit.estimates import Values
from ...fit.params import Axes, Names, Params
from ...votes.codes import Array
from ...votes.keyed import keyed_uniform
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .rating_method import RatingMethod, by_annotator, by_item, weight_of

LEAST = 1e-6  # of a rating's variance: items are never taken to be all alike


@dataclass(frozen=True, kw_only=True)
class GaussianEM(Climber[Ratings, Values], RatingMethod):
    r"""A rating is the item's value, the annotator's bias and noise of the annotator's own size.

    .. math::
        y_{ia} = t_i + b_a + \epsilon_{ia}, \quad \epsilon_{ia} \sim N(0, s_a^2), \quad t_i \sim N(\mu, \tau^2)

    with the conjugate prior :math:`b_a \mid s_a \sim N(0, s_a^2 / c)`, :math:`s_a^{-2} \sim Gamma(d, d v)`, v being the
    variance of a rating about its item's mean (1 where no two ratings of an item differ). The E-step is exact, the
    M-step closed. O(ratings) a step.

    shrink, shape: c and d, the prior's ratings behind a bias and behind a spread. max_iter, tol, restarts, accelerate,
    history, seed: as in every climb.

    Reference: ITU-T P.913 (2021), section 12.6, with priors; Raykar et al., JMLR 11, 2010, section 5.

    >>> from crowdwise import GaussianEM, Ratings
    >>> ratings = Ratings.from_columns([0, 0, 1, 1, 2, 2], ["low", "high"] * 3, [1.0, 3.0, 2.0, 4.0, 6.0, 8.0])
    >>> bool(np.ptp(GaussianEM().fit(ratings).params["rater_bias"]) > 1.0)
    True
    """

    name: ClassVar[str] = "gaussian-em"
    params: ClassVar[Mapping[str, Axes]] = {
        "rater_bias": Axes(("annotator",), "real"),
        "rater_spread": Axes(("annotator",), "positive"),
        "item_mean": Axes((), "real"),
        "item_spread": Axes((), "positive"),
        "unit": Axes((), "positive"),
        "rated": Axes(("annotator",), "positive"),
        "off": Axes(("annotator",), "real"),
        "squares": Axes(("annotator",), "positive"),
        "moments": Axes(("moment",), "real"),
    }
    shrink: float = 1.0
    shape: float = 2.0

    def first_sums(self, parts: Sequence[Part[Ratings]], start: Any, run: int) -> Params:
        if start is not None:
            raise InputError(f"{self.name} starts from the ratings, or from a result of its own")
        total = [np.array([(weight_of(part.ops) * part.ops.value).sum(), weight_of(part.ops).sum()]) for part in parts]
        usual = float(np.divide(*sum(total, np.zeros(2))))
        starts = [(part.ops, self._start(part, usual, run)) for part in parts]
        return added(self._moments(ops, mean, np.zeros(ops.n_items)) for ops, mean in starts)

    def _start(self, part: Part[Ratings], usual: float, run: int) -> Array:
        """Each item's mean rating, that of all where there is none; pushed about in all runs but the first."""
        ops, weight = part.ops, weight_of(part.ops)
        n = by_item(ops, weight)
        mean = np.where(n > 0.0, by_item(ops, weight * ops.value) / np.maximum(n, 1e-300), usual)
        if run:
            mean += np.std(ops.value) * (keyed_uniform(self.seed * 1_000_003 + run, ops.item_hash) - 0.5)
        return self._obeyed(mean, np.zeros_like(mean), part.known)[0]

    def sweep(self, ops: Ratings, params: Params, known: KnownValues | None) -> tuple[Params, float]:
        mean, variance, evidence = self._posterior(ops, params, known)
        return self._moments(ops, mean, variance), evidence

    def infer(self, ops: Ratings, params: Params, known: KnownValues | None = None) -> Values:
        mean, variance, _ = self._posterior(ops, params, known)
        return Values(mean, np.sqrt(variance))

    def _posterior(self, ops: Ratings, params: Params, known: KnownValues | None) -> tuple[Array, Array, float]:
        """Mean and variance of each item's value, and the log-evidence of the ratings (and of what is known)."""
        spread, own = params["rater_spread"][ops.annotator], ops.value - params["rater_bias"][ops.annotator]
        mu, tau, weight = params["item_mean"], params["item_spread"], weight_of(ops) * spread**-2
        precision = tau**-2 + by_item(ops, weight)
        mean = (mu * tau**-2 + by_item(ops, weight * own)) / precision
        mean, variance = self._obeyed(mean, 1.0 / precision, known)
        # E log p(y, t) and the entropy of t, which together are log p(y); gold has no entropy.
        off = (own - mean[ops.item]) ** 2 + variance[ops.item]
        said = -0.5 * float((weight * off + weight_of(ops) * np.log(2.0 * np.pi * spread**2)).sum())
        prior = -0.5 * float((((mean - mu) ** 2 + variance) * tau**-2 + np.log(2.0 * np.pi * tau**2)).sum())
        entropy = 0.5 * float(np.log(2.0 * np.pi * np.e * variance[variance > 0.0]).sum())
        return mean, variance, said + prior + entropy

    def _obeyed(self, mean: Array, variance: Array, known: KnownValues | None) -> tuple[Array, Array]:
        if known is not None:
            mean[known.item], variance[known.item] = known.value, 0.0
        return mean, variance

    def _moments(self, ops: Ratings, mean: Array, variance: Array) -> Params:
        off, weight = ops.value - mean[ops.item], weight_of(ops)
        return {
            "rated": by_annotator(ops, weight),
            "off": by_annotator(ops, weight * off),
            "squares": by_annotator(ops, weight * (off**2 + variance[ops.item])),
            "moments": np.array([mean.size, mean.sum(), (mean**2 + variance).sum()]),
        }

    def maximise(self, sums: Params, params: Params) -> Params:
        rated, off = sums["rated"], sums["off"]
        unit = params.get("unit", self._unit(sums))
        bias = off / (rated + self.shrink)
        squares = sums["squares"] - 2.0 * bias * off + (rated + self.shrink) * bias**2
        variance = (self.shape * unit + squares / 2.0) / (self.shape - 0.5 + rated / 2.0)
        count, total, square = sums["moments"]
        spread = np.sqrt(max(square / count - (total / count) ** 2, LEAST * float(unit)))
        return {
            "unit": unit,
            "rater_bias": bias,
            "rater_spread": np.sqrt(variance),
            "item_mean": np.asarray(total / count),
            "item_spread": np.asarray(spread),
        }

    def _unit(self, sums: Params) -> Array:
        """The variance of a rating about its item's mean; where no two ratings tell it, 1 in the ratings' own unit."""
        within = float(sums["squares"].sum() / max(sums["rated"].sum(), 1e-300))
        return np.asarray(within if within > 1e-12 else 1.0)

    def objective(self, evidence: float, params: Params, past: Params) -> float:
        rate, bias = params["rater_spread"] ** -2, params["rater_bias"]
        pull = self.shape * params["unit"] + self.shrink * bias**2 / 2.0
        value = evidence + float(((self.shape - 0.5) * np.log(rate) - rate * pull).sum())
        if past:
            squares = past["squares"] - 2.0 * bias * past["off"] + past["rated"] * bias**2
            value += 0.5 * float((past["rated"] * np.log(rate) - rate * squares).sum())
            count, total, square = past["moments"]
            mu, tau = params["item_mean"], params["item_spread"]
            value -= 0.5 * float((square - 2.0 * mu * total + count * mu**2) * tau**-2 + count * np.log(tau**2))
        return value

    def names_of(self, ops: Ratings) -> Names:
        return Names(ops.annotators, np.empty(0, object))

    def annotator_weight(self, ops: Ratings) -> Array:
        return ops.annotator_weight()

    def joined(self, found: Sequence[Values]) -> Values:
        return Values(np.concatenate([one.mean for one in found]), np.concatenate([one.sd for one in found]))
