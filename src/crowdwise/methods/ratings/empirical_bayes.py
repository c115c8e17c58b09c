"""EmpiricalBayes: a bias, a gain and a precision for each annotator, their priors learned from the crowd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...engine.rating_sums import RaterLines, RatingSums, bind_ratings
from ...errors import InputError
from ...fit.estimates import Values
from ...fit.method import Callback, Solution, Watch
from ...fit.options import AnyNumber
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.known import KnownValues
from ...votes.ratings import Ratings
from .one_number import obeyed
from .rater_fit import RaterFit
from .rating_method import RatingMethod

FEW = 3.0  # ratings beyond one for each item and annotator, at which intervals are twice as wide as by the model


@dataclass(frozen=True, kw_only=True)
class EmpiricalBayes(RatingMethod):
    r"""A rating is a bias, a gain times the item's value, and noise of the annotator's precision; by variational Bayes.

    .. math::
        y_{ij} = \mu + b_j + g_j (t_i - \mu) + \epsilon_{ij}, \quad \epsilon_{ij} \sim N(0, 1 / \lambda_j), \quad
        b_j \sim N(0, \tau_b), \; g_j \sim N(1, \tau_g), \; \lambda_j \sim Gamma(a, c), \;
        t_i \sim N(\mu, \sigma^2)

    With :math:`x_i = t_i - \mu` of mean m and variance v, and :math:`E\lambda` etc. of the last step,

    .. math::
        v_i^{-1} = \sigma^{-2} + \sum_j \lambda_j (g_j^2 + V_{g_j}), \qquad
        m_i = v_i \sum_j \lambda_j (g_j (y_{ij} - \mu - b_j) - C_j)

    and (b, g) of an annotator are a Gaussian of two dimensions. The priors follow by moments, a by maximum likelihood.
    A gain is what tells an annotator who always says nearly the same, and looks precise, from one who is. The standard
    deviations hold what all annotators share too: the crowd's bias is only known to :math:`\tau_b / M`, its gain to
    :math:`\tau_g / M`. Gold fixes both. O(ratings), a step.

    max_iter, tol: stop after so many steps, or when no value moves by tol of the items' spread. Only the scale that
    all share still drifts then, which ratings hardly tell; a smaller tol gains nothing.

    Reference: crowdwise; after Raykar et al., JMLR 11, 2010, section 5, and the opinion-score models of ITU-T P.913.

    >>> from crowdwise import EmpiricalBayes, simulate
    >>> made = simulate.ratings(n_items=200, n_annotators=20, per_item=5, seed=0)
    >>> result = EmpiricalBayes().fit(made.ratings)
    >>> bool(np.corrcoef(result.estimate.mean, made.truth)[0, 1] > 0.9)
    True
    """

    name: ClassVar[str] = "empirical-bayes"
    params: ClassVar[Mapping[str, Axes]] = {
        "rater_bias": Axes(("annotator",), "real"),
        "gain": Axes(("annotator",), "real"),
        "gain_variance": Axes(("annotator",), "positive"),
        "together": Axes(("annotator",), "real"),
        "precision": Axes(("annotator",), "positive"),
        "heard": Axes(("annotator",), "positive"),
        "population": Axes(("one",), "real"),
        "line": Axes(("one",), "real"),
        "caution": Axes(("one",), "positive"),
    }
    max_iter: int = 500
    tol: AnyNumber = 5e-4

    # -- what a cautious kind of it changes ---------------------------------------------------------------------------

    def heard(self, votes: Ratings) -> Array:
        """How much each annotator is listened to."""
        return np.ones(votes.n_annotators)

    def capped(self, precision: Array, n: Array) -> Array:
        """Precisions that may be believed."""
        return precision

    def anchor(self, gain: Array, variance: Array, n: Array, told: Array) -> float:
        """The gain that is called 1. variance: how sure gains are; told: the share of ratings that values explain."""
        return 1.0

    def wild(self, step: int) -> float:
        """From how many standard deviations on a rating counts less, after so many steps."""
        return np.inf

    # -- the fit ------------------------------------------------------------------------------------------------------

    def bind(self, votes: Ratings, engine: str) -> RatingSums:
        return bind_ratings(votes, engine)

    def solve(
        self, ops: RatingSums, known: KnownValues | None, start: Any, callback: Callback | None
    ) -> Solution[Values]:
        if start is not None:
            raise InputError(f"{self.name} starts from the ratings: leave start out")
        votes, heard = ops.ratings, self.heard(ops.ratings)
        fit, settled, _ = self.climb([ops.heard(heard)], Watch(callback))
        many = float(max(fit.given.sum(), 1))
        free = votes.n_votes - float((np.bincount(votes.item) > 0).sum()) - many
        noise = float(np.mean(1.0 / fit.precision[fit.given])) if fit.given.any() else 0.0
        of_mean = fit.spread / max(votes.n_items, 1) + noise / max(votes.n_votes, 1)
        params = {
            "rater_bias": fit.bias,
            "gain": fit.gain,
            "gain_variance": fit.gain_variance,
            "together": fit.together,
            "precision": fit.precision,
            "heard": heard,
            "population": np.array([fit.mu, fit.spread]),
            "line": np.array([0.0, 1.0, fit.of_bias / many + of_mean, fit.of_gain / many]),
            "caution": np.array([np.sqrt(1.0 + FEW / max(free, 1.0))]),
        }
        if known is not None and known.item.size:
            params["line"] = self._line(ops, params, known)
        found, notes = self.infer(ops, params, known), self.said(votes, params)
        if np.bincount(votes.item, minlength=1).max() < 2:  # as far off as ratings differ, for all that is known
            spread = float(np.std(votes.value)) or np.nan
            found = Values(found.mean, np.where(found.sd > 0.0, np.maximum(found.sd, spread), 0.0))
            notes = (*notes, "no item was rated twice: nothing tells how far annotators err")
        return Solution(found, params, {}, converged=settled, notes=notes)

    def climb(self, parts: Sequence[RatingSums], watch: Watch) -> tuple[RaterFit, bool, int]:
        """Steps until nothing moves, over ratings in one piece or several: where it stands, whether it settled."""
        fit, settled, step = RaterFit(parts), False, 0
        while step < self.max_iter and not settled:
            step += 1
            settled = fit.step(self, step) <= self.tol
            if watch(step, -fit.spread):
                break
        return fit, settled, step

    def said(self, ops: Ratings, params: Params) -> tuple[str, ...]:
        """What there is to say of the annotators."""
        return ()

    def infer(self, ops: RatingSums, params: Params, known: KnownValues | None = None) -> Values:
        mean, variance = self._found(ops, params)
        mu = params["population"][0]
        shift, scale, of_shift, of_scale = params["line"]
        sd = params["caution"][0] * np.sqrt(scale**2 * variance + of_shift + of_scale * mean**2)
        if known is not None:
            sd[known.item] = 0.0
        return Values(obeyed(mu + shift + scale * mean, known), sd)

    def _found(self, ops: RatingSums, params: Params) -> tuple[Array, Array]:
        """Means (about mu) and variances of the items by these ratings, on the crowd's own scale."""
        gain, (mu, spread) = params["gain"], params["population"][:2]
        square = gain**2 + params["gain_variance"]
        lines = RaterLines(params["rater_bias"], gain, params["precision"], square, params["together"], mu, spread)
        return ops.heard(params["heard"]).sweep(lines, self.wild(self.max_iter))[:2]

    def _line(self, ops: RatingSums, params: Params, known: KnownValues) -> Array:
        """What all share, by gold: a shift and a scale with a wide prior; and how surely."""
        mean, variance = self._found(ops, params)
        mu, spread = params["population"][:2]
        x, noise = mean[known.item], variance[known.item] + 0.05 * spread
        rows = np.stack([np.ones(x.size), x], axis=1)
        prior = np.array([1.0 / spread, 1.0 / 0.25])
        inverse = np.linalg.inv(rows.T @ (rows / noise[:, None]) + np.diag(prior))
        shift, scale = inverse @ (rows.T @ ((known.value - mu) / noise) + prior * np.array([0.0, 1.0]))
        return np.array([shift, scale, inverse[0, 0], inverse[1, 1]])
