"""Several views of the same items, such as two crowds, or a crowd and a network, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ...votes.codes import Array


def fused(views: Sequence[Any], prior: Any = None, *, weights: Sequence[float] | None = None) -> Array:
    r"""What several views say together, (items, classes), where they err independently given the class:

    .. math:: q_i(k) \propto \pi_k \prod_v \left(\frac{q_i^v(k)}{\pi_k}\right)^{w_v}

    views: posteriors, or predicted chances, (items, classes) each, of the same items and classes; a row of a view that
    says nothing is even, or the prior. prior: the classes' shares; the mean of all views unless told. weights: how much
    each view counts, 1 unless told; views that share errors count less. Two crowds that answered the same question are
    better joined (`crowd + more`), so that the votes of both find the classes together.

    >>> fused([[[0.8, 0.2]], [[0.7, 0.3]]], prior=[0.5, 0.5]).round(3).tolist()
    [[0.903, 0.097]]
    """
    rows = [np.asarray(view, float) for view in views]
    if not rows or any(view.shape != rows[0].shape or view.ndim != 2 for view in rows):
        shapes = ", ".join(str(view.shape) for view in rows) or "none"
        raise InputError(f"views: {shapes}; one row per item and one column per class, all alike")
    for view in rows:
        if not (np.isfinite(view) & (view >= 0.0)).all() or not (view.sum(axis=1) > 0.0).all():
            raise InputError("views: every row must be a distribution over the classes")
    rows = [view / view.sum(axis=1, keepdims=True) for view in rows]
    if prior is not None:
        given = np.asarray(prior, float)
        if given.shape != rows[0].shape[1:] or not (np.isfinite(given) & (given >= 0.0)).all() or not given.sum() > 0.0:
            raise InputError(f"prior={prior}: a share is needed for each of {rows[0].shape[1]} classes")
    each = np.ones(len(rows)) if weights is None else np.asarray(weights, float)
    if each.shape != (len(rows),) or not (np.isfinite(each) & (each >= 0.0)).all():
        raise InputError(f"weights={weights}: a number of at least 0 is needed for each of {len(rows)} views")
    shares = np.mean([view.mean(axis=0) for view in rows], axis=0) if prior is None else np.asarray(prior, float)
    log_prior = np.log(np.maximum(shares / shares.sum(), 1e-300))
    said = [w * (np.log(np.maximum(view, 1e-300)) - log_prior) for w, view in zip(each, rows, strict=True)]
    log = log_prior + np.sum(said, axis=0)
    joint = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))
