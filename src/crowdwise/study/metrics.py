"""How good an answer is: labels, probabilities, confusion matrices and skills against a known truth.

`posterior` is (items, classes); `truth` holds class codes in the same order, -1 where the truth is not known. A code
beyond the classes is a truth that no method could name: it counts as wrong.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..votes.codes import Array
from ..votes.table import Table
from ..votes.ties import shared


def _known(posterior: Array, truth: Array) -> tuple[Array, Array]:
    truth = np.asarray(truth)
    known = truth >= 0
    if not known.any():
        raise InputError("no item has a known truth")
    posterior = np.asarray(posterior)[known]
    unnamed = max(0, int(truth.max()) + 1 - posterior.shape[1])
    return np.pad(posterior, ((0, 0), (0, unnamed))), truth[known]


def accuracy(posterior: Array, truth: Array) -> float:
    """Share of items whose largest probability is at the truth; a tie counts one over the number of tied classes.

    >>> accuracy(np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([0, 1]))
    0.75
    """
    posterior, truth = _known(posterior, truth)
    return float(shared(posterior)[np.arange(len(truth)), truth].mean())


def macro_f1(posterior: Array, truth: Array) -> float:
    """Mean over the classes (those that are true of an item or said of one) of F1; ties shared, as in `accuracy`."""
    posterior, truth = _known(posterior, truth)
    said = shared(posterior)
    true = np.eye(posterior.shape[1])[truth]
    both, either = (said * true).sum(axis=0), (said + true).sum(axis=0)
    return float((2.0 * both[either > 0] / either[either > 0]).mean())


def log_loss(posterior: Array, truth: Array, floor: float = 1e-12) -> float:
    """Mean negative log probability of the truth, in nats; probabilities are floored, so that it is finite."""
    posterior, truth = _known(posterior, truth)
    return float(-np.log(np.maximum(posterior[np.arange(len(truth)), truth], floor)).mean())


def brier(posterior: Array, truth: Array) -> float:
    """Mean squared distance between the distribution and the truth, 0 to 2.

    >>> brier(np.array([[0.0, 1.0]]), np.array([0]))
    2.0
    """
    posterior, truth = _known(posterior, truth)
    return float(((posterior - np.eye(posterior.shape[1])[truth]) ** 2).sum(axis=1).mean())


def calibration_error(posterior: Array, truth: Array, bins: int = 10) -> float:
    """Expected calibration error: mean gap between confidence and accuracy over bins of confidence, by items.

    A label with a confidence of 0.8 should be right four times in five (Guo et al. 2017, equation 3).

    >>> calibration_error(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1]))
    0.5
    """
    items, confidence, right = _by_confidence(posterior, truth, bins)
    return float(np.abs(right - confidence).sum() / items.sum())


def reliability(posterior: Array, truth: Array, bins: int = 10) -> Table:
    """One row per bin of confidence that holds items: how many, their mean confidence, and the share that is right.

    >>> list(reliability(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1])).rows())
    [(2, 1.0, 0.5)]
    """
    items, confidence, right = _by_confidence(posterior, truth, bins)
    some = items > 0
    shares = {name: column[some] / items[some] for name, column in (("confidence", confidence), ("accuracy", right))}
    return Table({"items": items[some], **shares})


def _by_confidence(posterior: Array, truth: Array, bins: int) -> tuple[Array, Array, Array]:
    """Items, sum of their confidences, and how many are right, in each bin."""
    posterior, truth = _known(posterior, truth)
    confidence = posterior.max(axis=1)
    right = shared(posterior)[np.arange(len(truth)), truth]
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    return np.bincount(which, minlength=bins), np.bincount(which, confidence, bins), np.bincount(which, right, bins)


def confusion_error(estimated: Array, true: Array) -> float:
    """Squared distance between estimated and true confusion matrices, over the number of annotators and of classes.

    The error of Tanno et al. (2019), section 3.2: between 0 and 2.

    >>> confusion_error(np.eye(2)[None], np.full((1, 2, 2), 0.5))
    0.5
    """
    estimated, true = np.asarray(estimated), np.asarray(true)
    return float(((estimated - true) ** 2).sum() / (len(true) * true.shape[1]))


def skill_correlation(estimated: Array, true: Array) -> float:
    """Spearman's rank correlation between estimated and true skills of annotators.

    >>> skill_correlation(np.array([0.1, 0.5, 0.9]), np.array([0.3, 0.4, 0.6]))
    1.0
    """
    from scipy.stats import rankdata

    a, b = (rankdata(value) - (len(value) + 1) / 2.0 for value in (estimated, true))
    spread = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum() / spread) if spread else float("nan")
