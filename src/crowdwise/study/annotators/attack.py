"""Who attacks which items: annotators and items judged together, over the graph of votes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine import bind, normalise
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table

FIRST = 0.1  # share of annotators, and of items, that are believed to be in an attack before a vote is seen
KEEPS = 0.9  # how often an attacker says the agreed label, at first
OWN = 10.0  # votes' worth of the crowd's usual errors in each annotator's
LINKED = 2.5  # standard errors beyond chance, in false labels that two have in common, that make both suspects
MOST = 1_000  # annotators, the busiest, who are compared in pairs
ROUNDS = 200
SETTLED = 1e-4


class Attack(NamedTuple):
    """annotators: annotator, votes, chance, hits (agreed labels given); items: item, chance, label, agreed."""

    annotators: Table
    items: Table


def attack(crowd: Crowd, result: Result) -> Attack:
    r"""Attackers, and the items that they attack: likeliest first, with the chance that they are such.

    Some annotators agree on a false label for some items, and vote like others elsewhere: over all items they may be
    right more often than not, and nobody finds them by accuracy. With :math:`a_j` "j attacks", :math:`s_i` the label
    agreed for item i (or none), and :math:`h_{ij}(l)` the chance of l by j's usual errors and `result`,

    .. math:: P(l_{ij}) = p \, 1[l_{ij} = s_i] + (1 - p) \, h_{ij}(l_{ij})

    where j attacks and i is attacked, and :math:`h_{ij}` elsewhere. Messages go over the graph of votes, from items to
    annotators and back, each without what it got from there; shares and p are learned. A label that `result` believes
    is no attack: `honest_result` first. O(votes x classes) a round.

    Reference: crowdwise; the task is that of Karaaslanli et al., ICASSP 2025 (graph-based detection of adversaries and
    attacked data), whose method is not public.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(20, 3, 0.8), n_items=300, per_item=8, seed=0)
    >>> lie = (made.crowd.annotator < 5) & (made.crowd.item < 90)  # five annotators, ninety items
    >>> crowd = made.crowd.derive(label=np.where(lie, (made.truth[made.crowd.item] + 1) % 3, made.crowd.label))
    >>> found = attack(crowd, DawidSkene().fit(crowd))
    >>> sorted(found.annotators["annotator"][found.annotators["chance"] > 0.9].tolist())
    [0, 1, 2, 3, 4]
    """
    crowd, posterior = result.on(crowd)
    crowd = crowd.once()
    who, item, label = crowd.annotator.astype(np.int64), crowd.item.astype(np.int64), crowd.label.astype(np.int64)
    n_items, n_annotators, n_classes = crowd.n_items, crowd.n_annotators, crowd.n_classes
    rows = _usual(crowd, posterior)
    usual = np.clip(np.einsum("vk,vk->v", posterior[item], rows[who, :, label]), 1e-6, 1.0 - 1e-6)  # h, (votes,)
    target = np.log(np.maximum(1.0 - posterior, 1e-9) / max(n_classes - 1, 1))  # a belief is nobody's lie
    to_item = _suspected(crowd, posterior, rows)[who]  # chance that the vote's annotator attacks, without the vote
    keeps, attackers, attacked = KEEPS, FIRST, FIRST
    chance = np.zeros(n_annotators)
    for _ in range(ROUNDS):
        hit = np.log(keeps + (1.0 - keeps) * usual) - np.log(usual)  # what the agreed label says for an attack
        miss = np.log(1.0 - keeps)
        said = np.log1p(to_item * np.expm1(np.stack([hit, np.full(who.size, miss)])))  # of each vote: s = l, or not
        log = np.tile(np.bincount(item, said[1], n_items)[:, None], (1, n_classes))
        np.add.at(log, (item, label), said[0] - said[1])
        log = np.concatenate([np.full((n_items, 1), np.log1p(-attacked)), log + target + np.log(attacked)], axis=1)
        own = np.repeat(said[1][:, None], n_classes + 1, axis=1)
        own[:, 0] = 0.0
        own[np.arange(who.size), label + 1] = said[0]
        cavity = normalise(log[item] - own)[0]  # the item's state without this vote
        agreed = cavity[np.arange(who.size), label + 1]
        told = np.log(cavity[:, 0] + agreed * np.exp(hit) + (1.0 - cavity[:, 0] - agreed) * np.exp(miss))
        logit = np.log(attackers) - np.log1p(-attackers) + np.bincount(who, told, n_annotators)
        before, chance = chance, _share(logit)
        to_item = _share(logit[who] - told)
        state = normalise(log)[0]
        attackers = float(np.clip(chance.mean(), 1e-3, 0.49))
        attacked = float(np.clip(1.0 - state[:, 0].mean(), 1e-3, 0.999))
        both = chance[who] * (1.0 - state[item, 0])
        hits = chance[who] * state[item, label + 1]
        keeps = float(np.clip((hits.sum() + KEEPS) / (both.sum() + 1.0), 0.5, 0.99))
        if np.abs(chance - before).max() < SETTLED:
            break
    return _tables(crowd, result, posterior, chance, state, np.bincount(who, hits, n_annotators))


def _suspected(crowd: Crowd, posterior: Array, rows: Array) -> Array:
    r"""Where to begin: with those who give the same false labels as somebody else, more often than both would alone.

    Of each two: :math:`\sum_i \sum_l (1 - q_i(l)) 1[l_{ij} = l_{im} = l]`, and the same of chances in place of labels.
    """
    from scipy.sparse import csr_array

    chance = np.full(crowd.n_annotators, 0.1 * FIRST)
    busy = np.argsort(-np.bincount(crowd.annotator, minlength=crowd.n_annotators), kind="stable")[:MOST]
    place = np.full(crowd.n_annotators, -1)
    place[busy] = np.arange(busy.size)
    some = crowd.take(place[crowd.annotator] >= 0)
    who, k, n_cells = place[some.annotator], crowd.n_classes, crowd.n_items * crowd.n_classes
    false = np.sqrt(np.maximum(1.0 - posterior[some.item], 0.0))  # (votes, given)
    cell = some.item.astype(np.int64)[:, None] * k + np.arange(k)
    alone = false * np.einsum("vk,vkl->vl", posterior[some.item], rows[some.annotator])
    said = false[np.arange(who.size), some.label], (who, cell[np.arange(who.size), some.label])
    usual = alone.ravel(), (np.repeat(who, k), cell.ravel())
    same, expected = (
        np.asarray((part @ part.T).todense())
        for part in (csr_array(each, shape=(busy.size, n_cells)) for each in (said, usual))
    )
    z = (same - expected) / np.sqrt(np.maximum(expected, 0.5))
    np.fill_diagonal(z, 0.0)
    chance[busy[(z > LINKED).any(axis=1)]] = 0.9
    return chance


def _usual(crowd: Crowd, posterior: Array) -> Array:
    """Usual errors, the crowd's as far as an annotator's own are not known: (annotators, true, given)."""
    counts = bind(crowd).confusion_counts(posterior)
    everybody = counts.sum(axis=0) + 1.0
    everybody /= everybody.sum(axis=1, keepdims=True)
    rows = counts + OWN * everybody
    return np.asarray(rows / rows.sum(axis=2, keepdims=True))


def _share(logit: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logit, -500.0, 500.0))))


def _tables(crowd: Crowd, result: Result, posterior: Array, chance: Array, state: Array, hits: Array) -> Attack:
    people, things = np.argsort(-chance, kind="stable"), np.argsort(state[:, 0], kind="stable")
    votes = np.bincount(crowd.annotator, minlength=crowd.n_annotators)
    labels = crowd.classes[result.labels_on(crowd, posterior)]
    columns = {"annotator": crowd.annotators, "votes": votes, "chance": chance, "hits": hits}
    agreed = crowd.classes[state[:, 1:].argmax(axis=1)]
    of_items = {"item": crowd.items, "chance": 1.0 - state[:, 0], "label": labels, "agreed": agreed}
    return Attack(Table(columns).take(people), Table(of_items).take(things))
