"""What a result says of items whose labels are known, as if they had not been: cross-fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...fit.result import Result
from ...votes.codes import Array
from ...votes.frames import known_labels
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
    told = {item: one for item, one in known_labels(human).items() if item in result.gold}
    if not told:
        return posterior, label
    fold = np.floor(keyed_uniform(1, on.item_hash) * FOLDS)
    place = dict(zip(on.items.tolist(), range(on.n_items), strict=True))
    for hidden in range(FOLDS):
        here = [place[item] for item in told if item in place and fold[place[item]] == hidden]
        rest = {item: one for item, one in result.gold.items() if item not in place or fold[place[item]] != hidden}
        if here and rest:
            again = result.method.fit(crowd, gold=rest)
            _, other = again.on(crowd)
            posterior[here], label[here] = other[here], again.labels_on(on, other)[here]
    return posterior, label
