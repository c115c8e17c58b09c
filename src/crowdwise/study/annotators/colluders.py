"""Colluders: who is wrong together, who copies whom, and which items were attacked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine import bind
from ...fit.dependence import linked_pairs
from ...fit.result import Result
from ...methods.classes.honest import SURE, above_guess, right_votes
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table

LEAST_SHARED = 8


def colluders(crowd: Crowd, result: Result) -> Table:
    """Annotators who work against the truth together: annotator, votes, accuracy, partners, agreement, surest first.

    An adversary is right less often than a guess by three standard errors, under `result` (`honest_result` first).
    Colluders are adversaries who say the same: partners are those others with whom they agree more often than with the
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
    z, _ = above_guess(crowd, posterior)
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
    votes, right = right_votes(crowd, posterior)
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
    attacker = np.isin(np.arange(crowd.n_annotators), crowd.codes_of("annotator", who, "who"))
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
