"""What a result says of items whose labels are known, as if they had not been: cross-fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...fit.result import Result
from ...votes.codes import Array
from ...votes.gold import gold_codes
from ...votes.keyed import keyed_uniform
from ..fairness.gaps import votes_of

FOLDS = 5


def crossed(result: Result, human: Any) -> tuple[Array, Array]:
    """The posterior and the labels' codes of all items of the votes, on the result's classes.

    Where the result was told labels, those items are looked at by fits that were told four fifths of the others.
    """
    crowd = votes_of(result)
    on, posterior = result.on(crowd)
    label = result.labels_on(on, posterior)
    if not result.gold:
        return posterior, label
    gold = gold_codes(on, result.gold)
    asked = (gold >= 0) & (gold_codes(on, human) >= 0)
    fold = np.floor(keyed_uniform(1, on.item_hash) * FOLDS)
    for hidden in range(FOLDS):
        here = np.flatnonzero(asked & (fold == hidden))
        rest = np.flatnonzero((gold >= 0) & (fold != hidden))
        if here.size and rest.size:
            told = dict(zip(on.items[rest].tolist(), on.classes[gold[rest]].tolist(), strict=True))
            again = result.method.fit(crowd, gold=told)
            _, other = again.on(crowd)
            posterior[here], label[here] = other[here], again.labels_on(on, other)[here]
    return posterior, label
