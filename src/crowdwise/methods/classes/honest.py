"""The honest: what most annotators, or those who are trusted, stand behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...engine import bind
from ...engine.memory import available_memory
from ...errors import Undecided, how_many
from ...fit.aggregator import Aggregator
from ...fit.result import Result
from ...votes.codes import Array, shown
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.ties import shared
from .. import make

SURE = 3.0  # standard errors from a guess beyond which somebody is better or worse than one
MARGIN = 0.04  # of the median annotator's accuracy, by which another explanation must be ahead
LEVEL = 0.02  # of all heads: two explanations behind which so nearly as many stand are equally good
LIKELIER = 0.01  # of a log-likelihood, beyond which two fits are not two ends of one climb
ANOTHER = 0.75  # of the items: a fit that agrees on fewer is another explanation
ALIKE = 0.9  # of the items: labels that agree on so many are not two explanations
AGAINST = 1.0 / 3.0  # of the heads: a result that makes more of them worse than a guess is doubted
FEWEST = 8  # annotators of whom something can be told, to speak of a majority
BELIEVED = "believed"  # how the sentence ends that says whom a result believes


def honest_result(
    crowd: Crowd, result: Result, *, trusted: Iterable[Any] = (), gold: Any = None, seed: int = 0
) -> Result:
    r"""The result, or the one that most annotators stand behind, where colluders have made another of it.

    Votes alone cannot tell the truth from what colluders have agreed on: somebody must be believed. Either
    `trusted` annotators are, or the majority, by heads, not counting those with too few votes to be told from a
    guess. The result is doubted if somebody is trusted, if the median head is not better than a guess by one
    standard error, if more than a third of them are worse than a guess by one, or if Dawid-Skene from votes that
    count by heads is a hundredth more likely and agrees on less than three items in four. Labels that mix two
    explanations, as counted votes do, are first led to one of them by Dawid-Skene. Then other explanations
    are asked: that one; the result's classes renamed as most annotators name them; and what Dawid-Skene finds in
    the votes of those outside each group that second moments show (`spectral_groups`: the agreement of the honest
    has low rank off its diagonal, and colluders agree beyond it). The one under which trusted annotators, or else
    the median one, are most accurate is taken, if they are so by four points. `notes` says so. Where another
    explanation contradicts it, and as many heads stand behind that one, nobody can know: `Undecided` asks for gold
    or a trusted annotator. Gold, where there is some, decides before heads do: explanations are held to it that were
    not told it.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(33, 3, 0.6) + simulate.colluders(27, 3, p_corr=0.9, accuracy=1.0)
    >>> made = simulate.crowd(people, n_items=2000, per_item=20, seed=0)
    >>> fooled = DawidSkene().fit(made.crowd)
    >>> [bool((one.labels == made.truth).mean() > 0.9) for one in (fooled, honest_result(made.crowd, fooled))]
    [False, True]

    Reference: Traganitis & Giannakis, ICDM 2021 (variants TA, with a trusted annotator, and H, an honest majority).
    """
    # Gold items say whether an explanation is right if it was not told them.
    first = result if gold is None else result.predict(crowd)
    crowd, posterior = first.on(crowd)
    told = gold_codes(crowd, gold) if gold is not None else np.empty(0, np.int64)
    chosen = crowd.codes_of("annotator", trusted, "trusted")
    heads = _heads(crowd, posterior)
    known = (told >= 0).any()
    if not chosen.size and heads.size < FEWEST and not known:
        return result
    dawid_skene = make("dawid-skene", seed=seed)
    if not dawid_skene.affordable(crowd):
        dawid_skene = make("one-coin", seed=seed)  # too many classes for confusion matrices
    led = dawid_skene.fit(crowd, start=posterior)
    if not (chosen.size or known) and (apart := _parted(crowd, posterior, led)) is not None:
        mixed = (
            f"the labels of {result.method.name} mix explanations that contradict each other: {dawid_skene.name} tells "
            "them apart"
        )
        found = honest_result(crowd, apart, seed=seed)
        return replace(found, notes=(mixed, *found.notes))
    by_heads, likelier = _by_heads(crowd, posterior, led)
    best, most = first, _support(crowd, posterior, chosen, told)
    doubted = _doubted(heads) or _opposed_on_a_class(crowd, posterior)
    if not (chosen.size or doubted or likelier or (known and most[0] < 0.5)):
        return result
    least = 0.0 if likelier else MARGIN
    asked = [first, *by_heads, *_explanations(crowd, posterior, dawid_skene)]
    for found in asked[1:]:
        if not (chosen.size or known or _agree(found.on(crowd)[1], posterior) < ANOTHER):
            continue
        support = _support(crowd, found.posterior, chosen, told)
        ahead, level = support[0] - most[0], support[1] > most[1] + least
        if ahead > MARGIN or (level and ahead > -MARGIN):
            best, most, least = found, support, MARGIN
    if not chosen.size:
        _require_majority(crowd, best, asked, told)
    if best is first:
        return replace(result, notes=(*result.notes, *_divided(crowd, best, chosen)))
    whole = dawid_skene.fit(crowd, start=best)  # of all votes, where those who were left out are understood
    alike = _agree(whole.posterior, best.on(crowd)[1]) > ALIKE
    notes = (*best.notes, *_divided(crowd, best, chosen), _said(crowd, best, result, chosen, bool(known)))
    return replace(whole if alike else best, notes=notes)


# Of crowds that are in use: whoever settles one by several methods asks for this fit each time.
_FROM_HEADS: WeakKeyDictionary[Crowd, Result] = WeakKeyDictionary()


def _parted(crowd: Crowd, posterior: Array, led: Result) -> Result | None:
    """Where labels stand between explanations that contradict each other: the one that Dawid-Skene made of them.

    Labels that are mixed hide the doubt: honest annotators are right about some of them. What they lead to is doubted.
    """
    alike = _agree(led.posterior, posterior)
    opposed = _opposed(_heads(crowd, led.posterior)) or _opposed_on_a_class(crowd, led.posterior)
    if alike < ALIKE and opposed:
        return led
    if alike >= ANOTHER:
        return None
    others = _explanations(crowd, led.posterior, make(led.method.name, seed=led.method.seed))
    return led if any(contradict(led.label_codes, one.labels_on(crowd, one.on(crowd)[1])) for one in others) else None


def belief(result: Result) -> str | None:
    """The sentence that says whom a result believes, where explanations stood against each other."""
    return next((note for note in result.notes if note.endswith(BELIEVED)), None)


def contradict(one: Array, other: Array) -> bool:
    """Whether two labellings agree on fewer items than two that have nothing to do with each other, beyond chance.

    >>> labels = np.arange(60) % 3
    >>> contradict(labels, labels), contradict(labels, (labels + 1) % 3), contradict(labels, labels // 3)
    (False, True, False)
    """
    n = one.size
    shares = [np.bincount(labels, minlength=int(max(one.max(), other.max())) + 1) / n for labels in (one, other)]
    chance = float((shares[0] * shares[1]).sum())
    return bool((one == other).mean() < chance - SURE * np.sqrt(chance * (1.0 - chance) / n))


def _by_heads(crowd: Crowd, posterior: Array, led: Result) -> tuple[list[Result], bool]:
    """Dawid-Skene from votes that count by heads, where that is another explanation than the one that was led to; and
    whether it is likelier."""
    share = (1.0 if crowd.weight is None else crowd.weight) / crowd.annotator_weight()[crowd.annotator]
    a_head_a_vote = make("majority-vote").fit(crowd.with_weight(share)).posterior
    if _agree(a_head_a_vote, posterior) > ALIKE:
        return [], False
    by_heads = _FROM_HEADS.get(crowd)
    if by_heads is None or by_heads.method != led.method:
        by_heads = _FROM_HEADS[crowd] = replace(led.method.fit(crowd, start=a_head_a_vote), votes=None)
    by_heads = replace(by_heads, votes=crowd)
    likelier = by_heads.trace[-1] > led.trace[-1] + LIKELIER * abs(led.trace[-1])
    return [by_heads], likelier and _agree(by_heads.posterior, posterior) < ANOTHER


def _doubted(heads: Array) -> bool:
    """Whether the median head is not better than a guess, or too many are worse than one."""
    return bool(heads.size and (np.median(heads) < 1.0 or _opposed(heads)))


def _opposed(heads: Array) -> bool:
    """Whether too many heads are worse than a guess: few votes make nobody so, colluders make the honest so."""
    return bool(heads.size and (heads < -1.0).mean() > AGAINST)


def _opposed_on_a_class(crowd: Crowd, posterior: Array) -> bool:
    """Whether too many heads name some class less often where it is true than where it is not.

    Labels may follow the honest on one class, and colluders on another: over all items, nobody is worse than a guess.
    """
    ops, label = bind(crowd), shared(posterior)
    right, met = ops.annotator_votes(label[crowd.item, crowd.label]), ops.annotator_sums(label)
    share = met / np.maximum(met.sum(axis=1, keepdims=True), 1e-300)
    guess, variance = ops.given * share, ops.given * share * (1.0 - share)
    told = variance > SURE**2 / 2.0  # who names it often enough, where it is true and where it is not
    against = told & (right - guess < -np.sqrt(variance))
    return bool((against.sum(axis=0) > AGAINST * np.maximum(told.sum(axis=0), FEWEST)).any())


def _agree(one: Array, other: Array) -> float:
    """The share of items on which two posteriors have the same label."""
    return float((one.argmax(axis=1) == other.argmax(axis=1)).mean())


def _heads(crowd: Crowd, posterior: Array) -> Array:
    """How many standard errors above a guess those annotators are who have votes enough to be told from one."""
    z, faultless = above_guess(crowd, shared(posterior))
    return z[faultless > 2.0 * SURE]


def _require_majority(crowd: Crowd, best: Result, asked: list[Result], told: Array) -> None:
    """Gold decides between explanations that contradict each other, or heads do, or nobody does."""
    labels, behind = best.labels_on(crowd, best.on(crowd)[1]), _behind(crowd, best)
    for other in asked:
        if other is best or not contradict(labels, other.labels_on(crowd, other.on(crowd)[1])):
            continue
        by_gold = (_right_on(told, each.on(crowd)[1]) for each in (best, other))
        if abs(next(by_gold) - next(by_gold)) < MARGIN and abs(_behind(crowd, other) - behind) < LEVEL:
            raise Undecided(
                "the votes have two explanations that contradict each other, and about as many annotators stand behind "
                "each: give known labels of some items (--gold), or name an annotator to trust (--trusted)"
            )


def _behind(crowd: Crowd, result: Result) -> float:
    """The share of heads who are better than a guess, if a result is true."""
    heads = _heads(crowd, result.on(crowd)[1])
    return float((heads > SURE).mean()) if heads.size else 0.0


def _right_on(told: Array, posterior: Array) -> float:
    """The share of gold items on which a posterior is right; 0 without gold."""
    known = told >= 0
    return float((posterior.argmax(axis=1) == told)[known].mean()) if known.any() else 0.0


def _said(crowd: Crowd, best: Result, first: Result, trusted: Array, known: bool) -> str:
    """What was believed, in a plain sentence."""
    name = first.method.name
    if trusted.size:
        return f"the annotators who are trusted contradict what {name} found first: they are {BELIEVED}"
    if known:
        return f"the known labels contradict what {name} found first: the explanation that they confirm is {BELIEVED}"
    heads = _heads(crowd, best.on(crowd)[1])
    many = f"{int((heads > 0.0).sum()):,} of {how_many(heads.size, 'annotators')}"
    return f"{many} contradict what {name} found first: an honest majority is assumed, and they are {BELIEVED}"


def _divided(crowd: Crowd, best: Result, trusted: Array) -> list[str]:
    """Who among the trusted is no better than a guess by what is believed: nobody can believe both sides."""
    if trusted.size < 2:
        return []
    z, _ = above_guess(crowd, shared(best.on(crowd)[1]))
    against = crowd.annotators[trusted[z[trusted] < -1.0]]
    if not against.size:
        return []
    names = ", ".join(shown(name) for name in against[:5])
    return [f"annotators who are trusted contradict each other: {names} cannot be right where the others are"]


def right_votes(crowd: Crowd, posterior: Array) -> tuple[Array, Array]:
    """How many votes each annotator gave, and how many of them are right, expected; by weight."""
    ops = bind(crowd)
    return ops.given.sum(axis=1), ops.annotator_votes(posterior[crowd.item, crowd.label]).sum(axis=1)


def above_guess(crowd: Crowd, posterior: Array) -> tuple[Array, Array]:
    """How many standard errors above a guess each annotator is, by what is taken for true, and were they faultless.

    A guess names classes as often as they do, whatever is true: naming the commonest class is no merit.
    """
    ops = bind(crowd)
    votes, right = right_votes(crowd, posterior)
    some = np.where(votes > 0.0, votes, 1.0)
    guess = np.clip((ops.annotator_sums(posterior) * ops.given).sum(axis=1) / some**2, 1e-9, 1.0 - 1e-9)
    error = np.sqrt(some * guess * (1.0 - guess))
    return (right - votes * guess) / error, (votes - votes * guess) / error


def _support(crowd: Crowd, posterior: Array, trusted: Array, told: Array) -> tuple[float, float]:
    """What speaks for a posterior: trusted annotators, or gold; and the accuracy of the median one by all votes."""
    votes, right = right_votes(crowd, shared(posterior))  # by labels: a vote's shares would make everybody look alike
    heard = votes > 0.0
    accuracy = right / np.where(heard, votes, 1.0)
    somebody = float(accuracy[trusted].mean()) if trusted.size else _right_on(told, posterior)
    return somebody, float(np.median(accuracy[heard]))


def _explanations(crowd: Crowd, posterior: Array, method: Aggregator) -> Iterator[Result]:
    """A method's results with the classes as most annotators name them, and without groups that second moments show."""
    named = _named_by_most(crowd, posterior)
    if (named != np.arange(crowd.n_classes)).any():
        renamed = np.empty_like(posterior)
        renamed[:, named] = posterior
        swapped = method.fit(crowd, start=renamed)
        moved = np.flatnonzero(named != np.arange(named.size))[:5]
        pairs = ", ".join(f"{shown(crowd.classes[k])} is now {shown(crowd.classes[named[k]])}" for k in moved)
        said = f"labels were swapped back to what most annotators call the classes ({pairs})"
        yield replace(swapped, notes=(*swapped.notes, said))
    from .moments.spectral_groups import spectral_partitions

    tried: set[bytes] = set()
    for group in spectral_partitions(crowd, (0, 2, 3), seed=method.seed):
        for one in range(int(group.max(initial=-1)) + 1):
            rest = group != one
            if rest.tobytes() in tried or not rest[crowd.annotator].any():
                continue
            tried.add(rest.tobytes())
            without = method.fit(crowd.take(rest[crowd.annotator]))
            said = f"{how_many(int((~rest).sum()), 'annotators')} say the same as each other, against the others"
            yield replace(without, notes=(*without.notes, said))


def _named_by_most(crowd: Crowd, posterior: Array) -> Array:
    """The class that most annotators, by heads, name each class of the posterior: a permutation."""
    from scipy.optimize import linear_sum_assignment

    if 32 * crowd.n_annotators * crowd.n_classes**2 > available_memory():
        return np.arange(crowd.n_classes)  # nobody has said enough of so many classes to have names for them
    counts = bind(crowd).confusion_counts(posterior)
    share = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-300)
    # What they say more often of a class than of the others is their name for it.
    lift = share - share.mean(axis=1, keepdims=True)
    heads = (lift == lift.max(axis=2, keepdims=True)) & (counts.sum(axis=2, keepdims=True) > 0.0)
    return np.asarray(linear_sum_assignment(-heads.sum(axis=0))[1])
