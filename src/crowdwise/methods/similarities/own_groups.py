"""Own groups: annotators who pile items up, each with names of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...engine import normalise
from ...errors import how_many
from ...fit.answer_method import AnswerMethod
from ...fit.method import Callback, Solution, Watch
from ...fit.options import AnyNumber, NonNegative
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.keyed import keyed_uniform
from ...votes.similarities import Groupings
from ..classes.bayes.dirichlet import divergence, mean_log
from .same_groups import Clusters, numbered
from .signed_start import Signed, clusters_by_spectrum

PATIENCE = 3  # numbers of clusters without a gain, after which no more are tried


class Piled(NamedTuple):
    """Where a climb ends: shares of clusters by item, votes of piles, and how it went."""

    share: Array
    votes: Array
    trace: tuple[float, ...]
    converged: bool

    @property
    def bound(self) -> float:
        """The highest that was reached."""
        return self.trace[-1]


@dataclass(frozen=True, kw_only=True)
class OwnGroups(AnswerMethod[Groupings, Clusters]):
    r"""Dawid and Skene's model with a vocabulary for each annotator, by variational Bayes: the default for groupings.

    Item i belongs to cluster :math:`z_i`; annotator m puts an item of cluster k onto pile g of theirs with chance
    :math:`A_m[k, g]`, Dirichlet over the piles that they made. The names of piles mean nothing, so that the start is
    the spectrum of who was put together with whom. O(votes x clusters) a step.

    clusters: how many; 0 finds as many as the bound is highest for, `most` at most. starts: climbs, of which the
    highest counts. pseudo: the prior's votes for each pile. max_iter, tol: stop after so many steps, or when a step
    gains less.

    Reference: crowdwise; Strehl & Ghosh, JMLR 3, 2002 (cluster ensembles) with the annotators of Kim & Ghahramani 2012.

    >>> from crowdwise import Groupings, OwnGroups
    >>> said = [(i, who, f"{who}{(i % 3 + shift) % 3}") for shift, who in enumerate("abc") for i in range(30)]
    >>> found = OwnGroups(clusters=3).fit(Groupings.from_triples(said)).estimate.cluster
    >>> len(set(zip(found.tolist(), [i % 3 for i in range(30)])))
    3
    """

    takes: ClassVar[type[Groupings]] = Groupings
    gives: ClassVar[type[Clusters]] = Clusters
    params: ClassVar[dict[str, Axes]] = {"pile_votes": Axes(("pile", "cluster"), "positive")}
    name: ClassVar[str] = "own-groups"
    clusters: NonNegative = 0
    most: int = 100
    starts: int = 5
    pseudo: float = 0.1
    max_iter: int = 100
    tol: AnyNumber = 1e-6

    def find(self, ops: Groupings, callback: Callback | None) -> Solution[Clusters]:
        watch = Watch(callback)
        told = int(self.clusters)
        found = self._best(ops, min(told, max(ops.n_items, 1)), watch) if told else self._highest(ops, watch)
        params: Params = {"pile_votes": found.votes}
        cluster, sure = numbered(found.share)
        there = len(np.unique(cluster))
        notes = (
            () if self.clusters else (f"{how_many(there, 'clusters')} found; --set clusters=N says how many there are",)
        )
        return Solution(Clusters(cluster, sure), params, {}, found.trace, found.converged, notes)

    def _highest(self, votes: Groupings, watch: Watch) -> Piled:
        """The climb with the highest bound, more clusters being tried as long as that rises."""
        best, since, k = self._best(votes, 1, watch), 0, 2
        while since < PATIENCE and k <= min(self.most, votes.n_items):
            found = self._best(votes, k, watch)
            best, since = (found, 0) if found.bound > best.bound else (best, since + 1)
            k += max(1, k // 5)
        return best

    def _best(self, votes: Groupings, k: int, watch: Watch) -> Piled:
        """The highest of several climbs."""
        return max((self._run(votes, k, start, watch) for start in range(self.starts)), key=lambda one: one.bound)

    def _run(self, votes: Groupings, k: int, start: int, watch: Watch) -> Piled:
        pile, of = _piles(votes)
        who, n = pile // votes.n_classes, votes.n_annotators
        weight = np.ones(votes.n_votes) if votes.weight is None else votes.weight
        share = np.full((votes.n_items, k), 0.1 / max(k - 1, 1))
        share[np.arange(votes.n_items), clusters_by_spectrum(together(votes, start), k, self.seed + start)] = (
            0.9 if k > 1 else 1.0
        )
        trace: list[float] = []
        for step in range(1, self.max_iter + 1):
            counts = np.stack([np.bincount(of, weight * share[votes.item, c], pile.size) for c in range(k)], axis=1)
            total = np.stack([np.bincount(who, counts[:, c] + self.pseudo, n) for c in range(k)], axis=1)
            meant = _log_rows(counts + self.pseudo, total, who)
            shares = share.sum(axis=0) + 1.0
            said = np.stack([np.bincount(votes.item, weight * meant[of, c], votes.n_items) for c in range(k)], axis=1)
            share, evidence = normalise(said + mean_log(shares))
            prior = divergence(shares, np.ones_like(shares)) + _rows_divergence(counts, total, who, meant, self.pseudo)
            trace.append(evidence - prior)
            settled = step > 1 and abs(trace[-1] - trace[-2]) <= self.tol * abs(trace[-1])
            if settled or watch(step, trace[-1]):
                break
        return Piled(share, counts + self.pseudo, tuple(trace), settled)


def together(votes: Groupings, seed: int = 0) -> Signed:
    """Each item beside the next ones of its pile, the same, and beside some of other piles of that annotator."""
    lot = keyed_uniform(seed, votes.item_hash)
    pile = votes.annotator.astype(np.int64) * votes.n_classes + votes.label
    key, item = np.divmod(np.unique(pile * votes.n_items + votes.item), votes.n_items)  # repeated votes once
    order = np.lexsort((lot[item], key % votes.n_classes, key // votes.n_classes))
    item, key, who = item[order], key[order], key[order] // votes.n_classes
    left, right, said = [], [], []
    for step in range(1, 6):  # a chain of near ones in place of all pairs
        same = key[step:] == key[:-step]
        left.append(item[:-step][same])
        right.append(item[step:][same])
        said.append(np.ones(int(same.sum())))
    mixed = np.lexsort((lot[item], who))
    for step in range(1, 6):
        one, other = mixed[:-step], mixed[step:]
        apart = (who[one] == who[other]) & (key[one] != key[other])
        left.append(item[one[apart]])
        right.append(item[other[apart]])
        said.append(-np.ones(int(apart.sum())))
    return Signed(np.concatenate(left), np.concatenate(right), np.concatenate(said), votes.item_hash, votes.n_items)


def _piles(votes: Groupings) -> tuple[Array, Array]:
    """The piles that there are, and the pile of each vote."""
    key = votes.annotator.astype(np.int64) * votes.n_classes + votes.label
    there, of = np.unique(key, return_inverse=True)
    return there, of


def _log_rows(votes: Array, total: Array, who: Array) -> Array:
    """Expected logs of the chances of piles, Dirichlet over each annotator's."""
    from scipy.special import digamma

    return np.asarray(digamma(votes) - digamma(total)[who])


def _rows_divergence(counts: Array, total: Array, who: Array, meant: Array, pseudo: float) -> float:
    """From the prior to the posterior of all rows."""
    from scipy.special import gammaln

    n_piles = np.bincount(who, minlength=len(total))
    own = (gammaln(pseudo) - gammaln(counts + pseudo) + counts * meant).sum()
    some = n_piles > 0
    rows = (gammaln(total[some]) - gammaln(n_piles[some] * pseudo)[:, None]).sum()
    return float(own + rows)
