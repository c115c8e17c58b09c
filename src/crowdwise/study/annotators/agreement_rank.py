"""Colluders by the matrix of agreements: that of the honest has low rank off its diagonal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...errors import InputError
from ...methods.classes.honest import SURE
from ...methods.classes.moments.k_means import k_means
from ...methods.classes.moments.low_rank import HALF, completed_root
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table

MOST = 1_000  # annotators: the matrix is dense
EXCESS = 0.05  # agreement beyond the low rank that is worth a name
ROUNDS = 20
STARTS = ((2, 2), (2, 3), (3, 3), (3, 4), (0, 2), (0, 4))  # eigenvectors (0: all of them) and clusters


def agreement_colluders(crowd: Crowd, *, trusted: Iterable[Any] = (), rank: int = 0, seed: int = 0) -> Table:
    r"""Annotators who agree with each other beyond what the classes explain: annotator, z; surest first.

    Annotators who vote independently, given the class, agree with probability
    :math:`\sigma_{jm} = \mathrm{tr}(A_j D A_m^\top)`, D being the shares of the classes: off its diagonal the matrix of
    agreements has rank :math:`K^2` at most (:math:`K (K - 1) + 1`, because rows of A sum to 1), and so have the columns
    of the honest, while colluders' agreements with each other are free. So some suspects' block is left out, the rest
    is fitted at that rank, and the block is what the fit says of it, or exceeds it: suspects stay who agree with the
    other suspects by three standard errors more, and by .05; and once more, until they stay. Suspects are at first the
    clusters of the matrix's eigenvectors. Where several sets stay, the one that exceeds most is taken. Somebody must be
    believed: no set that has one of the `trusted` (variant TA), or half of all annotators or more (variant H), is
    asked.

    No fit of the classes is needed. The test is the paper's; its search for the honest is not printed, and this one is
    ours. It names those who are honest and alike too (see the benchmark); `colluders`, after `honest_result`, does not.

    trusted: annotators to believe. rank: 0 for K (K - 1) + 1.

    Reference: Traganitis & Giannakis, Detecting Adversaries in Crowdsourcing, ICDM 2021.

    >>> from crowdwise import simulate
    >>> people = simulate.one_coin(24, 3, 0.6) + simulate.colluders(8, 3, p_corr=0.9, accuracy=1.0, plot="any")
    >>> made = simulate.crowd(people, n_items=3000, per_item=12, seed=0)
    >>> sorted(agreement_colluders(made.crowd)["annotator"].tolist())
    [24, 25, 26, 27, 28, 29, 30, 31]
    """
    crowd = crowd.once()
    n = crowd.n_annotators
    if n > MOST:
        raise InputError(f"agreement_colluders compares all pairs: {n:,} annotators are more than {MOST:,}")
    rank = min(rank or crowd.n_classes * (crowd.n_classes - 1) + 1, max(1, n // 4))
    chosen = crowd.codes_of("annotator", trusted, "trusted")
    agreement, shared = _agreements(crowd)
    best, z = np.zeros(n, bool), np.zeros(n)
    for suspects in _suspects(agreement, shared, rank, seed):
        if suspects[chosen].any() if chosen.size else 2 * suspects.sum() >= n:
            continue
        found, sure = _kept(agreement, shared, rank, suspects)
        if found.any() and (not best.any() or sure[found].mean() > z[best].mean()):
            best, z = found, sure
    who = np.flatnonzero(best)[np.argsort(-z[best], kind="stable")]
    return Table({"annotator": crowd.annotators[who], "z": z[who]})


def _agreements(crowd: Crowd) -> tuple[Array, Array]:
    """How often each two say the same, and over how many items."""
    from scipy.sparse import csr_array

    who, item, one = crowd.annotator.astype(np.int64), crowd.item.astype(np.int64), np.ones(crowd.n_votes)
    cell = item * crowd.n_classes + crowd.label
    there = csr_array((one, (who, item)), shape=(crowd.n_annotators, crowd.n_items))
    said = csr_array((one, (who, cell)), shape=(crowd.n_annotators, crowd.n_items * crowd.n_classes))
    shared, same = (np.asarray((part @ part.T).todense()) for part in (there, said))
    np.fill_diagonal(shared, 0.0)
    return np.divide(same, shared, out=np.zeros_like(same), where=shared > 0.0), shared


def _suspects(agreement: Array, shared: Array, rank: int, seed: int) -> Iterator[Array]:
    """Sets of annotators that lie together in the matrix's leading eigenvectors."""
    n, tried = len(agreement), set()
    if not (shared > 0.0).any():
        return
    fit = _fitted(agreement, shared / (shared + HALF), rank)
    value, vector = np.linalg.eigh(np.where(shared > 0.0, agreement, fit))
    for several, clusters in STARTS:
        columns = min(several or rank, n - 1)
        rows = vector[:, -columns:] * np.sqrt(np.maximum(value[-columns:], 0.0))
        cluster = k_means(rows, min(clusters, n - 1), seed=seed)[0]
        for one in range(min(clusters, n - 1)):
            suspects = cluster == one
            if suspects.sum() > 1 and suspects.tobytes() not in tried:
                tried.add(suspects.tobytes())
                yield suspects


def _kept(agreement: Array, shared: Array, rank: int, suspects: Array) -> tuple[Array, Array]:
    """The suspects whose agreement with one another is more than the rest of the matrix explains, and how surely."""
    seen: set[bytes] = set()
    z = np.zeros(len(agreement))
    for _ in range(ROUNDS):
        block = np.outer(suspects, suspects)
        fit = _fitted(agreement, np.where(block, 0.0, shared / (shared + HALF)), rank)
        pair = np.where(block, shared, 0.0)
        excess = (pair * (agreement - fit)).sum(axis=1)
        z = excess / np.sqrt(np.maximum((pair * fit * (1.0 - fit)).sum(axis=1), 1e-9))
        now = suspects & (z > SURE) & (excess > EXCESS * pair.sum(axis=1))
        if not now.any() or (now == suspects).all() or now.tobytes() in seen:
            return now, z
        seen.add(now.tobytes())
        suspects = now
    return suspects, z


def _fitted(agreement: Array, trust: Array, rank: int) -> Array:
    """The matrix at a rank, where it is trusted, and what that says of the rest."""
    filled = np.where(trust > 0.0, agreement, agreement[trust > 0.0].mean() if (trust > 0.0).any() else 0.5)
    value, vector = np.linalg.eigh(filled)
    start = vector[:, -rank:] * np.sqrt(np.maximum(value[-rank:], 1e-3))
    root = completed_root(agreement, trust, start, 300, 1e-6)[0]
    return np.clip(root @ root.T, 1e-3, 1.0 - 1e-3)
