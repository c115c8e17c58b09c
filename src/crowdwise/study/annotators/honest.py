"""The honest: what most annotators, or those who are trusted, stand behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...engine import bind
from ...errors import how_many
from ...fit.aggregator import Aggregator
from ...fit.result import Result
from ...methods import make
from ...methods.classes.moments.spectral_groups import spectral_partitions
from ...votes.codes import Array
from ...votes.crowd import Crowd
from .items import known_annotators

SURE = 3.0  # standard errors from a guess beyond which somebody is better or worse than one
MARGIN = 0.04  # of the median annotator's accuracy, by which another explanation must be ahead
LIKELIER = 0.01  # of a log-likelihood, beyond which two fits are not two ends of one climb


def honest_result(crowd: Crowd, result: Result, *, trusted: Iterable[Any] = (), seed: int = 0) -> Result:
    r"""The result, or the one that most annotators stand behind, where colluders have made another of it.

    Votes alone cannot tell the truth from what colluders have agreed on: somebody must be believed. Either `trusted`
    annotators are, or the majority, by heads. The result is doubted if somebody is trusted, if the median annotator is
    not better than a guess by one standard error, if more than a third of all are worse than a guess by three, or if
    Dawid-Skene from votes that count by heads is a hundredth more likely than from the result. Then other explanations
    are asked: that one; the result's classes renamed as most annotators name them; and what Dawid-Skene finds in the
    votes of those outside each group that second moments show (`spectral_groups`: the agreement of the honest has low
    rank off its diagonal, and colluders agree beyond it). The one under which trusted annotators, or else the median
    one, are most accurate is taken, if they are so by four points.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(33, 3, 0.6) + simulate.colluders(27, 3, p_corr=0.9, accuracy=1.0)
    >>> made = simulate.crowd(people, n_items=2000, per_item=20, seed=0)
    >>> fooled = DawidSkene().fit(made.crowd)
    >>> [bool((one.labels == made.truth).mean() > 0.9) for one in (fooled, honest_result(made.crowd, fooled))]
    [False, True]

    Reference: Traganitis & Giannakis, ICDM 2021 (variants TA, with a trusted annotator, and H, an honest majority).
    """
    crowd, posterior = result.on(crowd)
    chosen = known_annotators(crowd, trusted)
    dawid_skene = make("dawid-skene", seed=seed)
    share = (1.0 if crowd.weight is None else crowd.weight) / crowd.annotator_weight()[crowd.annotator]
    a_head_a_vote = make("majority-vote").fit(crowd.with_weight(share)).posterior
    as_it_is, by_heads = (dawid_skene.fit(crowd, start=start) for start in (posterior, a_head_a_vote))
    likelier = by_heads.trace[-1] > as_it_is.trace[-1] + LIKELIER * abs(as_it_is.trace[-1])
    z = above_guess(crowd, posterior)
    heads = z[np.unique(crowd.annotator)]
    if not (likelier or chosen.size or np.median(heads) < 1.0 or (heads < -SURE).mean() > 1.0 / 3.0):
        return result
    best, most = result, _support(crowd, posterior, chosen)
    least = 0.0 if likelier else MARGIN
    for found in (by_heads, *_explanations(crowd, posterior, dawid_skene)):
        support = _support(crowd, found.posterior, chosen)
        ahead, level = support[0] - most[0], support[1] > most[1] + least
        if ahead > MARGIN or (level and ahead > -MARGIN):
            best, most, least = found, support, MARGIN
    return best


def right_votes(crowd: Crowd, posterior: Array) -> tuple[Array, Array]:
    """How many votes each annotator gave, and how many of them are right, expected; by weight."""
    ops = bind(crowd)
    return ops.given.sum(axis=1), ops.annotator_votes(posterior[crowd.item, crowd.label]).sum(axis=1)


def above_guess(crowd: Crowd, posterior: Array) -> Array:
    """How many standard errors above a guess each annotator is, by what is taken for true; 0 without votes.

    A guess names classes as often as they do, whatever is true: naming the commonest class is no merit.
    """
    counts = bind(crowd).confusion_counts(posterior)
    votes, right = counts.sum(axis=(1, 2)), np.einsum("jkk->j", counts)
    some = np.where(votes > 0.0, votes, 1.0)
    guess = np.clip((counts.sum(axis=2) * counts.sum(axis=1)).sum(axis=1) / some**2, 1e-9, 1.0 - 1e-9)
    return np.where(votes > 0.0, (right - votes * guess) / np.sqrt(some * guess * (1.0 - guess)), 0.0)


def _support(crowd: Crowd, posterior: Array, trusted: Array) -> tuple[float, float]:
    """What speaks for a posterior: trusted annotators, and the accuracy of the median one, whatever their votes."""
    votes, right = right_votes(crowd, posterior)
    heard = votes > 0.0
    accuracy = right / np.where(heard, votes, 1.0)
    return float(accuracy[trusted].mean()) if trusted.size else 0.0, float(np.median(accuracy[heard]))


def _explanations(crowd: Crowd, posterior: Array, method: Aggregator) -> Iterator[Result]:
    """A method's results with the classes as most annotators name them, and without groups that second moments show."""
    named = _named_by_most(crowd, posterior)
    if (named != np.arange(crowd.n_classes)).any():
        renamed = np.empty_like(posterior)
        renamed[:, named] = posterior
        yield method.fit(crowd, start=renamed)
    tried: set[bytes] = set()
    for group in spectral_partitions(crowd, (0, 2, 3), seed=method.seed):
        for one in range(int(group.max(initial=-1)) + 1):
            rest = group != one
            if rest.tobytes() in tried or not rest[crowd.annotator].any():
                continue
            tried.add(rest.tobytes())
            without = method.fit(crowd.take(rest[crowd.annotator]))
            said = (
                f"{how_many(int((~rest).sum()), 'annotators')} left out: they say the same as each other, against most"
            )
            yield replace(without, notes=(*without.notes, said))


def _named_by_most(crowd: Crowd, posterior: Array) -> Array:
    """The class that most annotators, by heads, name each class of the posterior: a permutation."""
    from scipy.optimize import linear_sum_assignment

    counts = bind(crowd).confusion_counts(posterior)
    share = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-300)
    # What they say more often of a class than of the others is their name for it.
    lift = share - share.mean(axis=1, keepdims=True)
    heads = (lift == lift.max(axis=2, keepdims=True)) & (counts.sum(axis=2, keepdims=True) > 0.0)
    return np.asarray(linear_sum_assignment(-heads.sum(axis=0))[1])
