"""Items: which labels to accept, which to look at, and where one more vote would help most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine import bind
from ...errors import InputError
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.table import Table

SURE = 0.95


def review(
    crowd: Crowd,
    result: Result,
    *,
    trusted: Iterable[Any] = (),
    sure: float = SURE,
    gold: Any = None,
    counts: Array | None = None,
) -> Table:
    r"""One row per item, those where one more vote is expected to gain most first.

    Columns: item, label, confidence, votes, agreement (share of the votes for the most common label), state, gain,
    runner_up (the second most probable class) and, where trusted annotators contradict, trusted: what they say. Where
    `auto` let ebcc decide, committee is what its other members say instead, if they do: gold for some of these items
    would tell who is right.

    state: "contested", a trusted annotator says something else than the label; "uncertain", the confidence is below
    `sure`; "easy", the confidence is not, and all votes, of two annotators or more, say the label; otherwise "open":
    sure enough, though votes differ or there is one only. Easy items can be accepted; contested ones come first. Items
    of gold are known, and left out.

    gain: bits that one more vote, of an annotator drawn as votes are, is expected to tell of the class: the mutual
    information of class and label, :math:`\sum_{k l} q(k) A[k, l] \log_2 \frac{A[k, l]}{\sum_c q(c) A[c, l]}`, with A
    the crowd's mean confusion matrix, by votes. counts: votes by class and label (annotators, true, given), from which
    that is made; those of this crowd, unless it is a part of a larger one.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(9, 2, 0.8), n_items=200, per_item=4, seed=0)
    >>> found = review(made.crowd, DawidSkene().fit(made.crowd))
    >>> found["state"].tolist().count("easy") > 50, bool(found["gain"][0] >= found["gain"][-1])
    (True, True)
    """
    if not 0.0 < sure < 1.0:
        raise InputError(f"sure={sure} must lie between 0 and 1")
    crowd, posterior = result.on(crowd)
    ops = bind(crowd)
    said = ops.item_votes()
    votes, n_votes = said.sum(axis=1), np.bincount(crowd.item, minlength=crowd.n_items)
    voices = n_votes if not crowd.n_repeated else np.bincount(crowd.once().item, minlength=crowd.n_items)
    label = result.labels_on(crowd, posterior)
    confidence = posterior[np.arange(crowd.n_items), label]
    agreement = np.where(votes > 0.0, said.max(axis=1) / np.maximum(votes, 1e-300), np.nan)
    against = _trusted_votes(crowd, trusted)
    against[np.arange(crowd.n_items), label] = 0.0
    contested = against.max(axis=1) > 0.0
    committee = result.params.get("committee", label)
    doubted = committee != label if committee.size == label.size else np.zeros(label.size, bool)
    unanimous = (voices > 1) & (said.argmax(axis=1) == label) & (agreement > 1.0 - 1e-9) & ~doubted
    state = np.select(
        [contested, confidence < sure, unanimous], ["contested", "uncertain", "easy"], default="open"
    ).astype(object)
    others = posterior.copy()
    others[np.arange(crowd.n_items), label] = -1.0
    runner_up = crowd.classes[others.argmax(axis=1)] if crowd.n_classes > 1 else crowd.classes[label]
    gain = expected_gain(posterior, ops.confusion_counts(posterior) if counts is None else counts)
    order = np.lexsort((np.arange(crowd.n_items), -gain, ~contested))
    columns: dict[str, Any] = {
        "item": crowd.items,
        "label": crowd.classes[label],
        "confidence": confidence,
        "votes": n_votes,
        "agreement": agreement,
        "state": state,
        "gain": gain,
        "runner_up": runner_up,
    }
    if against.any():
        columns["trusted"] = _where(contested, crowd.classes[against.argmax(axis=1)])
    if doubted.any():
        columns["committee"] = _where(doubted, crowd.classes[committee])
    if gold is not None:
        order = order[gold_codes(crowd, gold)[order] < 0]
    return Table(columns).take(order)


def _where(there: Array, names: Array) -> Array:
    """Names where there are some, and None elsewhere."""
    out = names.astype(object)
    out[~there] = None
    return out


def expected_gain(posterior: Array, counts: Array) -> Array:
    """Bits that one more vote of an annotator of the crowd is expected to tell of each item's class.

    `counts` is the annotators' votes by class and label, (annotators, true, given).

    >>> votes = np.array([[[90.0, 10.0], [10.0, 90.0]]])
    >>> expected_gain(np.array([[0.5, 0.5], [1.0, 0.0]]), votes).round(2).tolist()
    [0.52, 0.0]
    """
    crowds = counts.sum(axis=0) + 0.5 / counts.shape[2]
    confusion = crowds / crowds.sum(axis=1, keepdims=True)
    said = posterior @ confusion  # (items, given)
    known = posterior @ (confusion * np.log2(confusion)).sum(axis=1)
    return np.asarray(np.maximum(known - (said * np.log2(np.maximum(said, 1e-300))).sum(axis=1), 0.0))


def repeated(crowd: Crowd) -> Table:
    """Votes of one annotator on one item more than once: item, annotator, votes, labels ("cat|dog"), contradict.

    >>> crowd = Crowd.from_triples([(1, "ann", "cat"), (1, "ann", "dog"), (1, "bob", "cat"), (2, "bob", "cat")])
    >>> list(repeated(crowd).rows())
    [(1, 'ann', 2, 'cat|dog', True)]
    """
    pair = crowd.item.astype(np.int64) * crowd.n_annotators + crowd.annotator
    keys, place, votes = np.unique(pair, return_inverse=True, return_counts=True)
    several = np.flatnonzero(votes > 1)
    names = np.array([str(name) for name in crowd.classes.tolist()], object)
    labels = np.full(several.size, "", object)
    contradict = np.zeros(several.size, np.int64)
    for code, name in enumerate(names):
        said = np.bincount(place[crowd.label == code], minlength=keys.size)[several] > 0
        labels[said] = np.where(labels[said] == "", name, labels[said] + "|" + name)
        contradict += said
    return Table(
        {
            "item": crowd.items[keys[several] // crowd.n_annotators],
            "annotator": crowd.annotators[keys[several] % crowd.n_annotators],
            "votes": votes[several],
            "labels": labels,
            "contradict": contradict > 1,
        }
    )


def _trusted_votes(crowd: Crowd, trusted: Iterable[Any]) -> Array:
    """Votes of trusted annotators by item and class."""
    return bind(crowd).item_votes(
        np.isin(crowd.annotator, crowd.codes_of("annotator", trusted, "trusted")).astype(float)
    )
