"""Colluders: who is wrong together, who copies whom, and which items were attacked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine import bind
from ...fit.dependence import linked_pairs
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table
from .adversaries import LEAST_SHARED, adversaries


def colluders(crowd: Crowd, result: Result) -> Table:
    """Those `adversaries` who have partners: they agree beyond what each one's own way of lying explains.

    Who lies by one rule on every item, together or not, is an adversary: votes cannot tell a plot from a coincidence.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(12, 3, 0.7) + simulate.colluders(4, 3, p_corr=0.9, plot="any")
    >>> made = simulate.crowd(people + simulate.adversaries(2, 3), n_items=500, per_item=6, seed=0)
    >>> result = DawidSkene().fit(made.crowd)
    >>> sorted(colluders(made.crowd, result)["annotator"].tolist()), len(adversaries(made.crowd, result))
    ([12, 13, 14, 15], 6)
    """
    found = adversaries(crowd, result)
    return found.take(np.flatnonzero(found["partners"] > 0))


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
