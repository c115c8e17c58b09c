"""Adversaries: who works against the truth, and who does it together with others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import bind
from ...fit.result import Result
from ...methods import make
from ...methods.classes.honest import SURE, above_guess, right_votes
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table

LEAST_SHARED = 8  # items, for two annotators to be compared
BEYOND = 0.1  # of what is left to full agreement, by which partners agree beyond what is expected of them
RARE = 0.01  # chance that any of all pairs agree so often, knowing nothing of each other


def adversaries(crowd: Crowd, result: Result) -> Table:
    r"""Annotators who work against the truth: annotator, votes, accuracy, partners, agreement, expected; surest first.

    They are right less often than a guess by three standard errors, under `result` (`honest_result` first). That alone
    is no plot: two who lie by the same rule agree, each by themselves. With q what the votes of all others say
    (`IBCC`), and A the confusion matrices by least squares of their votes on q, such two agree on item i with chance
    :math:`e_i = \sum_k q_i(k) \sum_l A_j[k, l] A_m[k, l]`. partners are those others with whom they agree more often,
    over at least 8 shared items: as often as one of all those pairs would by chance one time in a hundred, and by a
    tenth of what is left to 1. agreement and expected are those with the partner furthest beyond, NaN without one.
    """
    crowd, posterior = result.on(crowd)
    crowd = crowd.once()
    z, _ = above_guess(crowd, posterior)
    against = np.flatnonzero(z < -SURE)
    against = against[np.argsort(z[against], kind="stable")]
    shared, same, alone = _agreements(crowd, posterior, against)
    partner, beyond = _partners(shared, same, alone)
    n_partners, some = partner.sum(axis=1), np.maximum(shared, 1.0)
    closest = np.arange(against.size), np.where(partner, beyond, -np.inf).argmax(axis=1) if against.size else against
    votes, right = right_votes(crowd, posterior)
    return Table(
        {
            "annotator": crowd.annotators[against],
            "votes": votes[against],
            "accuracy": right[against] / np.maximum(votes[against], 1e-300),
            "partners": n_partners,
            "agreement": np.where(n_partners > 0, (same / some)[closest], np.nan),
            "expected": np.where(n_partners > 0, (alone / some)[closest], np.nan),
        }
    )


def _agreements(crowd: Crowd, posterior: Array, who: Array) -> tuple[Array, Array, Array]:
    """Of each two: items that both voted on, on how many they said the same, and on how many they would by chance."""
    from scipy.sparse import csr_array

    among = crowd.take(np.isin(crowd.annotator, who))
    code = np.full(crowd.n_annotators, -1)
    code[who] = np.arange(who.size)
    row, item = code[among.annotator], among.item.astype(np.int64)
    cell = item * crowd.n_classes + among.label
    there = csr_array((np.ones(row.size), (row, item)), shape=(who.size, crowd.n_items))
    said = csr_array((np.ones(row.size), (row, cell)), shape=(who.size, crowd.n_items * crowd.n_classes))
    shared, same = (np.asarray((part @ part.T).todense()) for part in (there, said))
    alone = _by_chance(crowd, posterior, who, there) if who.size > 1 else np.zeros((who.size, who.size))
    np.fill_diagonal(shared, 0.0)
    return shared, same, alone


def _by_chance(crowd: Crowd, posterior: Array, who: Array, there: Any) -> Array:
    """How often each two of some annotators would agree, did they know nothing of each other, (who, who)."""
    others = crowd.take(~np.isin(crowd.annotator, who))
    if not others.n_votes:
        return np.asarray((there @ there.T).todense())
    first = make("ibcc") if make("ibcc").affordable(others) else make("mace")  # calibrated, as Dawid-Skene is not
    q = first.fit(others, start=posterior).posterior
    n_classes = q.shape[1]
    counts = bind(crowd).confusion_counts(q)[who]
    # Votes on uncertain classes look more even than they are: E[q votes] = E[q q'] A.
    square = np.asarray(there @ (q[:, :, None] * q[:, None, :]).reshape(len(q), -1)).reshape(-1, n_classes, n_classes)
    usual = counts.sum(axis=(0, 1)) / counts.sum()
    rows = np.maximum(np.linalg.solve(square + 0.5 * np.eye(n_classes), counts + 0.5 * usual), 0.0)
    rows /= np.maximum(rows.sum(axis=2, keepdims=True), 1e-300)
    each = (
        np.asarray((there.multiply(q[:, k]).tocsr() @ there.T).todense()) * (rows[:, k] @ rows[:, k].T)
        for k in range(n_classes)
    )
    return sum(each, np.zeros((who.size, who.size)))


def _partners(shared: Array, same: Array, alone: Array) -> tuple[Array, Array]:
    """Who agrees with whom beyond chance, and by how much of what is left to full agreement."""
    from scipy.special import bdtrc, ndtr

    some = np.maximum(shared, 1.0)
    expected = np.clip(alone / some, 1e-9, 1.0 - 1e-9)
    beyond = np.where(shared >= LEAST_SHARED, (same / some - expected) / (1.0 - expected), -np.inf)
    tested = np.count_nonzero(shared >= LEAST_SHARED) / 2.0
    chance = np.where(same > 0.0, bdtrc(same - 1.0, some.astype(int), expected), 1.0)  # of agreeing so often, or more
    return (beyond > BEYOND) & (chance < min(RARE / max(tested, 1.0), float(ndtr(-SURE)))), beyond
