"""Annotators who compare: who sees what the others see, who says the opposite, tosses a coin, or prefers a side."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from ...engine.comparison_sums import sigmoid
from ...errors import InputError
from ...fit.result import Result
from ...methods import make
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from ...votes.keyed import keyed_uniform
from ...votes.table import Table
from ..annotators.verdict import discoveries

RANK = ("reversed", "one-sided", "spammer", "undecided", "fine")
LITTLE = 0.2  # reliability below which an answer is as good as none
FOLDS = 5
ENOUGH = 20  # answers an item from each annotator's others, from which one's own no longer move its score
SIDED = 0.25  # of the answers more on one side than the items explain


def comparer_verdicts(
    comparisons: Comparisons, result: Result, *, level: float = 0.9, false_discoveries: float = 0.05
) -> Table:
    r"""One row per annotator, worst first: answers, reliability with its interval, taste for a side, verdict, reason.

    With :math:`q = 2 p - 1`, p the chance that the left item wins by the scores of others, the reliability is
    :math:`\sum (2 w - 1) q / \sum q^2`: 1 for somebody who sees what the others see, 0 for a coin, -1 for the opposite.
    Scores are fitted without the annotator (five parts of the annotators, each judged by the rest). "reversed": below
    -.2, and surely below zero, no more than a share `false_discoveries` of those named by chance; "one-sided": at least
    a quarter of the answers more on one side than the items explain; "spammer": the interval's upper end lies below .2;
    "undecided": the interval contains zero; "fine": the rest. Ties count as half.

    >>> from crowdwise import AutoComparisons, simulate
    >>> made = simulate.comparisons(n_items=12, n_annotators=12, per_annotator=80, flippers=2, left=1, seed=0)
    >>> table = comparer_verdicts(made.comparisons, AutoComparisons().fit(made.comparisons))
    >>> table["verdict"].tolist()[:3], sorted(table["annotator"].tolist()[:3])
    (['reversed', 'reversed', 'one-sided'], [9, 10, 11])
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} must lie between 0 and 1")
    who, n, weight = comparisons.annotator, comparisons.n_annotators, comparisons._weight()
    chance = chance_by_others(comparisons, result)
    q, said = 2.0 * chance - 1.0, 2.0 * comparisons.won - 1.0
    decided = comparisons.label != 2

    def total(column: Array) -> Array:
        return np.bincount(who, weight * column, n)

    size = np.maximum(total(q**2), 1e-300)
    reliability = np.clip(total(said * q) / size, -1.5, 1.5)
    noise = np.maximum(total(q**2 * (1.0 - np.clip(reliability, -1.0, 1.0)[who] ** 2 * q**2)), 1e-300)
    error = np.sqrt(noise) / size
    half = NormalDist().inv_cdf(0.5 + level / 2.0) * error
    low, high = reliability - half, reliability + half
    seen = np.bincount(who, minlength=n)
    answers = np.maximum(total(decided * 1.0), 1e-300)
    expected = np.clip(reliability, 0.0, 1.0)[who] * q
    side = total(decided * (said - expected)) / answers / 2.0
    one_sided = (np.abs(side) > SIDED) & (np.abs(side) * np.sqrt(4.0 * answers) > 3.0)
    few = (seen < 4) | (total(np.abs(q)) < 1e-9)
    backwards = (
        (reliability < -LITTLE)
        & discoveries(np.where(few, 1.0, _left_tail(reliability / error)), false_discoveries)
        & ~few
    )
    verdict = np.select(
        [backwards & ~one_sided, one_sided & ~few, ~few & (high < LITTLE), few | (low <= 0.0)],
        ["reversed", "one-sided", "spammer", "undecided"],
        default="fine",
    ).astype(object)
    ends = [np.char.mod("%.2f", np.clip(end, -1.5, 1.5)).astype(object) for end in (low, high)]
    sees = "reliability " + ends[0] + " to " + ends[1]
    left = np.char.mod("%.0f", 100.0 * total((comparisons.label == 0) * 1.0) / answers).astype(object)
    words = {
        "reversed": sees + ": mostly says the opposite of the others",
        "one-sided": "says left in " + left + " % of the answers, whatever the items",
        "spammer": sees + ": answers tell next to nothing",
        "undecided": np.where(few, "too few answers to tell", sees + ": too little is known"),
    }
    columns = {
        "annotator": comparisons.annotators,
        "votes": seen,
        "reliability": np.where(few, np.nan, reliability),
        "reliability_low": np.where(few, -1.0, low),
        "reliability_high": np.where(few, 1.0, high),
        "side": np.where(seen > 0, side, np.nan),
        "ties": 1.0 - total(decided * 1.0) / np.maximum(total(np.ones(who.size)), 1e-300),
        "verdict": verdict,
        "reason": np.select([verdict == name for name in words], list(words.values()), ""),
    }
    order = np.lexsort((reliability, np.array([RANK.index(one) for one in verdict.tolist()])))
    return Table(columns).take(order)


def chance_by_others(comparisons: Comparisons, result: Result) -> Array:
    """The chance that the left item of each comparison wins, by scores that its annotator had no part in.

    Where items have many answers by many, one's own do not matter, and the result's scores are taken.
    """
    score = result.params.get("score")
    n = np.bincount(comparisons.annotator, minlength=comparisons.n_annotators)
    crowded = comparisons.n_votes > ENOUGH * comparisons.n_items and n.max(initial=0) < 0.02 * comparisons.n_votes
    if crowded and score is not None and len(score) == comparisons.n_items:
        return sigmoid(score[comparisons.item] - score[comparisons.other])
    chance, fold = np.full(comparisons.n_votes, 0.5), _folds(comparisons)
    for one in range(FOLDS):
        theirs = fold[comparisons.annotator] == one
        rest = comparisons.take(~theirs)
        if not theirs.any() or not rest.n_votes:
            continue
        model = make("crowd-bt") if (np.bincount(rest.annotator) > 0).sum() > 1 else make("bradley-terry")
        found = model.fit(rest).params["score"]
        chance[theirs] = sigmoid(found[comparisons.item] - found[comparisons.other])[theirs]
    return chance


def _folds(comparisons: Comparisons) -> Array:
    """Parts of the annotators, by their names, as even as can be."""
    order = np.argsort(keyed_uniform(1, comparisons.annotator_hash), kind="stable")
    fold = np.empty(order.size, np.int64)
    fold[order] = np.arange(order.size) % FOLDS
    return fold


def _left_tail(z: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))
