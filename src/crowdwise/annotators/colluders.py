"""Colluders: who tells the truth where some agree on something else, who copies whom, and which items were attacked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..base import Aggregator
from ..codes import Array
from ..crowd import Crowd
from ..engine import bind
from ..methods import make
from ..moments.spectral_groups import spectral_partitions
from ..result import Result
from ..table import Table
from .items import known_annotators

SURE = 3.0  # standard errors from a guess beyond which somebody is better or worse than one
LEAST_SHARED = 8
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


def colluders(crowd: Crowd, result: Result) -> Table:
    """Annotators who work against the truth together: annotator, votes, accuracy, partners, agreement, surest first.

    An adversary is right less often than a guess by three standard errors, under `result` (`honest_result` first).
    Colluders are adversaries who say the same: partners are those others with whom he agrees more often than with the
    result's labels, over at least 8 shared items, and beyond chance; agreement is with the closest of them.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(12, 3, 0.7) + simulate.colluders(4, 3, p_corr=0.9)
    >>> made = simulate.crowd(people, n_items=500, per_item=6, seed=0)
    >>> sorted(colluders(made.crowd, DawidSkene().fit(made.crowd))["annotator"].tolist())
    [12, 13, 14, 15]
    """
    from scipy.sparse import csr_array

    crowd, posterior = result.on(crowd)
    crowd = crowd.once()
    z = above_guess(crowd, posterior)
    against = np.flatnonzero(z < -SURE)
    among = crowd.take(np.isin(crowd.annotator, against))
    code = np.full(crowd.n_annotators, -1)
    code[against] = np.arange(against.size)
    who, item = code[among.annotator], among.item.astype(np.int64)
    cell = item * crowd.n_classes + among.label
    shape = (against.size, crowd.n_items)
    there = csr_array((np.ones(who.size), (who, item)), shape=shape)
    said = csr_array((np.ones(who.size), (who, cell)), shape=(against.size, crowd.n_items * crowd.n_classes))
    shared, same = (np.asarray((part @ part.T).todense()) for part in (there, said))
    np.fill_diagonal(shared, 0.0)
    votes, right = _right(crowd, posterior)
    accuracy = right[against] / np.maximum(votes[against], 1e-300)
    share = np.where(shared > 0.0, same / np.maximum(shared, 1.0), 0.0)
    chance = np.maximum(accuracy[:, None], 1.0 / crowd.n_classes)
    error = np.sqrt(chance * (1.0 - chance) / np.maximum(shared, 1.0))
    partner = (shared >= LEAST_SHARED) & (share > chance + SURE * error)
    partner &= partner.T
    n_partners = partner.sum(axis=1)
    chosen = np.flatnonzero(n_partners > 0)
    chosen = chosen[np.argsort(z[against[chosen]], kind="stable")]
    return Table(
        {
            "annotator": crowd.annotators[against[chosen]],
            "votes": votes[against[chosen]],
            "accuracy": accuracy[chosen],
            "partners": n_partners[chosen],
            "agreement": np.where(partner, share, 0.0).max(axis=1, initial=0.0)[chosen],
        }
    )


def copying_pairs(crowd: Crowd, result: Result, *, least_shared: int = LEAST_SHARED) -> Table:
    """Pairs who err together beyond chance: first, second, shared items, agreement, same_errors, z; strongest first.

    By the residuals of `crowdwise.dependence`; same_errors is how many of the votes of either that are wrong, by the
    result, the other repeats to the letter: 1 for copies; NaN where neither is wrong.
    """
    from ..dependence import linked_pairs

    crowd, posterior = result.on(crowd)
    crowd = crowd.once()
    links = linked_pairs(crowd, posterior, least_shared=least_shared)
    first, second = links["first"], links["second"]
    same, wrong, wrong_same = _side_by_side(crowd, result.labels_on(crowd, posterior), first, second)
    return Table(
        {
            "first": crowd.annotators[first],
            "second": crowd.annotators[second],
            "shared": links["shared"],
            "agreement": same / np.maximum(links["shared"], 1),
            "same_errors": np.where(wrong > 0, wrong_same / np.maximum(wrong, 1), np.nan),
            "z": links["z"],
        }
    )


def attacked_items(crowd: Crowd, result: Result, who: Iterable[Any], *, least: int = 2) -> Table:
    """Items on which `least` or more of some annotators agree on another label than the result: most of them first.

    Columns: item, label (the result's), confidence, claimed (what they say), attackers (how many say so), votes (how
    many vote for the result's label).
    """
    crowd, posterior = result.on(crowd)
    attacker = np.isin(np.arange(crowd.n_annotators), known_annotators(crowd, who, "who"))
    label = result.labels_on(crowd, posterior)
    once = crowd.once()
    cell = once.item.astype(np.int64) * crowd.n_classes + once.label
    claims = np.bincount(cell, attacker[once.annotator], crowd.n_items * crowd.n_classes)
    claims = claims.reshape(crowd.n_items, crowd.n_classes)
    claims[np.arange(crowd.n_items), label] = 0.0
    claimed, often = claims.argmax(axis=1), claims.max(axis=1)
    chosen = np.flatnonzero(often >= least)
    chosen = chosen[np.argsort(-often[chosen], kind="stable")]
    return Table(
        {
            "item": crowd.items[chosen],
            "label": crowd.classes[label[chosen]],
            "confidence": posterior[chosen, label[chosen]],
            "claimed": crowd.classes[claimed[chosen]],
            "attackers": often[chosen].astype(np.int64),
            "votes": bind(crowd).item_votes()[chosen, label[chosen]],
        }
    )


def _right(crowd: Crowd, posterior: Array) -> tuple[Array, Array]:
    ops = bind(crowd)
    return ops.given.sum(axis=1), ops.annotator_votes(posterior[crowd.item, crowd.label]).sum(axis=1)


def above_guess(crowd: Crowd, posterior: Array) -> Array:
    """How many standard errors above a guess each annotator is, by what is taken for true; 0 without votes.

    A guess names classes as often as he does, whatever is true: naming the commonest class is no merit.
    """
    counts = bind(crowd).confusion_counts(posterior)
    votes, right = counts.sum(axis=(1, 2)), np.einsum("jkk->j", counts)
    some = np.where(votes > 0.0, votes, 1.0)
    guess = np.clip((counts.sum(axis=2) * counts.sum(axis=1)).sum(axis=1) / some**2, 1e-9, 1.0 - 1e-9)
    return np.where(votes > 0.0, (right - votes * guess) / np.sqrt(some * guess * (1.0 - guess)), 0.0)


def _support(crowd: Crowd, posterior: Array, trusted: Array) -> tuple[float, float]:
    """What speaks for a posterior: trusted annotators, and the accuracy of the median one, whatever his votes."""
    votes, right = _right(crowd, posterior)
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
            said = f"{(~rest).sum()} annotators who say the same among themselves, against most, are left out"
            yield replace(without, notes=(*without.notes, said))


def _named_by_most(crowd: Crowd, posterior: Array) -> Array:
    """The class that most annotators, by heads, name each class of the posterior: a permutation."""
    from scipy.optimize import linear_sum_assignment

    counts = bind(crowd).confusion_counts(posterior)
    share = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-300)
    # Whatever he says more often of a class than of the others is his name for it.
    lift = share - share.mean(axis=1, keepdims=True)
    heads = (lift == lift.max(axis=2, keepdims=True)) & (counts.sum(axis=2, keepdims=True) > 0.0)
    return np.asarray(linear_sum_assignment(-heads.sum(axis=0))[1])


def _side_by_side(crowd: Crowd, label: Array, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """Of each pair, over shared items: same votes; items on which the first or the second is wrong; same and wrong."""
    from scipy.sparse import csr_array

    who, item = crowd.annotator.astype(np.int64), crowd.item.astype(np.int64)
    is_wrong = crowd.label != label[crowd.item]

    def votes(chosen: Array, place: Array, n: int) -> Any:
        return csr_array((np.ones(chosen.sum()), (who[chosen], place[chosen])), shape=(crowd.n_annotators, n))

    everything, n_cells = np.ones(crowd.n_votes, bool), crowd.n_items * crowd.n_classes
    cell = item * crowd.n_classes + crowd.label
    said, wrong = votes(everything, cell, n_cells), votes(is_wrong, cell, n_cells)
    there, erred = votes(everything, item, crowd.n_items), votes(is_wrong, item, crowd.n_items)

    def both(left: Any, right: Any) -> Array:
        return np.asarray(left[first].multiply(right[second]).sum(axis=1)).ravel()

    either = both(erred, there) + both(there, erred) - both(erred, erred)
    return both(said, said), either, both(wrong, wrong)
