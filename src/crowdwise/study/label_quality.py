"""Label quality: consensus labels, their quality and that of annotators, beside a classifier of the user's own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine import bind
from ..errors import InputError
from ..votes.codes import Array, find, names_array, shown
from ..votes.crowd import Crowd
from ..votes.table import Table

LEAST = 1e-6  # weight of a member who is no better than always saying the commonest class


class LabelQuality(NamedTuple):
    """What votes and predictions say together.

    labels: one row per item: item, label (the consensus), quality (its probability), agreement (the share of the
    item's votes that say so), votes, and priority: the lower, the more one more vote would help. annotators: one row
    each, worst first: annotator, quality, agreement with the consensus, votes, worst_class (which of their labels is
    believed least). posterior: (items, classes). model_weight, annotator_weight: what a member's word counts.
    """

    labels: Table
    annotators: Table
    posterior: Array
    model_weight: float
    annotator_weight: Array


def label_quality(votes: Any, proba: Any, *, items: Any = None, classes: Any = None) -> LabelQuality:
    r"""CROWDLAB and ActiveLab in one call: the votes, and probabilities that a classifier gives the same items.

    .. math::
        q_i(k) \propto w_M \, p_{ik} + \sum_{j \in J_i} w_j \, P^{1[l_{ij} = k]}
        \Big(\tfrac{1 - P}{K - 1}\Big)^{1[l_{ij} \ne k]}

    with P the mean agreement with the consensus; :math:`w_j` one less the annotator's disagreement with others over
    that of always saying the commonest class, :math:`w_M` likewise for the classifier, times the root of the votes an
    item. The consensus is the majority's, ties to the classifier, then the most probable class of q, from which all is
    counted once more. Agreement is counted on items with two votes or more. The classifier must not have learned from
    the items that it speaks of: give probabilities from cross-validation.

    proba: (items, classes). items: the names of its rows, else those of the votes in their order
    (numbers 0 to n - 1 are row numbers). classes: the names
    of its columns, else those of the votes in their order. An item without votes has the classifier's label, and the
    quality of that.

    >>> votes = Crowd.from_matrix([[0, 0, 1], [1, 1, 1], [0, 1, -1], [0, 0, -1]])
    >>> told = label_quality(votes, [[0.8, 0.2], [0.1, 0.9], [0.3, 0.7], [0.9, 0.1]])
    >>> told.labels["label"].tolist(), told.annotators["annotator"].tolist()[0]
    ([0, 1, 1, 0], 2)

    Reference: Goh, Tkachenko & Mueller, 2022 (arXiv 2210.06812); priority: Goh & Mueller, 2023 (ActiveLab), without
    the temperature that cleanlab fits before it.
    """
    crowd, said = _matched(Crowd.of(votes), np.asarray(proba, float), items, classes)
    ops = bind(crowd, "numpy")
    counts = np.asarray(ops.item_votes())
    per_item = np.bincount(crowd.item, minlength=crowd.n_items)
    several = per_item > 1
    if not several.any():
        raise InputError("every item has one vote: agreement between annotators needs two votes on some items")
    # Ties of the majority go to the classifier, then to the rarer class.
    rarer = 1e-9 * (1.0 - counts.sum(axis=0) / max(counts.sum(), 1.0))
    consensus = (counts + 1e-3 * said + rarer).argmax(axis=1)
    with_others = _with_others(crowd, counts)
    for _ in range(2):
        posterior, model_weight, weight, total = _ensemble(crowd, counts, said, consensus, several, with_others)
        used, consensus = consensus, posterior.argmax(axis=1)
    consensus = used
    rows = np.arange(crowd.n_items)
    quality = posterior[rows, consensus]
    agreement = counts[rows, consensus] / np.maximum(counts.sum(axis=1), 1e-12)
    mean = float(weight.mean())
    labels = Table(
        {
            "item": crowd.items,
            "label": crowd.classes[consensus],
            "quality": quality,
            "agreement": np.where(per_item > 0, agreement, np.nan),
            "votes": per_item,
            "priority": (quality * total + mean / crowd.n_classes) / (total + mean),
        }
    )
    annotators = _annotators(crowd, posterior, consensus, several, model_weight, weight)
    return LabelQuality(labels, annotators, posterior, model_weight, weight)


def _matched(crowd: Crowd, said: Array, items: Any, classes: Any) -> tuple[Crowd, Array]:
    """Votes and probabilities in the same order of items and classes."""
    if said.ndim != 2 or not np.isfinite(said).all() or (said < 0.0).any():
        raise InputError("proba must be (items, classes), of numbers that are not negative")
    if items is not None:
        names = names_array(items)
        if len(names) != len(said):
            raise InputError(f"items: {len(names)} names for {len(said)} rows of proba")
        missing = find(crowd.items, names) < 0
        if missing.any():
            raise InputError(f"item {shown(crowd.items[missing][0])} has votes and no row in proba")
        crowd = crowd.with_names(items=names)
        said = said[find(crowd.items, names)]
    elif crowd.items.dtype.kind in "iu" and np.array_equal(np.sort(crowd.items), np.arange(len(said))):
        said = said[crowd.items]  # items that are row numbers
    if classes is not None:
        names = names_array(classes)
        if len(names) != said.shape[1]:
            raise InputError(f"classes: {len(names)} names for {said.shape[1]} columns of proba")
        missing = find(crowd.classes, names) < 0
        if missing.any():
            raise InputError(f"class {shown(crowd.classes[missing][0])} has votes and no column in proba")
        crowd = crowd.with_names(classes=names)
        said = said[:, find(crowd.classes, names)]
    if said.shape != (crowd.n_items, crowd.n_classes):
        raise InputError(
            f"proba is {said.shape[0]} x {said.shape[1]} for {crowd.n_items} items and {crowd.n_classes} classes: name "
            "its rows (items=) and columns (classes=)"
        )
    return crowd, said / said.sum(axis=1, keepdims=True)


def _with_others(crowd: Crowd, counts: Array) -> Array:
    """How often each annotator says what others say of the same item; the others' mean for who never met anybody."""
    weight = np.ones(crowd.n_votes) if crowd.weight is None else crowd.weight
    others = counts.sum(axis=1)[crowd.item] - weight
    same = counts[crowd.item, crowd.label] - weight
    met, alike = (
        np.bincount(crowd.annotator, weight * value, minlength=crowd.n_annotators) for value in (others, same)
    )
    share = alike / np.where(met > 0.0, met, 1.0)
    return np.where(met > 0.0, share, share[met > 0.0].mean())


def _ensemble(
    crowd: Crowd, counts: Array, said: Array, consensus: Array, several: Array, with_others: Array
) -> tuple[Array, float, Array, Array]:
    """Classifier and annotators as a weighted vote: posterior, their weights, and all weights on an item."""
    n_classes, rows = crowd.n_classes, np.arange(crowd.n_items)
    agreed = (counts[rows, consensus] / np.maximum(counts.sum(axis=1), 1e-12))[several].mean()
    common = np.bincount(consensus[several], minlength=n_classes).argmax()
    guess = max(float((consensus[several] != common).mean()), LEAST)
    weight = np.maximum(1.0 - (1.0 - with_others) / guess, LEAST)
    wrong = float((said.argmax(axis=1) != consensus)[several].mean())
    per_item = np.bincount(crowd.item, minlength=crowd.n_items)
    model_weight = max(1.0 - wrong / guess, LEAST) * float(np.sqrt(per_item[per_item > 0].mean()))
    own = weight[crowd.annotator] * (1.0 if crowd.weight is None else crowd.weight)
    on_item = np.bincount(crowd.item, own, minlength=crowd.n_items)
    by_label = np.bincount(crowd.item * np.int64(n_classes) + crowd.label, own, minlength=crowd.n_items * n_classes)
    other = (1.0 - agreed) / max(n_classes - 1, 1)
    joint = model_weight * said + other * on_item[:, None] + (agreed - other) * by_label.reshape(-1, n_classes)
    return joint / (model_weight + on_item)[:, None], model_weight, weight, model_weight + on_item


def _annotators(
    crowd: Crowd, posterior: Array, consensus: Array, several: Array, model_weight: float, weight: Array
) -> Table:
    n = crowd.n_annotators

    def mean(values: Array, some: Array) -> Array:
        votes = np.bincount(crowd.annotator[some], minlength=n)
        total = np.bincount(crowd.annotator[some], values[some], minlength=n)
        return np.where(votes > 0, total / np.maximum(votes, 1), np.nan)

    given = posterior[crowd.item, crowd.label]
    right = (crowd.label == consensus[crowd.item]).astype(float)
    agreement = mean(right, several[crowd.item])
    # The classifier's word counts here as much as it does on an item of the usual number of votes.
    per_item = np.bincount(crowd.item, minlength=crowd.n_items)
    share = model_weight / (model_weight + weight.sum() * per_item[per_item > 0].mean() / n)
    quality = share * mean(given, np.ones(crowd.n_votes, bool)) + (1.0 - share) * agreement
    cell = crowd.annotator * np.int64(crowd.n_classes) + crowd.label
    size = n * crowd.n_classes
    votes, sums = np.bincount(cell, minlength=size), np.bincount(cell, given, minlength=size)
    by_class = np.where(votes > 0, sums / np.maximum(votes, 1), np.inf).reshape(n, -1)
    order = np.argsort(np.nan_to_num(quality, nan=2.0), kind="stable")
    return Table(
        {
            "annotator": crowd.annotators[order],
            "quality": quality[order],
            "agreement": agreement[order],
            "votes": np.bincount(crowd.annotator, minlength=n)[order],
            "worst_class": crowd.classes[by_class.argmin(axis=1)][order],
        }
    )
