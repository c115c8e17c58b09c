"""Soft votes: how much a vote counts whose probability is told, as judges made of language models do."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..errors import InputError
from .codes import Array

if TYPE_CHECKING:
    from .crowd import Crowd

C = TypeVar("C", bound="Crowd")

ROUNDED = 1e-3  # by which the probabilities of a distribution may exceed 1


def soften(crowd: C, probability: str = "probability") -> C:
    r"""Votes that count by what their probability says beyond chance.

    Among K classes a vote of probability p counts :math:`(K p - 1) / (K - 1)`: 1 where it is certain, 0 where it is a
    guess. That is what is left of the distribution p, (1 - p) / (K - 1), ..., when its uniform part, which says
    nothing, is taken away. Votes without a probability (NaN) count as before. Where an annotator's votes on an item
    are a distribution over classes, the likeliest class is the vote (`likeliest`): time and memory are those of plain
    votes, however many classes there are.

    The column, one of `crowd.extra`, is used up: what is soft is not softened again.

    >>> from crowdwise import Crowd
    >>> votes = [(1, "llm", "cat"), (1, "llm", "dog"), (1, "ann", "dog"), (2, "llm", "dog")]
    >>> crowd = Crowd.from_triples(votes, extra={"probability": [0.7, 0.3, np.nan, 0.9]})
    >>> list(soften(crowd).to_table().rows())
    [(1, 'llm', 'cat', 0.4), (1, 'ann', 'dog', 1.0), (2, 'llm', 'dog', 0.8)]
    """
    crowd = likeliest(crowd, probability)
    sure = _probabilities(crowd, probability)
    n = max(crowd.n_classes, 2)
    beyond_chance = np.clip((n * sure - 1.0) / (n - 1.0), 0.0, 1.0).round(12)
    weight = np.where(np.isnan(sure), 1.0, beyond_chance) * (1.0 if crowd.weight is None else crowd.weight)
    if weight.size and not weight.any():
        raise InputError(f"column {probability!r}: no vote says more than a guess would, 1 of {n}")
    extra = {name: column for name, column in crowd.extra.items() if name != probability}
    return crowd.with_weight(weight).with_extra(extra)


def likeliest(crowd: C, probability: str = "probability") -> C:
    """Of each distribution over classes its likeliest class.

    An annotator's votes on an item are a distribution if they name different classes, with probabilities of a sum of
    at most 1. Otherwise each is a vote of its own, as of a judge who was asked again.
    """
    sure = _probabilities(crowd, probability)
    pair = crowd.item.astype(np.int64) * crowd.n_annotators + crowd.annotator
    pairs, place, votes = np.unique(pair, return_inverse=True, return_counts=True)
    if pairs.size == pair.size:
        return crowd
    labels = np.bincount(np.unique(place * crowd.n_classes + crowd.label) // crowd.n_classes)
    spread = (votes > 1) & (labels == votes) & (np.bincount(place, sure) <= 1.0 + ROUNDED)  # not where one is NaN
    order = np.lexsort((-sure, place))  # the first of each pair is the likeliest
    first = np.zeros(pair.size, bool)
    first[order[np.cumsum(votes) - votes]] = True
    return crowd.take(first | ~spread[place])


def _probabilities(crowd: Crowd, column: str) -> Array:
    if column not in crowd.extra:
        raise InputError(f"there is no column {column!r} among the votes' extra columns; are they soft already?")
    sure = np.asarray(crowd.extra[column], float)
    wrong = (sure < 0.0) | (sure > 1.0)
    if wrong.any():
        raise InputError(f"column {column!r}: {sure[wrong][0]} is not between 0 and 1")
    return sure
