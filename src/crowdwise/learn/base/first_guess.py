"""The first guess: what votes say before anything is learned, and who says nothing by voting."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ...engine import bind
from ...fit.dependence import find_groups, share_votes
from ...fit.em import vote_shares
from ...methods import make
from ...votes.codes import Array
from ...votes.crowd import Crowd

ALWAYS = 0.98  # of somebody's votes: so many of one label are all of them
FIRST = 0.1  # of the memory: a first fit that needs more is not worth its time
BY_CHANCE = 1e-3  # the chance below which nobody votes so by accident


def constants(crowd: Crowd) -> Array:
    """Who always says the same though items differ, (annotators,) of bool.

    Nearly all of their votes have one label, and somebody who gives labels as often as the others would hardly do
    that: with few votes, or a very common class, nobody is called constant. Where all annotators are, nobody is.

    >>> constants(Crowd.from_matrix([[k % 2, 0, k % 3 % 2] for k in range(20)])).tolist()
    [False, True, False]
    """
    from scipy.stats import binom

    given = np.asarray(bind(crowd, "numpy").given)  # (annotators, labels)
    votes, most = given.sum(axis=1), given.max(axis=1)
    one = (votes > 0.0) & (most >= ALWAYS * votes)
    others = given[~one].sum(axis=0)
    if not others.sum():
        return np.zeros(crowd.n_annotators, bool)
    usual = (others / others.sum())[given.argmax(axis=1)]
    return np.asarray(one & (binom.cdf(votes - most, votes, 1.0 - usual) < BY_CHANCE))


def telling(crowd: Crowd) -> Crowd:
    """The votes of those who do not always say the same."""
    some = ~constants(crowd)
    return crowd if some.all() else crowd.take(some[crowd.annotator])


def first_shares(crowd: Crowd, *, fairly: bool = False) -> Array:
    """The classes of every item by the votes of those who do not always say the same, (items, classes).

    fairly: those who err together share a vote: copies that mix two classes would merge them from the start.
    """
    heard = telling(crowd)
    if fairly and (group := find_groups(heard)).max(initial=-1) >= 0:
        heard = share_votes(heard, group)
    return np.asarray(vote_shares(bind(heard, "numpy")))


def likely_shares(crowd: Crowd) -> Array:
    """The classes' shares by a first fit (IBCC, copies sharing a vote) of those who do not always say the same.

    Shares of votes are no guide: annotators who are often wrong make them even, and copies make them uneven.
    """
    heard = telling(crowd)
    first = make("ibcc", weights="groups")
    shares = first.fit(heard).posterior if first.affordable(heard, FIRST) else first_shares(crowd)
    mean = shares[np.unique(crowd.item)].mean(axis=0) + 1e-3 / crowd.n_classes
    return np.asarray(mean / mean.sum())


def first_confusion(crowd: Crowd, *, fairly: bool = False) -> Tensor:
    """Confusion matrices counted against `first_shares`, (annotators, true, given); even where somebody never met a
    class."""
    shares = first_shares(crowd, fairly=fairly)
    counted = torch.as_tensor(bind(crowd, "numpy").confusion_counts(shares), dtype=torch.float32) + 1e-9
    met = counted.sum(dim=2, keepdim=True)
    return torch.where(met > 1e-3, counted / met, torch.full_like(counted, 1.0 / crowd.n_classes))
