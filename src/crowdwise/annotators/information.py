"""Information: how many bits an annotator's vote can tell of an item's class."""

from __future__ import annotations

import numpy as np

from ..codes import Array

TOLERANCE = 1e-7  # nats between the bounds of a capacity
MOST_STEPS = 2_000


def capacity(confusion: Array) -> Array:
    r"""Bits a vote of each annotator can tell at most: the capacity of the channel from class to label.

    .. math:: C = \max_\pi \sum_{k l} \pi_k A[k, l] \log_2 \frac{A[k, l]}{\sum_c \pi_c A[c, l]}

    by Blahut and Arimoto's iteration, for confusion matrices (..., true, given). 0 for whoever says the same of every
    class, log2 K for an expert, and for an adversary who can be turned around as much as for an honest annotator.

    >>> flip, guess = [[0.1, 0.9], [0.9, 0.1]], [[0.7, 0.3], [0.7, 0.3]]
    >>> capacity(np.array([flip, guess, np.eye(2)])).round(3).tolist()
    [0.531, 0.0, 1.0]
    """
    matrix = np.asarray(confusion, float)
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    n_classes = flat.shape[1]
    share = np.full(flat.shape[:2], 1.0 / n_classes)
    log_a = np.log(np.maximum(flat, 1e-300))
    bits, left = np.zeros(len(flat)), np.arange(len(flat))
    for _ in range(MOST_STEPS):
        a, some = flat[left], share[left]
        said = np.einsum("mk,mkl->ml", some, a)
        gain = np.einsum("mkl,mkl->mk", a, log_a[left] - np.log(np.maximum(said, 1e-300))[:, None])  # KL of each row
        low = (some * gain).sum(axis=1)
        bits[left] = low
        weight = some * np.exp(gain - gain.max(axis=1, keepdims=True))
        share[left] = weight / weight.sum(axis=1, keepdims=True)
        left = left[gain.max(axis=1) - low > TOLERANCE]
        if not left.size:
            break
    return np.maximum(bits, 0.0).reshape(matrix.shape[:-2]) / np.log(2.0)


def spammer_score(confusion: Array) -> Array:
    """Raykar and Yu's score, 0 for a spammer to 1 for an expert: how different the rows of a matrix are.

    >>> spammer_score(np.array([np.eye(3), np.full((3, 3), 1 / 3)])).round(3).tolist()
    [1.0, 0.0]

    Reference: Raykar & Yu, Eliminating Spammers and Ranking Annotators for Crowdsourced Labeling Tasks, JMLR 13, 2012.
    """
    matrix = np.asarray(confusion, float)
    n_classes = matrix.shape[-1]
    # The sum over pairs of rows of their squared distance is K times the sum of squares about the mean row.
    about = matrix - matrix.mean(axis=-2, keepdims=True)
    return np.asarray(n_classes * (about**2).sum(axis=(-2, -1)) / max(n_classes * (n_classes - 1), 1))
