"""Ranks: how surely items stand in order, who would win, which pair to ask next."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.comparison_sums import pair_pass, pairs_of, sigmoid
from ...errors import InputError
from ...fit.estimates import Scores
from ...fit.result import Result
from ...votes.codes import Array, find, names_array, shown
from ...votes.comparisons import Comparisons
from ...votes.table import Table

LARGE = 2_000  # items, up to which covariances between scores are known
PROBIT = np.pi / 8.0  # of a variance, in the mean of the logistic function


def covariance(result: Result) -> Array:
    """Covariances of the scores, (items, items), scaled so that variances are the result's own.

    By the curve of Bradley and Terry's likelihood at the scores; of many items, which are compared with many others,
    only the variances.
    """
    scores, sd = _scores(result)
    if scores.size > LARGE or not isinstance(result.votes, Comparisons):
        return np.diag(sd**2)
    pairs = pairs_of(result.votes)
    curve = pair_pass(pairs, scores)[2]
    prior = 1.0 / max(float((scores**2 + sd**2).mean()), 1e-3)
    matrix = np.diag(np.full(scores.size, prior))
    np.add.at(matrix, (pairs.left, pairs.left), curve)
    np.add.at(matrix, (pairs.right, pairs.right), curve)
    matrix[pairs.left, pairs.right] -= curve
    matrix[pairs.right, pairs.left] -= curve
    found = np.linalg.inv(matrix)
    centre = np.eye(scores.size) - 1.0 / scores.size
    found = centre @ found @ centre
    scale = sd / np.sqrt(np.maximum(np.diag(found), 1e-300))
    return np.asarray(found * np.outer(scale, scale))


def rank_intervals(result: Result, level: float = 0.9, *, draws: int = 1000, seed: int = 0) -> Table:
    """One row per item, best first: score, rank, and the ends of the interval that holds its rank.

    Scores are drawn from what is known of them together; ranks are read off.

    >>> from crowdwise import BradleyTerry, simulate
    >>> made = simulate.comparisons(n_items=6, n_annotators=10, per_annotator=60, seed=0)
    >>> table = rank_intervals(BradleyTerry().fit(made.comparisons))
    >>> bool((table["rank_low"] <= table["rank"]).all() and (table["rank"] <= table["rank_high"]).all())
    True
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} must lie between 0 and 1")
    scores, _ = _scores(result)
    drawn = np.random.default_rng(seed).multivariate_normal(scores, covariance(result), size=draws, method="eigh")
    ranks = (-drawn).argsort(axis=1).argsort(axis=1) + 1
    low, high = np.quantile(ranks, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0, method="nearest")
    rank = np.asarray(result.estimate.columns()["rank"])
    order = np.argsort(rank, kind="stable")
    columns = {
        "item": result.items,
        "score": scores,
        "rank": rank,
        "rank_low": np.minimum(low.astype(int), rank),
        "rank_high": np.maximum(high.astype(int), rank),
        "best": (ranks == 1).mean(axis=0),
    }
    return Table(columns).take(order)


def chance_to_win(result: Result, one: Any, other: Any) -> tuple[float, float]:
    """The chance that one item wins the next comparison with another, by an honest annotator; and that it is better.

    >>> from crowdwise import BradleyTerry, simulate
    >>> made = simulate.comparisons(n_items=6, n_annotators=10, per_annotator=60, seed=0)
    >>> best = int(made.truth.argmax())
    >>> wins, better = chance_to_win(BradleyTerry().fit(made.comparisons), best, int(made.truth.argmin()))
    >>> 0.5 < wins < better
    True
    """
    from scipy.special import ndtr

    scores, _ = _scores(result)
    named = names_array([one, other])
    places = find(named, result.items)
    if (places < 0).any():
        raise InputError(f"item {shown(named[places < 0][0])} is not among the items of this result")
    i, j = places.tolist()
    both = covariance(result)
    d, variance = scores[i] - scores[j], max(both[i, i] + both[j, j] - 2.0 * both[i, j], 1e-300)
    return float(sigmoid(d / np.sqrt(1.0 + PROBIT * variance))), float(ndtr(d / np.sqrt(variance)))


def next_pairs(result: Result, n: int = 10) -> Table:
    r"""Pairs to ask next: those whose answer tells most, :math:`p (1 - p) Var(s_i - s_j)`, no item in two of them.

    Each row says what the pair's answer tells, how often the pair was asked, and the chance that the first wins. Items
    that were never compared come first: nothing is known of them.

    >>> from crowdwise import BradleyTerry, simulate
    >>> made = simulate.comparisons(n_items=6, n_annotators=10, per_annotator=10, seed=0)
    >>> len(next_pairs(BradleyTerry().fit(made.comparisons), 2))
    2
    """
    if n < 1:
        raise InputError(f"n={n} must be at least 1")
    scores, sd = _scores(result)
    size = scores.size
    if size < 2:
        raise InputError("there is only one item: nothing to compare")
    both = covariance(result)
    chosen = np.argsort(-sd, kind="stable")[: max(4 * n, 200) if size > LARGE else size]  # of many, the vaguest
    first, second = (chosen[side] for side in np.triu_indices(chosen.size, 1))
    variance = both[first, first] + both[second, second] - 2.0 * both[first, second]
    chance = sigmoid(scores[first] - scores[second])
    told = chance * (1.0 - chance) * np.maximum(variance, 0.0)
    asked = np.zeros(first.size)
    if isinstance(result.votes, Comparisons):
        met = pairs_of(result.votes)
        low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
        place = find(low * size + high, met.left.astype(np.int64) * size + met.right)
        asked = np.where(place >= 0, np.append(met.wins + met.losses, 0.0)[place], 0.0)
    order, used, kept = np.argsort(-told, kind="stable"), np.zeros(size, bool), []
    for place in order[: 200 * n].tolist():
        if not (used[first[place]] or used[second[place]]):
            used[[first[place], second[place]]] = True
            kept.append(place)
        if len(kept) == n:
            break
    at = np.array(kept, np.int64)
    return Table(
        {
            "left": result.items[first[at]],
            "right": result.items[second[at]],
            "information": told[at],
            "chance": chance[at],
            "asked": asked[at],
        }
    )


def ranking_parts(comparisons: Comparisons) -> Table:
    """One row per item: the part of the graph it is in, and how often it won and lost; ranks mean nothing across parts.

    >>> from crowdwise import Comparisons
    >>> said = Comparisons.from_columns(["a", "c"], ["b", "d"], ["x", "x"], ["left", "tie"])
    >>> ranking_parts(said)["part"].tolist()
    [0, 0, 1, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs, n = pairs_of(comparisons), comparisons.n_items
    graph = coo_array((np.ones(pairs.left.size), (pairs.left, pairs.right)), shape=(n, n))
    won = np.bincount(pairs.left, pairs.wins, n) + np.bincount(pairs.right, pairs.losses, n)
    lost = np.bincount(pairs.left, pairs.losses, n) + np.bincount(pairs.right, pairs.wins, n)
    part = connected_components(graph, directed=False)[1]
    return Table({"item": comparisons.items, "part": part, "won": won, "lost": lost})


def _scores(result: Result) -> tuple[Array, Array]:
    if not isinstance(result.estimate, Scores):
        raise InputError(f"{result.method.name} gives no scores: ranks are of comparisons")
    return result.estimate.mean, result.estimate.sd
