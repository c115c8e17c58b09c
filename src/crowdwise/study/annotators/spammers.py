"""Spammers by two classical ways: covariances of the votes, and EM that makes spammers of whom it can.

`verdicts` is the way to judge people; these are here to compare with, and to clean a crowd as papers do.
"""

from __future__ import annotations

import numpy as np

from ...engine import NumpyEngine, bind
from ...errors import InputError
from ...fit.em import vote_shares
from ...methods.classes.em.spem import SpEM, spammer_score
from ...methods.classes.moments.k_means import k_means
from ...methods.classes.moments.low_rank import HALF, completed_root
from ...methods.classes.moments.moment_method import busiest_codes
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table
from .guessing import chance_of_guessing

CORE = 200  # annotators, those of most votes, whose pairs are factored; the others are fitted to them
MOST_CELLS = 1_500  # annotators times classes, of those
MOST_RANK = 10
LEAST_SHARED = 2.0  # items of an annotator's usual pair, half of the core having less


def covariance_spammers(crowd: Crowd, *, clusters: int = 2, test: float = 0.001, seed: int = 0) -> Table:
    r"""One row per annotator: votes, strength (how much they covary with others), chance, and if they are a spammer.

    Whoever guesses covaries with nobody. With :math:`x_j` an annotator's vote as an indicator of K classes (so that the
    order of classes does not matter), :math:`\mathrm{Cov}(x_i, x_j) = V_i V_j^\top` for i other than j; V, of rank K
    (10 at most), is fitted to the pairs that met, each trusted by the items it shares, n / (n + 10), and shrunk by the
    trust of the annotator's usual pair. Rows of V are clustered by k-means, annotators counting by the root of their
    votes; those of the cluster whose centre is nearest to 0 are spammers. Pairs are those of the 200 annotators of most
    votes (fewer with many classes); the others' V follows from theirs.

    There is always such a cluster. So each is tested against "covaries with nobody": chance is that of labels that go
    as well with what those of the other clusters say of the item, the sum of their V, by Pillai's trace; who is below
    `test` is no spammer, whatever their cluster. With test=0 clusters decide alone, as in the paper, which then names
    honest annotators where there is no spammer. Few votes show nothing, and no covariance either: `verdicts` names
    nobody without evidence.

    Reference: Traganitis & Giannakis, ICASSP 2021, algorithm 1, on integer labels and unweighted pairs.

    >>> from crowdwise import simulate
    >>> people = simulate.one_coin(8, 3, 0.8) + simulate.spammers(4, 3)
    >>> made = simulate.crowd(people, n_items=400, per_item=6, seed=0)
    >>> covariance_spammers(made.crowd)["spammer"].tolist()
    [False, False, False, False, False, False, False, False, True, True, True, True]
    """
    if clusters < 2:
        raise InputError(f"clusters={clusters}: at least 2 are needed")
    if not 0.0 <= test < 1.0:
        raise InputError(f"test={test} must be at least 0 and less than 1")
    ops = bind(crowd)
    votes = ops.given.sum(axis=1)
    row, trust = _rows(ops)
    believed = row.reshape(crowd.n_annotators, crowd.n_classes, -1)
    row = row * trust[:, None]
    strength = np.linalg.norm(row, axis=1)
    heard = np.flatnonzero(votes > 0.0)
    spammer = np.zeros(crowd.n_annotators, bool)
    if heard.size > clusters:
        cluster, centres = k_means(row[heard], clusters, np.sqrt(votes[heard]), starts=50, seed=seed)
        spammer[heard] = cluster == np.linalg.norm(centres, axis=1).argmin()
    # The votes of whoever may be a spammer would only show what V took from chance; and centred V has rank K - 1.
    believed = np.where(spammer[:, None, None], 0.0, believed)
    strongest = np.argsort(-(believed**2).sum(axis=(0, 1)), kind="stable")[: max(crowd.n_classes - 1, 1)]
    chance = chance_of_guessing(ops, believed[:, :, strongest])
    spammer &= chance >= test
    columns = {"annotator": crowd.annotators, "votes": votes, "strength": strength, "chance": chance}
    return Table({**columns, "spammer": spammer})


def eliminated(crowd: Crowd, *, least: float = 0.1, engine: str = "auto", seed: int = 0) -> Table:
    """One row per annotator: votes, score (0 a spammer, 1 an expert), and the round that dropped them, 0 never.

    `SpEM` is fitted, annotators whose score is below `least` are dropped, and so on until none is.

    Reference: Raykar & Yu, JMLR 13, 2012, algorithm 1.

    >>> from crowdwise import simulate
    >>> people = simulate.one_coin(8, 3, 0.8) + simulate.spammers(4, 3)
    >>> made = simulate.crowd(people, n_items=400, per_item=6, seed=0)
    >>> eliminated(made.crowd)["dropped"].tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    """
    if not 0.0 < least < 1.0:
        raise InputError(f"least={least} must lie between 0 and 1")
    votes = crowd.annotator_weight()
    score, dropped = np.full(crowd.n_annotators, np.nan), np.zeros(crowd.n_annotators, np.int64)
    left, round_ = np.flatnonzero(votes > 0.0), 0
    while left.size:
        fitted = SpEM(seed=seed, tol=1e-6).fit(crowd.subset(annotators=crowd.annotators[left]), engine=engine)
        score[left] = spammer_score(fitted.params["confusion"])
        low = score[left] < least
        if not low.any():
            break
        round_ += 1
        dropped[left[low]] = round_
        left = left[~low]
    return Table({"annotator": crowd.annotators, "votes": votes, "score": score, "dropped": dropped})


def _rows(ops: NumpyEngine) -> tuple[Array, Array]:
    """V of each annotator, (annotators, given x rank), and how far the pairs that it rests on are to be trusted."""
    from scipy.sparse import csr_array

    n_classes, n = ops.n_classes, ops.n_annotators
    core = busiest_codes(ops, min(CORE, max(MOST_CELLS // n_classes, 4)))
    rank = min(n_classes, MOST_RANK)
    weight = np.ones(ops.crowd.n_votes) if ops.weight is None else ops.weight
    item, who = ops.item.astype(np.int64), ops.annotator.astype(np.int64)
    said = csr_array((weight, (item, who * n_classes + ops.label)), shape=(ops.n_items, n * n_classes))
    there = csr_array((weight, (item, who)), shape=(ops.n_items, n))
    cells = (core[:, None] * n_classes + np.arange(n_classes)).ravel()
    own, met = said[:, cells], there[:, core]
    pairs = (there.T @ met).tolil()  # items that each shares with each of the core, their own left out
    pairs[core, np.arange(core.size)] = 0.0
    pairs = pairs.tocsr()
    usual = np.asarray(pairs.multiply(pairs).sum(axis=1)).ravel() / np.maximum(
        np.asarray(pairs.sum(axis=1)).ravel(), 1e-9
    )
    if np.median(usual[core]) < LEAST_SHARED:
        raise InputError(
            f"annotators share {np.median(usual[core]):.1f} items with one another, too few for covariances: take "
            "verdicts, or eliminated"
        )

    shared = np.asarray(pairs[core].todense())
    some = np.where(shared > 0.0, shared, np.inf)
    together = np.asarray((own.T @ own).todense()).reshape(core.size, n_classes, core.size, n_classes)
    usual_vote = np.asarray((own.T @ met).todense()).reshape(core.size, n_classes, core.size) / some[:, None]
    covariance = together / some[:, None, :, None] - np.einsum("ikj,jli->ikjl", usual_vote, usual_vote)
    trust = np.repeat(np.repeat(shared / (shared + HALF), n_classes, axis=0), n_classes, axis=1)
    start = _start(ops)[core].reshape(cells.size, -1)[:, :rank]
    root, _ = completed_root(covariance.reshape(cells.size, cells.size), trust, start, 300, 1e-6)

    rows = np.zeros((n, n_classes, rank))
    rows[core] = root.reshape(core.size, n_classes, rank)
    others = np.setdiff1d(np.arange(n), core)
    if others.size:
        # Least squares of C_ij = V_i V_j' over j in the core: what its members say of an item, and how well; with ten
        # items more on which a usual member and they do not covary.
        mean = ops.given / np.maximum(ops.given.sum(axis=1), 1e-300)[:, None]
        opinion = np.asarray(own @ root) - np.asarray(met @ np.einsum("jl,jlr->jr", mean[core], rows[core]))
        square = np.einsum("jlr,jls->jrs", rows[core], rows[core])
        about = np.asarray(there.T @ opinion)[others]
        right = ops.confusion_counts(opinion).transpose(0, 2, 1)[others] - mean[others][:, :, None] * about[:, None]
        left = np.asarray(pairs[others] @ square.reshape(core.size, -1)).reshape(-1, rank, rank)
        left += HALF * square.mean(axis=0) + 1e-9 * np.eye(rank)
        rows[others] = np.linalg.solve(left, right.transpose(0, 2, 1)).transpose(0, 2, 1)
    return rows.reshape(n, -1), usual / (usual + HALF)


def _start(ops: NumpyEngine) -> Array:
    """How votes covary with the shares of all votes, in directions of length one, (annotators, given, rank)."""
    share = vote_shares(ops)
    found = ops.confusion_counts(share - share.mean(axis=0)).transpose(0, 2, 1)
    found = (found / np.maximum(ops.given.sum(axis=1), 1e-300)[:, None, None]).reshape(-1, ops.n_classes)
    direction = np.linalg.svd(found, full_matrices=False)[0]
    return np.asarray(np.sqrt(0.1) * direction.reshape(ops.n_annotators, ops.n_classes, -1))
