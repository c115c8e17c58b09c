"""The chance that somebody guesses: their labels against what the others say of the same items."""

from __future__ import annotations

import numpy as np

from ...engine import NumpyEngine
from ...votes.codes import Array


def chance_of_guessing(ops: NumpyEngine, rows: Array) -> Array:
    r"""The chance that labels of somebody who guesses go so well with what the others say of the item.

    With :math:`o` the sum of the others' V for their votes on the item, B its scatter between an annotator's labels and
    T in all, :math:`n \, \mathrm{tr}(T^{-1} B)` of n votes is chi-squared with (labels - 1) rank degrees of freedom.
    """
    from scipy.special import chdtrc

    n, n_classes, rank = rows.shape
    mean = ops.given / np.maximum(ops.given.sum(axis=1), 1e-300)[:, None]
    rows = rows - np.einsum("jl,jlr->jr", mean, rows)[:, None]
    weight = np.ones(ops.crowd.n_votes) if ops.weight is None else ops.weight
    who, cell = ops.annotator.astype(np.int64), ops.annotator.astype(np.int64) * n_classes + ops.label
    own = weight[:, None] * rows[who, ops.label]
    opinion = np.stack([np.bincount(ops.item, one, ops.n_items) for one in own.T], axis=1)[ops.item] - own
    some = np.maximum(ops.given, 1e-300)
    total = np.stack([np.bincount(cell, weight * one, n * n_classes) for one in opinion.T], axis=1)
    total = total.reshape(n, n_classes, rank)
    centre = total.sum(axis=1) / np.maximum(ops.given.sum(axis=1), 1e-300)[:, None]
    between = np.einsum("jlr,jls->jrs", total / some[:, :, None], total)
    middle = ops.given.sum(axis=1)[:, None, None] * np.einsum("jr,js->jrs", centre, centre)
    square = np.empty((n, rank, rank))
    for r in range(rank):
        for s in range(r + 1):
            square[:, r, s] = square[:, s, r] = np.bincount(who, weight * opinion[:, r] * opinion[:, s], n)
    inverse = np.linalg.pinv(square - middle, rcond=1e-6, hermitian=True)
    pillai = np.einsum("jrs,jsr->j", inverse, between - middle)
    freedom = np.maximum(((ops.given > 0.0).sum(axis=1) - 1.0) * rank, 1.0)
    return np.asarray(chdtrc(freedom, np.maximum(ops.given.sum(axis=1) * pillai, 0.0)))
