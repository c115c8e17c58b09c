"""Many truths at once: what share of people would say what, from few of their votes, and for groups of people."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...votes.codes import Array, encode
from ...votes.crowd import Crowd
from ...votes.keyed import keyed_uniform

STRENGTHS = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 40.0)
FOLDS = 5
TINY = 1e-12


def soft_labels(crowd: Crowd, by: Any = None, *, strength: float | None = None) -> Any:
    r"""The share of people who would give each class, (items, classes); of each group of people, if `by` names one.

    An item's votes are drawn to the crowd's shares m by c votes, :math:`(n_{ik} + c\, m_k) / (n_i + c)`; c is the one
    under which held-out votes are likeliest, unless `strength` says it. by: a column of `annotator_extra`, or a group
    for each annotator: then the shares of all on the item are moved by what the group differs in log-odds, and count
    as c votes beside the group's own; gives {group: shares}.

    This is no posterior of a truth: a Dawid-Skene posterior says how sure it is of one, and is a poor soft label.

    >>> crowd = Crowd.from_triples([(1, "a", "no"), (1, "b", "no"), (2, "a", "yes"), (2, "b", "no")])
    >>> soft_labels(crowd, strength=2.0).round(3).tolist()
    [[0.875, 0.125], [0.625, 0.375]]
    """
    crowd = Crowd.of(crowd)
    counts = _counts(crowd)
    usual = counts.sum(axis=0) / max(counts.sum(), TINY)
    c = strength_of(crowd) if strength is None else strength
    if not 0.0 <= c < np.inf:
        raise InputError(f"strength={c} must be at least 0")
    pooled = _drawn(counts, usual, c)
    if by is None:
        return pooled
    group = crowd.annotator_extra.get(by) if isinstance(by, str) else np.asarray(by)
    if group is None or len(group) != crowd.n_annotators:
        there = ", ".join(crowd.annotator_extra) or "none"
        raise InputError(f"by={by!r} is no column of the annotators, of which there are {there}")
    names, code = encode(group)
    out = {}
    for place, name in enumerate(names.tolist()):
        own = _counts(crowd.take(np.asarray(code)[crowd.annotator] == place))
        share = own.sum(axis=0) / max(own.sum(), TINY)
        log = np.log(np.maximum(pooled, TINY)) + np.log(np.maximum(share, TINY)) - np.log(np.maximum(usual, TINY))
        moved = np.exp(log - log.max(axis=1, keepdims=True))
        moved /= moved.sum(axis=1, keepdims=True)
        out[name] = (own + c * moved) / np.maximum(own.sum(axis=1, keepdims=True) + c, TINY)
    return out


def strength_of(crowd: Crowd) -> float:
    """How many votes of the crowd's shares an item's votes are drawn by: the one that foresees held-out votes best."""
    fold = np.floor(keyed_uniform(0, crowd.vote_hash) * FOLDS)
    told = np.zeros(len(STRENGTHS))
    for hidden in range(FOLDS):
        out = fold == hidden
        if not out.any() or out.all():
            continue
        counts = _counts(crowd.take(~out))
        usual = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * crowd.n_classes)
        for place, c in enumerate(STRENGTHS):
            shares = _drawn(counts, usual, c)
            told[place] += np.log(np.maximum(shares[crowd.item[out], crowd.label[out]], TINY)).sum()
    return STRENGTHS[int(told.argmax())]


def cross_entropy(found: Any, target: Any) -> float:
    """The mean of -sum target log found over items, in nats: the measure of Le-Wi-Di.

    >>> round(cross_entropy([[0.5, 0.5]], [[1.0, 0.0]]), 4)
    0.6931
    """
    q, p = _two(found, target)
    return float(-(p * np.log(np.maximum(q, TINY))).sum(axis=1).mean())


def jensen_shannon(found: Any, target: Any) -> float:
    """The mean Jensen-Shannon divergence over items, in nats.

    >>> jensen_shannon([[0.5, 0.5]], [[0.5, 0.5]])
    0.0
    """
    q, p = _two(found, target)
    middle = (p + q) / 2.0

    def divergence(a: Array) -> Array:
        return np.asarray((a * (np.log(np.maximum(a, TINY)) - np.log(np.maximum(middle, TINY)))).sum(axis=1))

    return float((0.5 * divergence(p) + 0.5 * divergence(q)).mean())


def _two(found: Any, target: Any) -> tuple[Array, Array]:
    q, p = np.asarray(found, float), np.asarray(target, float)
    if q.shape != p.shape or q.ndim != 2:
        raise InputError(f"shares of {q.shape} and of {p.shape}: one row per item, one column per class, both alike")
    for name, rows in (("found", q), ("target", p)):
        if not (np.isfinite(rows) & (rows >= 0.0)).all() or np.abs(rows.sum(axis=1) - 1.0).max(initial=0.0) > 1e-6:
            raise InputError(f"{name}: every row must be shares that sum to 1")
    return q, p


def _counts(crowd: Crowd) -> Array:
    key = crowd.item.astype(np.int64) * crowd.n_classes + crowd.label
    return np.bincount(key, crowd.weight, crowd.n_items * crowd.n_classes).reshape(crowd.n_items, -1).astype(float)


def _drawn(counts: Array, usual: Array, c: float) -> Array:
    return np.asarray(
        (counts + c * usual + TINY * usual) / np.maximum(counts.sum(axis=1, keepdims=True) + c + TINY, TINY)
    )
