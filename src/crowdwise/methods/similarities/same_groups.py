"""Same groups: clusters from answers of same or different, by mean field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...engine import normalise
from ...fit.answer_method import AnswerMethod
from ...fit.estimates import Estimate
from ...fit.method import Callback, Solution, Watch
from ...fit.options import NonNegative
from ...fit.params import Axes
from ...votes.codes import Array
from ...votes.keyed import keyed_uniform
from ...votes.similarities import Similarities
from .signed_start import Signed, clusters_by_spectrum

EDGE = (0.02, 0.98)  # chances beyond which nobody is believed
HELD_OUT = 0.2
FIRST_GUESS = 0.8  # of the cluster that an item starts in
PATIENCE = 3  # numbers of clusters without a gain, after which no more are tried


@dataclass(frozen=True, eq=False)
class Clusters(Estimate):
    """A cluster for each item, and how likely it belongs there; clusters are numbered by size."""

    kind: ClassVar[str] = "clusters"
    cluster: Array
    confidence: Array

    @property
    def main(self) -> Array:
        return np.stack([self.cluster, self.confidence], axis=1)

    def columns(self) -> dict[str, Array]:
        return {"cluster": self.cluster, "confidence": self.confidence}


class Found(NamedTuple):
    """Where a run of mean field stands: shares of clusters by item, and chances to say same and different rightly."""

    share: Array
    sees_same: Array
    sees_different: Array
    steps: int
    converged: bool


@dataclass(frozen=True, kw_only=True)
class SimilarityMethod(AnswerMethod[Similarities, Clusters]):
    """Same or different in, a cluster for each item out."""

    takes: ClassVar[type[Similarities]] = Similarities
    gives: ClassVar[type[Clusters]] = Clusters
    params: ClassVar[dict[str, Axes]] = {
        "sees_same": Axes(("annotator",), "unit"),
        "sees_different": Axes(("annotator",), "unit"),
    }


@dataclass(frozen=True, kw_only=True)
class SameGroups(SimilarityMethod):
    r"""Clusters, and annotators who see that two items are the same, or different, each in their own way.

    Annotator m says same of items i, j of one cluster with chance :math:`a_m`, and different of others with chance
    :math:`b_m`. Mean field from clusters of the signed graph's spectrum, with g what a vote says for same,
    :math:`\log(a_m / (1 - b_m))` or :math:`\log((1 - a_m) / b_m)`:

    .. math::
        \log q_i(k) = \log \pi_k + \sum_{votes\ of\ i} g \, q_j(k) + const

    How many clusters there are is found by votes that are held out, unless it is told. O(votes x clusters) a step and
    items x clusters is kept: for thousands of small clusters (duplicates, entities) take `linked-groups`.

    clusters: how many; 0 finds it, among up to `most`. shrink: votes by which an annotator's chances are drawn to the
    crowd's. max_iter: steps of each run.

    Reference: crowdwise; the model of Gomes, Welinder, Krause & Perona (NIPS 2011) with two numbers an annotator, from
    the signed spectral start of Kunegis et al. 2010.

    >>> from crowdwise import SameGroups, simulate
    >>> made = simulate.similarities(n_items=120, n_annotators=15, n_votes=4000, n_clusters=4, seed=0)
    >>> found = SameGroups().fit(made.similarities).estimate.cluster
    >>> len(set(found.tolist()))
    4
    """

    name: ClassVar[str] = "same-groups"
    clusters: NonNegative = 0
    most: int = 20
    shrink: float = 10.0
    max_iter: int = 60

    def find(self, ops: Similarities, callback: Callback | None) -> Solution[Clusters]:
        watch = Watch(callback)
        k = int(self.clusters) or self._number(ops, watch)
        found = self._run(ops, min(k, max(ops.n_items, 1)), watch)
        cluster, sure = numbered(found.share)
        params = {"sees_same": found.sees_same, "sees_different": found.sees_different}
        there = len(np.unique(cluster))
        notes = () if self.clusters else (f"{there} clusters were found (clusters= tells how many there are)",)
        return Solution(Clusters(cluster, sure), params, {}, converged=found.converged, notes=notes)

    def _number(self, votes: Similarities, watch: Watch) -> int:
        """The number of clusters that tells most of votes that are held out; more only for a gain beyond its error."""
        out = keyed_uniform(self.seed, votes.vote_hash + votes.item_hash[votes.other]) < HELD_OUT
        if not 10 <= out.sum() < votes.n_votes:
            return min(2, votes.n_items)
        kept, asked, scores = votes.take(~out), votes.take(out), []
        best, told = 1, self._told(kept, asked, 1, watch)
        since = 0
        for k in range(2, min(self.most, votes.n_items) + 1):
            other = self._told(kept, asked, k, watch)
            gain = other - told
            error = gain.std() * np.sqrt(gain.size)
            if gain.sum() > max(error, 1e-9):
                best, told, since = k, other, 0
            else:
                since += 1
            scores.append(float(other.sum()))
            if since >= PATIENCE:
                break
        return best

    def _told(self, kept: Similarities, asked: Similarities, k: int, watch: Watch) -> Array:
        """Log chance of each held-out vote, with k clusters."""
        found = self._run(kept, k, watch)
        same = (found.share[asked.item] * found.share[asked.other]).sum(axis=1)
        a, b = found.sees_same[asked.annotator], found.sees_different[asked.annotator]
        yes = same * a + (1.0 - same) * (1.0 - b)
        weight = np.ones(asked.n_votes) if asked.weight is None else asked.weight
        return np.asarray(weight * np.log(np.where(asked.same_said, yes, 1.0 - yes)))

    def _run(self, votes: Similarities, k: int, watch: Watch) -> Found:
        signed = Signed.of(votes)
        share = np.full((votes.n_items, k), (1.0 - FIRST_GUESS) / max(k - 1, 1))
        share[np.arange(votes.n_items), clusters_by_spectrum(signed, k, self.seed)] = FIRST_GUESS if k > 1 else 1.0
        said, who, n = votes.same_said.astype(float), votes.annotator, votes.n_annotators
        weight = np.ones(votes.n_votes) if votes.weight is None else votes.weight
        a = b = np.zeros(0)
        for step in range(1, self.max_iter + 1):
            same = np.minimum((share[votes.item] * share[votes.other]).sum(axis=1), 1.0)
            a = self._chance(weight * same * said, weight * same, who, n)
            b = self._chance(weight * (1.0 - same) * (1.0 - said), weight * (1.0 - same), who, n)
            pull = np.where(votes.same_said, np.log(a / (1.0 - b))[who], np.log((1.0 - a) / b)[who]) * weight
            links, moved = signed.weighed(pull), 0.0
            prior = np.log((share.sum(axis=0) + 1.0) / (votes.n_items + k))
            for _ in range(2):
                new = normalise(links @ share + prior)[0]
                moved = float(np.abs(new - share).mean())
                share = 0.5 * share + 0.5 * new
            if moved < 1e-5 or watch(step, -moved):
                return Found(share, a, b, step, True)
        return Found(share, a, b, self.max_iter, False)

    def _chance(self, hit: Array, met: Array, who: Array, n: int) -> Array:
        """How often each annotator is right, shrunk to the crowd."""
        usual = hit.sum() / max(met.sum(), 1e-300) if met.sum() > 0.0 else 0.5
        own = (np.bincount(who, hit, n) + self.shrink * usual) / (np.bincount(who, met, n) + self.shrink)
        return np.clip(own, *EDGE)


def numbered(share: Array) -> tuple[Array, Array]:
    """The likeliest cluster of each item, clusters being numbered by size from 1, and how likely it is."""
    cluster = share.argmax(axis=1)
    size = np.bincount(cluster, minlength=share.shape[1])
    mass = share.sum(axis=0)
    rank = np.empty(share.shape[1], np.int64)
    rank[np.lexsort((-mass, -size))] = np.arange(1, share.shape[1] + 1)
    return rank[cluster], share[np.arange(len(cluster)), cluster]
