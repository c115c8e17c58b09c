"""Own groups: annotators who pile items up, each with names of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine import normalise
from ...fit.answer_method import AnswerMethod
from ...fit.method import Callback, Solution, Watch
from ...fit.options import AnyNumber, NonNegative
from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.keyed import keyed_uniform
from ...votes.similarities import Groupings
from ..classes.bayes.dirichlet import mean_log
from .same_groups import HELD_OUT, PATIENCE, Clusters, numbered
from .signed_start import Signed, clusters_by_spectrum


@dataclass(frozen=True, kw_only=True)
class OwnGroups(AnswerMethod[Groupings, Clusters]):
    r"""Dawid and Skene's model with a vocabulary for each annotator, by variational Bayes: the default for groupings.

    Item i belongs to cluster :math:`z_i`; annotator m puts an item of cluster k onto pile g of theirs with chance
    :math:`A_m[k, g]`, Dirichlet over the piles that they made. The names of piles mean nothing, so that the start is
    the spectrum of who was put together with whom. O(votes x clusters) a step.

    clusters: how many; 0 finds it, among up to `most`, by votes that are held out. pseudo: the prior's votes for each
    pile. max_iter, tol: stop after so many steps, or when a step gains less.

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
    most: int = 20
    pseudo: float = 0.1
    max_iter: int = 100
    tol: AnyNumber = 1e-6

    def find(self, ops: Groupings, callback: Callback | None) -> Solution[Clusters]:
        watch = Watch(callback)
        k = int(self.clusters) or self._number(ops, watch)
        share, votes, trace, converged = self._run(ops, min(k, max(ops.n_items, 1)), watch)
        params: Params = {"pile_votes": votes}
        cluster, sure = numbered(share)
        there = len(np.unique(cluster))
        notes = () if self.clusters else (f"{there} clusters were found (clusters= tells how many there are)",)
        return Solution(Clusters(cluster, sure), params, {}, tuple(trace), converged, notes)

    def _number(self, votes: Groupings, watch: Watch) -> int:
        out = keyed_uniform(self.seed, votes.vote_hash) < HELD_OUT
        if not 10 <= out.sum() < votes.n_votes:
            return min(2, votes.n_items)
        kept, asked = votes.take(~out), votes.take(out)
        best, told, since = 1, self._told(kept, asked, 1, watch), 0
        for k in range(2, min(self.most, votes.n_items) + 1):
            other = self._told(kept, asked, k, watch)
            gain = other - told
            if gain.sum() > max(gain.std() * np.sqrt(gain.size), 1e-9):
                best, told, since = k, other, 0
            else:
                since += 1
            if since >= PATIENCE:
                break
        return best

    def _told(self, kept: Groupings, asked: Groupings, k: int, watch: Watch) -> Array:
        """Log chance of each held-out vote."""
        share, votes, _, _ = self._run(kept, k, watch)
        pile, _ = _piles(kept)
        place = {key: code for code, key in enumerate(pile.tolist())}
        key = asked.annotator.astype(np.int64) * asked.n_classes + asked.label
        code = np.array([place.get(one, -1) for one in key.tolist()])
        total = np.zeros((kept.n_annotators, k))
        np.add.at(total, pile // kept.n_classes, votes)
        row = np.where((code >= 0)[:, None], votes[np.maximum(code, 0)], self.pseudo)
        chance = row / np.maximum(total[asked.annotator], 1e-300)
        return np.asarray(np.log(np.maximum((share[asked.item] * chance).sum(axis=1), 1e-12)))

    def _run(self, votes: Groupings, k: int, watch: Watch) -> tuple[Array, Array, list[float], bool]:
        pile, of = _piles(votes)
        who, n = pile // votes.n_classes, votes.n_annotators
        weight = np.ones(votes.n_votes) if votes.weight is None else votes.weight
        share = np.full((votes.n_items, k), 0.1 / max(k - 1, 1))
        share[np.arange(votes.n_items), clusters_by_spectrum(together(votes), k, self.seed)] = 0.9 if k > 1 else 1.0
        trace: list[float] = []
        for step in range(1, self.max_iter + 1):
            counts = np.stack([np.bincount(of, weight * share[votes.item, c], pile.size) for c in range(k)], axis=1)
            total = np.stack([np.bincount(who, counts[:, c] + self.pseudo, n) for c in range(k)], axis=1)
            meant = _log_rows(counts + self.pseudo, total, who)
            prior = mean_log(share.sum(axis=0) + 1.0)
            said = np.stack([np.bincount(votes.item, weight * meant[of, c], votes.n_items) for c in range(k)], axis=1)
            share, evidence = normalise(said + prior)
            trace.append(evidence - _rows_divergence(counts, total, who, meant, self.pseudo))
            settled = step > 1 and abs(trace[-1] - trace[-2]) <= self.tol * abs(trace[-1])
            if settled or watch(step, trace[-1]):
                return share, counts + self.pseudo, trace, True
        return share, counts + self.pseudo, trace, False


def together(votes: Groupings) -> Signed:
    """Each item beside the next ones of its pile, the same, and beside some of other piles of that annotator."""
    order = np.lexsort((votes.item_hash[votes.item], votes.label, votes.annotator))
    item, key = (
        votes.item[order].astype(np.int64),
        (votes.annotator.astype(np.int64) * votes.n_classes + votes.label)[order],
    )
    who = votes.annotator[order]
    left, right, said = [], [], []
    for step in range(1, 6):  # a chain of near ones in place of all pairs
        same = key[step:] == key[:-step]
        left.append(item[:-step][same])
        right.append(item[step:][same])
        said.append(np.ones(int(same.sum())))
    mixed = np.lexsort((votes.item_hash[item], who))
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
    rows = (gammaln(total) - gammaln(n_piles * pseudo)[:, None])[n_piles > 0].sum()
    return float(own + rows)
