"""Means from few human labels and many judged ones, with intervals that hold whatever the judge is worth."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, OptionError
from ...votes.codes import Array


class JudgedMean(NamedTuple):
    """A mean and its interval; how much the judge was listened to; and how many human labels alone would do as well."""

    mean: float
    low: float
    high: float
    trust: float
    worth: float


def judged_mean(
    human: Any,
    judge_there: Any,
    judge: Any,
    *,
    level: float = 0.9,
    trust: float | None = None,
    finite: bool = False,
) -> JudgedMean:
    r"""The mean of human labels over all items, by the few that people labelled and what a judge says of all.

    With n labels y of people, what the judge f says of these items, and what it says (F) of N others:

    .. math::
        \theta = \lambda \bar F + \overline{y - \lambda f}, \qquad
        \mathrm{var} = \lambda^2 \mathrm{var}(F) / N + \mathrm{var}(y - \lambda f) / n

    A judge who is wrong in one direction is corrected by the items that both looked at: the interval holds whatever the
    judge is worth. :math:`\lambda = \mathrm{cov}(y, f) / ((1 + n / N)\, \mathrm{var} f)`, between 0 and 1, makes it as
    narrow as can be; `trust` fixes it. Win rates, prevalences and accuracies are means of zeros and ones.

    finite: whether the mean is of just these items; unless it is, they stand for more of their kind. Of M items at hand
    the share n / M is known then: :math:`\mathrm{var} = (1 - n / M)\, \mathrm{var}(y - \lambda f) / n`. And human
    labels are taken alone where their interval is narrower, which would cost coverage elsewhere.

    Reference: Angelopoulos, Duchi & Zrnic, PPI++, 2023; Angelopoulos et al., Science 382, 2023.

    >>> rng = np.random.default_rng(1)
    >>> truth = (rng.random(2000) < 0.6).astype(float)
    >>> judge = np.where(rng.random(2000) < 0.85, truth, 1 - truth)
    >>> found = judged_mean(truth[:100], judge[:100], judge[100:])
    >>> bool(found.low < truth.mean() < found.high), bool(found.worth > 150)
    (True, True)
    """
    y, f, everywhere = (
        _numbers(name, one) for name, one in (("human", human), ("judge_there", judge_there), ("judge", judge))
    )
    if y.size != f.size:
        raise InputError(f"{y.size} human labels and {f.size} of the judge on the same items")
    if y.size < 2 or everywhere.size < 2:
        raise InputError("two human labels, and two items that only the judge saw, are the least")
    if not 0.0 < level < 1.0:
        raise OptionError(f"level={level} must lie between 0 and 1")
    from scipy.stats import t as student

    n, many = y.size, everywhere.size
    left = many / (n + many) if finite else 1.0
    alone = left * float(np.var(y, ddof=1)) / n
    found = trust is None
    if trust is None:
        spread = float(np.var(np.concatenate([f, everywhere]), ddof=1))
        both = float(np.cov(y, f)[0, 1]) / (1.0 if finite else 1.0 + n / many)
        trust = float(np.clip(both / spread, 0.0, 1.0)) if spread > 0.0 else 0.0
    rest = y - trust * f
    of_judge = np.concatenate([f, everywhere]).mean() if finite else everywhere.mean()
    mean = float(trust * of_judge + rest.mean())
    of_items = 0.0 if finite else trust**2 * float(np.var(everywhere, ddof=1)) / many
    variance = of_items + left * _left_out(rest, f) / n
    half = float(student.ppf(0.5 + level / 2.0, n - 2 if n > 2 else 1)) * variance**0.5  # trust was found too
    by_people = float(student.ppf(0.5 + level / 2.0, n - 1)) * alone**0.5
    if finite and found and by_people < half and y.std():
        trust, mean, variance, half, rest = 0.0, float(y.mean()), alone, by_people, y
    if not rest.std() and set(np.unique(y)) <= {0.0, 1.0}:  # no error was seen: one would be by chance, in so many
        half = max(half, 1.0 - (1.0 - level) ** (1.0 / n))
    return JudgedMean(mean, mean - half, mean + half, trust, n * alone / variance if variance > 0.0 else float(n))


def _left_out(rest: Array, f: Array) -> float:
    """The variance of what is left of labels by those of them that trust was not found from: each one left out."""
    off = f - f.mean()
    pull = 1.0 / rest.size + off**2 / max(float((off**2).sum()), 1e-300)
    return float((((rest - rest.mean()) / np.maximum(1.0 - pull, 1e-2)) ** 2).mean())


def labels_to_validate(within: float, accuracy: float = 0.85, level: float = 0.9) -> int:
    """How many human labels tell a judge's accuracy to within so much.

    >>> labels_to_validate(0.05)
    138
    """
    if not 0.0 < within < 1.0 or not 0.0 < accuracy < 1.0:
        raise OptionError(f"within={within} and accuracy={accuracy} must lie between 0 and 1")
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    return int(np.ceil(z**2 * accuracy * (1.0 - accuracy) / within**2 - 1e-9))


def _numbers(name: str, values: Any) -> Array:
    numbers = np.asarray(values, float).ravel()
    if not np.isfinite(numbers).all():
        raise InputError(f"{name}: number {int((~np.isfinite(numbers)).argmax())} is not finite")
    return numbers
