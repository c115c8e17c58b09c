"""RaterFit: where a fit of `EmpiricalBayes` stands, and its steps. It knows no ratings, only their sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...engine.rating_sums import RaterLines, RaterSums, RatingSums
from ...votes.codes import Array
from .gamma_prior import shape_of

if TYPE_CHECKING:
    from .empirical_bayes import EmpiricalBayes

LEAST = 1e-9


class RaterFit:
    """What is believed of annotators (a line through the items' values, and a precision), and the priors of all.

    bias, gain: means of an annotator's line; bias_variance, gain_variance, together: its covariances. mu, spread: mean
    and variance of the items' values; of_bias, of_gain, shape, rate: the priors of annotators. x, variance: the items,
    part by part, as the last sweep found them, about the mu of that sweep. parts: ratings, items whole in each.
    """

    def __init__(self, parts: Sequence[RatingSums]):
        self.parts = parts
        n_item = [part.by_item() for part in parts]
        total = [part.by_item(part.ratings.value) for part in parts]
        of_all = sum(n.sum() for n in n_item)
        self.mu = float(sum(one.sum() for one in total) / max(of_all, 1e-300))
        means = [one[n > 0.0] / n[n > 0.0] - self.mu for one, n in zip(total, n_item, strict=True)]
        given = [n[n > 0.0] for n in n_item]
        square = sum(float(part.by_annotator((part.ratings.value - self.mu) ** 2).sum()) for part in parts)
        largest = max(float(np.abs(part.ratings.value).max(initial=0.0)) for part in parts)
        self.unit = 1e-12 * (square / max(of_all, 1e-300) or max(largest**2, 1.0))
        some = sum(n.size for n in given)
        within = square - sum(float(n @ mean**2) for n, mean in zip(given, means, strict=True))
        within = max(within / max(of_all - some, 1.0), self.unit)
        of_means = sum(float(mean @ mean) for mean in means) / some - (sum(mean.sum() for mean in means) / some) ** 2
        noise = within * sum(float((1.0 / n).sum()) for n in given) / some
        self.spread = float(max(of_means - noise, 0.05 * of_means, self.unit))
        n = sum(part.by_annotator() for part in parts)
        assert isinstance(n, np.ndarray)
        self.given = n > 0.0
        nothing = np.zeros(n.size)
        self.bias, self.gain = nothing, np.ones(n.size)
        self.bias_variance = self.gain_variance = self.together = nothing
        self.precision = np.full(n.size, 1.0 / within)
        self.of_bias, self.of_gain, self.shape, self.rate = 0.2 * within, 0.1, 5.0, 5.0 * within
        self.found: list[tuple[Array, Array]] = []

    @property
    def lines(self) -> RaterLines:
        """What a sweep takes."""
        square = self.gain**2 + self.gain_variance
        return RaterLines(self.bias, self.gain, self.precision, square, self.together, self.mu, self.spread)

    def step(self, method: EmpiricalBayes, number: int) -> float:
        """All of it once more; how far the farthest value moved, in spreads of the items."""
        before, spread = self.found, self.spread
        swept = [part.sweep(self.lines, method.wild(number - 1)) for part in self.parts]
        self.found = [(self.mu + x, variance) for x, variance, _ in swept]
        sums = swept[0][2]
        for _, _, more in swept[1:]:
            sums = sums.plus(more)
        sums = sums._replace(n=np.where(self.given, np.maximum(sums.n, LEAST), 0.0))
        self.find_lines(sums)
        self.find_precisions(method, sums)
        there, explained = self.given, self.gain**2 * self.spread
        told = explained / (explained + 1.0 / self.precision)
        usual = method.anchor(self.gain[there], self.gain_variance[there], sums.n[there], told[there])
        self.anchor(usual)
        # Where a network says where items lie, their mean is the network's.
        shift = usual * sums.mean / sums.items if self.parts[0].believed is None else 0.0
        self.recentre(shift, usual**2 * sums.square / sums.items)
        if not before:
            return float(np.inf)
        moved = max(
            float(np.abs(new - old).max(initial=0.0)) for (new, _), (old, _) in zip(self.found, before, strict=True)
        )
        return moved / float(np.sqrt(spread))

    def find_lines(self, sums: RaterSums) -> None:
        """What each annotator makes of the items: a Gaussian over bias and gain."""
        p = 1.0 / self.of_bias + self.precision * sums.n
        q = 1.0 / self.of_gain + self.precision * sums.xx
        c = self.precision * sums.x
        to_bias, to_gain = self.precision * sums.z, 1.0 / self.of_gain + self.precision * sums.zx
        both = p * q - c**2
        self.bias, self.gain = (q * to_bias - c * to_gain) / both, (p * to_gain - c * to_bias) / both
        self.bias_variance, self.gain_variance, self.together = q / both, p / both, -c / both

    def find_precisions(self, method: EmpiricalBayes, sums: RaterSums) -> None:
        """How exact each annotator is, and the priors of all three.

        The expected squared error is that of z - b - g x, with b, g and x uncertain.
        """
        b, g = self.bias, self.gain
        plain = sums.zz - 2.0 * (b * sums.z + g * sums.zx) + b**2 * sums.n + 2.0 * b * g * sums.x + g**2 * sums.xx
        unsure = self.bias_variance * sums.n + 2.0 * self.together * sums.x + self.gain_variance * sums.xx
        error = np.maximum(plain, 0.0) + unsure  # a difference of large sums may fall below 0 by rounding
        shape, rate = self.shape + sums.n / 2.0, self.rate + error / 2.0
        self.precision = method.capped(shape / rate, sums.n)
        there = self.given
        self.shape = shape_of(self.precision[there], shape[there], rate[there], self.shape)
        self.rate = self.shape / float(self.precision[there].mean())
        self.of_bias = max(float((self.bias**2 + self.bias_variance)[there].mean()), LEAST * self.spread)
        self.of_gain = min(max(float(((self.gain - 1.0) ** 2 + self.gain_variance)[there].mean()), 1e-6), 1.0)

    def anchor(self, usual: float) -> None:
        """The usual gain is called 1; the items' scale follows."""
        self.gain, self.together = self.gain / usual, self.together / usual
        self.gain_variance = self.gain_variance / usual**2

    def recentre(self, shift: float, square: float) -> None:
        """The items' mean moves to mu; what annotators make of an item stays what it was. square: of the items."""
        self.mu += shift
        self.bias = self.bias + (self.gain - 1.0) * shift
        self.together = self.together + self.gain_variance * shift
        self.spread = max(square - shift**2, self.unit)
