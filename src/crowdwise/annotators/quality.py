"""How good every annotator is, by what a result takes for true."""

from __future__ import annotations

import numpy as np

from ..crowd import Crowd
from ..engine import bind
from ..result import Result
from ..table import Table


def quality(crowd: Crowd, result: Result) -> Table:
    """A row an annotator, worst first: votes, expected accuracy, the label given most and how often.

    `accuracy` is the mean probability, under the result's posterior, that a vote of this annotator is right; NaN
    without votes.

    >>> from crowdwise import MajorityVote
    >>> crowd = Crowd.from_mapping({i: {"ann": "cat", "bob": "cat", "cy": "dog"} for i in range(4)})
    >>> [(row[0], round(row[2], 2)) for row in quality(crowd, MajorityVote().fit(crowd)).rows()]
    [('cy', 0.33), ('ann', 0.67), ('bob', 0.67)]
    """
    ops = bind(crowd)
    given = ops.given
    votes = given.sum(axis=1)
    right = ops.annotator_votes(result.posterior[crowd.item, crowd.label]).sum(axis=1)
    some = np.maximum(votes, 1e-300)
    accuracy = np.where(votes > 0.0, right / some, np.nan)
    order = np.argsort(accuracy, kind="stable")
    return Table(
        {
            "annotator": crowd.annotators[order],
            "votes": votes[order] if crowd.weight is not None else votes[order].astype(np.int64),
            "accuracy": accuracy[order],
            "favourite": crowd.classes[given.argmax(axis=1)][order],
            "favourite_share": (given.max(axis=1) / some)[order],
        }
    )
