"""Groups of annotators by the second moments of their votes, without a first fit (Jaffe et al. 2016)."""

from __future__ import annotations

import numpy as np

from ....engine import bind
from ....errors import InputError
from ....fit.dependence import in_order
from ....votes.codes import Array
from ....votes.crowd import Crowd
from .k_means import k_means
from .low_rank import HALF, completed_vector
from .moment_method import busiest_codes

CORE = 300  # annotators, those of most votes, who are grouped
OTHERS = 2_000  # pairs of further annotators by whom each pair is judged; all of them where there are fewer
MOST_GROUPS = 10


def spectral_groups(crowd: Crowd, n_groups: int = 0, *, seed: int = 0) -> Array:
    r"""A group code for each annotator, by spectral clustering of Jaffe's score; -1 for groups of one.

    With :math:`r` the covariances of the votes (of each class against the others, and summed, where there are more than
    two), annotators i and j are judged by pairs of others,

    .. math:: s_{ij} = \sum_{k, l} | r_{ij} r_{kl} - r_{il} r_{kj} |

    which is 0 for two classes if all four are independent given the class, and large where i and j share an opinion.
    n_groups: how many, 0: as many as leave the least residual when covariances are :math:`v_i v_j` between groups and
    :math:`u_i u_j` within one. The score is of fourth order: it is summed over 2,000 drawn pairs (k, l), for the 300
    annotators of most votes; the others are in no group.

    Reference: Jaffe, Fetaya, Nadler, Jiang & Kluger, Unsupervised Ensemble Learning with Dependent Classifiers, AISTATS
    2016, sections 3 and 4.

    >>> from crowdwise import simulate
    >>> some = simulate.correlated_group(4, 2, accuracy=0.7, follow=0.9)
    >>> made = simulate.crowd(some + some + simulate.one_coin(2, 2, 0.8), n_items=2000, graph="dense", seed=0)
    >>> spectral_groups(made.crowd).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, -1, -1]
    """
    return spectral_partitions(crowd, (n_groups,), seed=seed)[0]


def spectral_partitions(crowd: Crowd, numbers: tuple[int, ...], *, seed: int = 0) -> list[Array]:
    """`spectral_groups` for several numbers of groups, from one score."""
    if min(numbers) < 0:
        raise InputError(f"groups={min(numbers)} must be at least 0")
    crowd = crowd.counted()
    ops = bind(crowd)
    chosen = busiest_codes(ops, CORE)
    alone = np.full(crowd.n_annotators, -1)
    if chosen.size < 4:
        return [alone for _ in numbers]
    covariance, shared = _covariances(crowd, chosen)
    score = np.sum([_score(r, np.random.default_rng(seed)) for r in covariance], axis=0)

    def misfit(part: Array) -> float:
        return sum(_misfit(r, shared, part) for r in covariance)

    found = []
    for n_groups in numbers:
        if n_groups:
            best = _clustered(score, min(n_groups, chosen.size), seed)
        else:
            most = min(MOST_GROUPS, chosen.size - 1)
            best = min((_clustered(score, n, seed) for n in range(1, most + 1)), key=misfit)
        group = alone.copy()
        if n_groups or best.any():  # one group of all is none: they share the class, and no more
            group[chosen] = best
        found.append(in_order(group))
    return found


def tighter_side(crowd: Crowd, group: Array) -> Array:
    """Where there are two sides, two groups or one and the rest, the one that agrees more is the group, the rest alone.

    Which of two sides sees the class and which an opinion, no votes can tell: either explains them equally well.
    """
    names = np.unique(group)
    if names.size != 2 or min((group == name).sum() for name in names) < 2:
        return group
    crowd = crowd.counted()
    chosen = busiest_codes(bind(crowd), CORE)  # groups are found among these
    correlation = _covariances(crowd, chosen)[0].mean(axis=0)

    def agreement(name: int) -> float:
        own = np.flatnonzero(group[chosen] == name)
        return float(correlation[np.ix_(own, own)].sum() / max(own.size * (own.size - 1), 1))

    return np.where(group == max(names.tolist(), key=agreement), 0, -1)


def _covariances(crowd: Crowd, chosen: Array) -> tuple[Array, Array]:
    """Correlations of votes for each class, little trusted where few items are shared, and how many those are."""
    from scipy.sparse import csr_array

    names = crowd.annotators[chosen]
    among = crowd.subset(annotators=names).with_first("annotator", names)
    where, shape = (among.annotator.astype(np.int64), among.item.astype(np.int64)), (chosen.size, among.n_items)
    votes = csr_array((np.ones(among.n_votes), where), shape=shape)
    there = csr_array((np.ones(votes.nnz), votes.indices, votes.indptr), shape=shape)
    shared = np.asarray((there @ there.T).todense())
    some, found = np.maximum(shared, 1.0), []
    for k in range(1 if crowd.n_classes == 2 else 0, crowd.n_classes):
        said = csr_array(((among.label == k).astype(float), where), shape=shape)
        said.data /= np.maximum(votes.data, 1.0)  # repeated votes are one
        mean = np.asarray((said @ there.T).todense()) / some
        product = np.asarray((said @ said.T).todense()) / some - mean * mean.T
        spread = np.sqrt(np.maximum(np.diag(product), 1e-3))
        r = np.where(shared > 1.0, product / np.outer(spread, spread), 0.0) * shared / (shared + HALF)
        np.fill_diagonal(r, 0.0)
        found.append(r)
    return np.stack(found), shared


def _score(r: Array, rng: np.random.Generator) -> Array:
    """Jaffe's score of each pair, its mean over pairs of others."""
    n = len(r)
    first, second = np.nonzero(~np.eye(n, dtype=bool))
    if first.size > OTHERS:
        drawn = rng.choice(first.size, OTHERS, replace=False)
        first, second = first[drawn], second[drawn]
    between = r[first, second]
    one, other = first[between == 0.0], second[between == 0.0]  # of the minors a product is left: one for all pairs
    total = np.abs(r[:, other]) @ np.abs(r[one])
    minor, product = np.empty((n, n)), np.empty((n, n))
    for k, m in zip(first[between != 0.0], second[between != 0.0], strict=True):  # a matrix each, in the cache
        np.multiply(r, r[k, m], out=minor)
        np.multiply(r[:, m, None], r[k], out=product)
        np.subtract(minor, product, out=minor)
        np.abs(minor, out=minor)
        minor[[k, m]] = 0.0
        minor[:, [k, m]] = 0.0
        total += minor
    apart = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    both = np.bincount(first * n + second, minlength=n * n).reshape(n, n)
    often = first.size - apart[:, None] - apart + both + both.T  # pairs of others, neither of whom is one of the two
    out = total / np.maximum(often, 1.0)
    np.fill_diagonal(out, 0.0)
    return np.asarray(out)


def _clustered(score: Array, n_groups: int, seed: int) -> Array:
    """Spectral clustering: k-means of the leading eigenvectors' rows, each of length one (Ng, Jordan & Weiss 2001)."""
    if n_groups == 1:
        return np.zeros(len(score), np.int64)
    root = 1.0 / np.sqrt(np.maximum(score.sum(axis=1), 1e-12))
    _, vector = np.linalg.eigh(root[:, None] * score * root)
    rows = vector[:, -n_groups:]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return k_means(rows, n_groups, seed=seed)[0]


def _misfit(r: Array, shared: Array, part: Array) -> float:
    """What rank one between groups and rank one within each leave, in units of chance, and what they cost."""
    n, same = len(r), part[:, None] == part
    off = ~np.eye(n, dtype=bool)
    fit, n_numbers = np.zeros((n, n)), 0
    for inside in (~same, *(np.outer(part == one, part == one) for one in np.unique(part))):
        pairs = inside & off
        if not pairs.any():
            continue
        who = np.flatnonzero(pairs.any(axis=1))
        block = np.ix_(who, who)
        start = np.full(who.size, np.sqrt(max(float(r[block][pairs[block]].mean()), 0.01)))
        root = completed_vector(r[block], pairs[block].astype(float), start, 100, 1e-4)
        fit[pairs] = np.outer(root, root)[pairs[block]]
        n_numbers += who.size
    weight = np.where(off, shared, 0.0)
    return float((weight * (r - fit) ** 2).sum() / 2.0 + n_numbers * np.log(n * (n - 1) / 2.0))
