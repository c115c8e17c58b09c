"""RaterLines: where a fit of `EmpiricalBayes` stands, and its four steps in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...votes.codes import Array
from ...votes.ratings import Ratings
from .gamma_prior import shape_of
from .one_number import filled
from .rating_method import by_annotator, by_item, weight_of

if TYPE_CHECKING:
    from .empirical_bayes import EmpiricalBayes

LEAST = 1e-9


class RaterLines:
    """What is believed of items (x, about mu, and its variance) and of annotators (a line through x, and a precision).

    bias, gain: means of an annotator's line; bias_variance, gain_variance, together: its covariances. spread: the
    variance of the items' values; of_bias, of_gain, shape, rate: the priors of annotators. base: what each rating
    counts before any is doubted.
    """

    def __init__(self, ops: Ratings, heard: Array):
        self.ops, self.who, self.item = ops, ops.annotator, ops.item
        self.base = self.weight = weight_of(ops) * heard[self.who]
        self.n = by_annotator(ops, self.base)
        self.given = self.n > 0.0
        n_item = by_item(ops, self.base)
        self.some = n_item > 0.0
        self.mu = float((self.base * ops.value).sum() / max(float(self.base.sum()), 1e-300))
        mean = by_item(ops, self.base * ops.value) / np.maximum(n_item, 1e-300)
        self.x, self.variance = filled(ops, mean, n_item) - self.mu, np.zeros(ops.n_items)
        self.unit = 1e-12 * (float(np.var(ops.value)) or max(float(np.abs(ops.value).max()) ** 2, 1.0))
        off = ops.value - self.mu - self.x[self.item]
        free = max(float(self.base.sum()) - float(self.some.sum()), 1.0)
        within = max(float((self.base * off**2).sum()) / free, self.unit)
        of_means = float(self.x[self.some].var())
        noise = within * float((1.0 / n_item[self.some]).mean())
        self.spread = max(of_means - noise, 0.05 * of_means, self.unit)
        nothing = np.zeros(ops.n_annotators)
        self.bias, self.gain = nothing, np.ones(ops.n_annotators)
        self.bias_variance = self.gain_variance = self.together = nothing
        self.precision = np.full(ops.n_annotators, 1.0 / within)
        self.of_bias, self.of_gain, self.shape, self.rate = 0.2 * within, 0.1, 5.0, 5.0 * within

    def step(self, method: EmpiricalBayes, number: int) -> float:
        """All of it once more; how far the farthest value moved, in spreads of the items."""
        before = self.x + self.mu
        self.find_items()
        self.find_lines()
        plain = self.find_precisions(method)
        self.anchor(method)
        self.weight = self.base * method.doubted(np.sqrt(self.precision[self.who] * plain), number)
        n = by_annotator(self.ops, self.weight)
        self.n = np.where(self.given, np.maximum(n, LEAST), 0.0)
        self.recentre()
        return float(np.abs(self.x + self.mu - before).max(initial=0.0)) / np.sqrt(self.spread)

    def find_items(self) -> None:
        """Means and variances of the items, given the annotators."""
        own = self.precision[self.who] * self.weight
        square = (self.gain**2 + self.gain_variance)[self.who]
        self.variance = 1.0 / (1.0 / self.spread + by_item(self.ops, own * square))
        off = self.ops.value - self.mu - self.bias[self.who]
        self.x = self.variance * by_item(self.ops, own * (self.gain[self.who] * off - self.together[self.who]))

    def find_lines(self) -> None:
        """What each annotator makes of the items: a Gaussian over bias and gain."""
        z, m = self.ops.value - self.mu, self.x[self.item]

        def total(value: Array) -> Array:
            return by_annotator(self.ops, self.weight * value)

        p = 1.0 / self.of_bias + self.precision * self.n
        q = 1.0 / self.of_gain + self.precision * total(m**2 + self.variance[self.item])
        c = self.precision * total(m)
        to_bias, to_gain = self.precision * total(z), 1.0 / self.of_gain + self.precision * total(z * m)
        both = p * q - c**2
        self.bias, self.gain = (q * to_bias - c * to_gain) / both, (p * to_gain - c * to_bias) / both
        self.bias_variance, self.gain_variance, self.together = q / both, p / both, -c / both

    def find_precisions(self, method: EmpiricalBayes) -> Array:
        """How exact each annotator is, and the priors of all three; gives squared errors, one per rating."""
        z, m, variance = self.ops.value - self.mu, self.x[self.item], self.variance[self.item]
        plain = (z - self.bias[self.who] - self.gain[self.who] * m) ** 2
        unsure = self.bias_variance[self.who] + 2.0 * self.together[self.who] * m + self.gain[self.who] ** 2 * variance
        error = plain + unsure + self.gain_variance[self.who] * (m**2 + variance)
        shape, rate = self.shape + self.n / 2.0, self.rate + by_annotator(self.ops, self.weight * error) / 2.0
        self.precision = method.capped(shape / rate, self.n)
        there = self.given
        self.shape = shape_of(self.precision[there], shape[there], rate[there], self.shape)
        self.rate = self.shape / float(self.precision[there].mean())
        self.of_bias = max(float((self.bias**2 + self.bias_variance)[there].mean()), LEAST * self.spread)
        self.of_gain = min(max(float(((self.gain - 1.0) ** 2 + self.gain_variance)[there].mean()), 1e-6), 1.0)
        return np.asarray(plain)

    def anchor(self, method: EmpiricalBayes) -> None:
        """The usual gain is called 1, and the items' scale follows."""
        usual = method.anchor(self.gain[self.given], self.n[self.given])
        self.gain, self.together = self.gain / usual, self.together / usual
        self.gain_variance = self.gain_variance / usual**2
        self.x, self.variance = self.x * usual, self.variance * usual**2

    def recentre(self) -> None:
        """The items' mean moves to mu; what annotators make of an item stays what it was."""
        shift = float(self.x[self.some].mean())
        self.mu, self.x = self.mu + shift, self.x - shift
        self.bias = self.bias + (self.gain - 1.0) * shift
        self.together = self.together + self.gain_variance * shift
        self.spread = max(float((self.x[self.some] ** 2 + self.variance[self.some]).mean()), self.unit)
