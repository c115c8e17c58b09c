"""How good every annotator is, by what a result takes for true."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..crowd import Crowd
from ..engine import bind
from ..result import Result
from ..table import Table
from ..uncertainty import annotator_intervals


def quality(crowd: Crowd, result: Result, *, level: float | None = None, seed: int = 0, gold: Any = None) -> Table:
    """A row an annotator, worst first: votes, expected accuracy, the label given most and how often.

    With a level, also the ends of the accuracy's interval, from 200 draws (`crowdwise.uncertainty`). Where annotators
    were found to err together, `group` tells who with whom, -1 nobody.

    `accuracy` is the mean probability, under the result's posterior, that a vote of this annotator is right; NaN
    without votes.

    >>> from crowdwise import MajorityVote
    >>> crowd = Crowd.from_mapping({i: {"ann": "cat", "bob": "cat", "cy": "dog"} for i in range(4)})
    >>> [(row[0], round(row[2], 2)) for row in quality(crowd, MajorityVote().fit(crowd)).rows()]
    [('cy', 0.33), ('ann', 0.67), ('bob', 0.67)]
    """
    crowd = crowd.with_names(annotators=result.annotators).with_classes(result.classes)
    ops = bind(crowd)
    given = ops.given
    votes = given.sum(axis=1)
    right = ops.annotator_votes(result.posterior[crowd.item, crowd.label]).sum(axis=1)
    some = np.maximum(votes, 1e-300)
    accuracy = np.where(votes > 0.0, right / some, np.nan)
    columns = {
        "annotator": crowd.annotators,
        "votes": votes if crowd.weight is not None else votes.astype(np.int64),
        "accuracy": accuracy,
    }
    if level is not None:
        bounds = annotator_intervals(crowd, result, level, seed=seed, gold=gold)
        columns |= {name: np.where(votes > 0.0, bounds[name], np.nan) for name in ("low", "high")}
    columns["favourite"] = crowd.classes[given.argmax(axis=1)]
    columns["favourite_share"] = given.max(axis=1) / some
    if "group" in result.params:
        columns["group"] = result.params["group"]
    order = np.argsort(accuracy, kind="stable")
    return Table({name: column[order] for name, column in columns.items()})
