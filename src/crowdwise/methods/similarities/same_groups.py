"""Same groups: clusters from answers of same or different, by mean field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from ...engine import normalise
from ...errors import how_many
from ...fit.answer_method import AnswerMethod
from ...fit.estimates import Estimate
from ...fit.method import Callback, Solution, Watch
from ...fit.options import NonNegative
from ...fit.params import Axes
from ...votes.codes import Array
from ...votes.similarities import Similarities
from .signed_start import Signed, clusters_by_spectrum

BELIEVED = (6.0, 2.0)  # right and wrong answers of the prior: a few answers are believed
EDGE = (0.02, 0.98)  # chances beyond which nobody is believed
FIRST_GUESS = 0.8  # of the cluster that an item starts in
BEGIN_WITH = (0.4, 0.6, 0.8, 1.0)  # parts of the most clusters that runs begin with
CROWDED = 0.75  # share of clusters that stay occupied, from which more are tried
CORE = 0.75  # of a cluster, that hangs together by answers
LARGEST = 50_000_000  # numbers that are kept: items x clusters


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
    bound: float
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
    :math:`b_m`. Mean field from clusters of the graph's spectrum, with signs and with
    "same" alone (the higher bound counts), with g what a vote says for same,
    :math:`\log(a_m / (1 - b_m))` or :math:`\log((1 - a_m) / b_m)`:

    .. math::
        \log q_i(k) = \log \pi_k + \sum_{votes\ of\ i} g \, q_j(k) + const

    How many clusters there are is found, unless it is told: runs begin with more than enough, of which mean field
    empties those that it does not need, and the one with the highest bound counts; where most stay occupied, more are
    tried. Clusters of strangers, whom no answers link, are taken apart then. O(votes x clusters) a step, and items x
    clusters is kept: for thousands of small clusters (duplicates, entities) take `linked-groups`.

    clusters: how many; 0 finds it. most: how many runs begin with at first. shrink: votes by which an annotator's
    chances are drawn to the crowd's. max_iter: steps of each run.

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
        starts = (Signed.of(ops), Signed.of(ops).alike)

        def run(k: int) -> Found:
            tried = [self._run(ops, k, start, watch) for start in starts]
            there = [len(np.unique(found.share.argmax(axis=1))) if self.clusters else 0 for found in tried]
            return max(zip(there, tried, strict=True), key=lambda pair: (pair[0], pair[1].bound))[1]

        found = most_likely(run, int(self.clusters), self.most, ops.n_items)
        cluster, sure = numbered(found.share)
        if not self.clusters:
            cluster = by_size(chained(ops, found, cluster), sure)
        params = {"sees_same": found.sees_same, "sees_different": found.sees_different}
        there = len(np.unique(cluster))
        notes = (
            () if self.clusters else (f"{how_many(there, 'clusters')} found; --set clusters=N says how many there are",)
        )
        return Solution(Clusters(cluster, sure), params, {}, converged=found.converged, notes=notes)

    def _run(self, votes: Similarities, k: int, start: Signed, watch: Watch) -> Found:
        signed = Signed.of(votes)
        share = np.full((votes.n_items, k), (1.0 - FIRST_GUESS) / max(k - 1, 1))
        share[np.arange(votes.n_items), clusters_by_spectrum(start, k, self.seed)] = FIRST_GUESS if k > 1 else 1.0
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
            settled = moved < 1e-5
            if settled or watch(step, -moved):
                break
        return Found(share, a, b, self._bound(votes, share, a, b), settled)

    def _bound(self, votes: Similarities, share: Array, a: Array, b: Array) -> float:
        """The evidence's lower bound, shares of the clusters being Dirichlet(1)."""
        from scipy.special import gammaln, xlogy

        same = np.minimum((share[votes.item] * share[votes.other]).sum(axis=1), 1.0)
        a, b, said = a[votes.annotator], b[votes.annotator], votes.same_said
        told = same * np.log(np.where(said, a, 1.0 - a)) + (1.0 - same) * np.log(np.where(said, 1.0 - b, b))
        told = told if votes.weight is None else votes.weight * told
        k, n = share.shape[1], votes.n_items
        prior = gammaln(k) - gammaln(n + k) + gammaln(share.sum(axis=0) + 1.0).sum()
        return float(told.sum() - xlogy(share, share).sum() + prior)

    def _chance(self, hit: Array, met: Array, who: Array, n: int) -> Array:
        """How often each annotator is right, shrunk to the crowd."""
        usual = (hit.sum() + BELIEVED[0]) / (met.sum() + sum(BELIEVED))
        own = (np.bincount(who, hit, n) + self.shrink * usual) / (np.bincount(who, met, n) + self.shrink)
        return np.clip(own, *EDGE)


def chained(votes: Similarities, found: Found, cluster: Array) -> Array:
    """Clusters as codes; those of which three quarters do not hang together by answers are taken apart into what does.

    Where few pairs were asked about, as of duplicates, nothing speaks against a cluster of strangers, nor for it. In a
    cluster that has a core, others may be for good reasons: they are told from all other clusters.
    """
    from scipy.sparse.csgraph import connected_components

    who, said = votes.annotator, votes.same_said
    a, b = found.sees_same, found.sees_different
    pull = np.where(said, np.log(a / (1.0 - b))[who], np.log((1.0 - a) / b)[who])
    graph = Signed.of(votes).weighed(pull * (1.0 if votes.weight is None else votes.weight)).tocoo()
    within = (graph.data > 0.0) & (cluster[graph.row] == cluster[graph.col])
    graph.data[~within] = 0.0
    graph.eliminate_zeros()
    part = connected_components(graph, directed=False)[1]
    largest = np.zeros(int(cluster.max(initial=0)) + 1, np.int64)
    np.maximum.at(largest, cluster, np.bincount(part)[part])
    has_core = largest >= CORE * np.bincount(cluster, minlength=largest.size)
    return np.where(has_core[cluster], cluster, largest.size + part)


Run = TypeVar("Run", bound="HasShare")


class HasShare(Protocol):
    """What a run ends with: shares of clusters by item, and the bound that it reached."""

    @property
    def share(self) -> Array:
        """(items, clusters)."""

    @property
    def bound(self) -> float:
        """Of the evidence."""


def most_likely(run: Callable[[int], Run], told: int, most: int, n_items: int) -> Run:
    """The run with the highest bound, of as many clusters as are told, or of more than enough."""
    if told:
        return run(min(told, max(n_items, 1)))
    while True:
        tries = sorted({max(1, min(round(part * most), (n_items + 1) // 2)) for part in BEGIN_WITH})
        best = max((run(k) for k in tries), key=lambda found: found.bound)
        there = len(np.unique(best.share.argmax(axis=1)))
        if there < CROWDED * tries[-1] or tries[-1] >= n_items // 2 or 2 * most * n_items > LARGEST:
            return best
        most *= 2


def numbered(share: Array) -> tuple[Array, Array]:
    """The likeliest cluster of each item, clusters being numbered by size from 1, and how likely it is."""
    cluster = share.argmax(axis=1)
    return by_size(cluster, share.sum(axis=0)[cluster]), share[np.arange(len(cluster)), cluster]


def by_size(cluster: Array, mass: Array) -> Array:
    """Codes of clusters as numbers from 1, the largest first; of equally large ones that of more mass."""
    n = int(cluster.max(initial=0)) + 1
    size, heavy = np.bincount(cluster, minlength=n), np.bincount(cluster, mass, n)
    rank = np.empty(n, np.int64)
    rank[np.lexsort((-heavy, -size))] = np.arange(1, n + 1)
    return np.asarray(rank[cluster])
