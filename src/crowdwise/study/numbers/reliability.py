"""How much ratings of the same item agree, and how much answers to the same pair do."""

from __future__ import annotations

import numpy as np

from ...engine.comparison_sums import pair_keys
from ...errors import InputError
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from ...votes.ratings import Ratings
from ...votes.table import Table


def reliability(ratings: Ratings, *, level: float = 0.95, draws: int = 200, seed: int = 0) -> Table:
    r"""One row per coefficient of agreement between ratings of the same items, with an interval.

    Krippendorff's alpha (interval): :math:`1 - D_o / D_e`, its interval from items drawn with replacement. The
    intraclass correlations are those of one-way random effects, items rated by anybody: ICC(1), of one rating, and
    ICC(k), of the mean of as many as an item has on average; their intervals are those of the F distribution. Items
    with one rating say nothing and are left out. draws: 0 for no interval of alpha.

    >>> from crowdwise import Ratings
    >>> said = Ratings.from_columns([1, 1, 2, 2, 3, 3], list("ababab"), [1.0, 1.5, 3.0, 3.5, 5.0, 4.5])
    >>> table = reliability(said, draws=0)
    >>> dict(zip(table["measure"].tolist(), table["value"].round(3).tolist()))["ICC(1)"]
    0.96

    Reference: Krippendorff 2011; Shrout & Fleiss, Psychological Bulletin 86, 1979; k of uneven items after Donner 1986.
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} must lie between 0 and 1")
    if ratings.weight is not None and (ratings.weight % 1.0).any():
        raise InputError("agreement counts ratings: weights must be whole numbers; leave the weights out")
    weight = ratings._weight()
    n = np.bincount(ratings.item, weight, ratings.n_items)
    # About the mean of all, so that squares do not cancel.
    value = ratings.value - np.average(ratings.value, weights=weight)
    total = np.bincount(ratings.item, weight * value, ratings.n_items)
    square = np.bincount(ratings.item, weight * value**2, ratings.n_items)
    some = n > 1.0
    n, total, square = n[some], total[some], square[some]
    within = np.maximum(square - total**2 / n, 0.0)
    alpha = krippendorff(n, total, square, within, np.ones(n.size))
    rng = np.random.default_rng(seed)
    drawn = np.array(
        [
            krippendorff(n, total, square, within, rng.multinomial(n.size, np.full(n.size, 1.0 / n.size)).astype(float))
            for _ in range(draws if n.size else 0)
        ]
    )
    ends = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    low, high = np.nanquantile(drawn, ends) if np.isfinite(drawn).any() else (np.nan, np.nan)
    rows = [("Krippendorff's alpha (interval)", alpha, low, high), *intraclass(n, total, within, level)]
    columns = dict(zip(("measure", "value", "low", "high"), map(np.array, zip(*rows, strict=True)), strict=True))
    return Table({**columns, "items": np.full(len(rows), n.size), "votes": np.full(len(rows), int(n.sum()))})


def krippendorff(n: Array, total: Array, square: Array, within: Array, times: Array) -> float:
    """Observed over expected squared differences, of items drawn so many times."""
    votes = float(times @ n)
    if votes < 2.0:
        return float("nan")
    observed = 2.0 * float(times @ (within * n / (n - 1.0))) / votes
    expected = 2.0 * (float(times @ square) - float(times @ total) ** 2 / votes) / (votes - 1.0)
    return 1.0 - observed / expected if expected > 0.0 else float("nan")


def intraclass(n: Array, total: Array, within: Array, level: float) -> list[tuple[str, float, float, float]]:
    """ICC(1) and ICC(k) of one-way random effects, with the F distribution's intervals."""
    from scipy.stats import f

    nothing = (float("nan"),) * 3
    items, votes = n.size, float(n.sum())
    if items < 2 or votes <= items or not within.sum() > 0.0:
        return [("ICC(1)", *nothing), ("ICC(k)", *nothing)]
    k = (votes - float((n**2).sum()) / votes) / (items - 1.0)
    mean = float(total.sum()) / votes
    between = float((n * (total / n - mean) ** 2).sum()) / (items - 1.0)
    ratio = between / (float(within.sum()) / (votes - items))
    tail = (1.0 - level) / 2.0
    bounds = [ratio / f.isf(tail, items - 1, votes - items), ratio * f.isf(tail, votes - items, items - 1)]
    one = [(r - 1.0) / (r + k - 1.0) for r in (ratio, *bounds)]
    many = [1.0 - 1.0 / r for r in (ratio, *bounds)]
    return [("ICC(1)", one[0], one[1], one[2]), ("ICC(k)", many[0], many[1], many[2])]


def answers_alike(comparisons: Comparisons, *, level: float = 0.95, draws: int = 200, seed: int = 0) -> Table:
    """How often two answers to the same pair are the same: different annotators', and one's own when asked again.

    Intervals are from pairs drawn with replacement; `beyond_chance` is of what a coin with as many ties
    leaves.

    >>> from crowdwise import Comparisons
    >>> said = Comparisons.from_columns(["a", "b", "a"], ["b", "a", "b"], ["x", "y", "z"], ["left", "right", "right"])
    >>> answers_alike(said, draws=0)["value"].round(2).tolist()[0]
    0.33
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} must lie between 0 and 1")
    key, turned = pair_keys(comparisons)
    label = np.asarray(comparisons.label, np.int64)
    said = np.where((label < 2) & turned, 1 - label, label)
    pair = np.unique(key, return_inverse=True)[1]
    n_pairs = int(pair.max(initial=-1)) + 1
    own = np.unique(pair * np.int64(comparisons.n_annotators) + comparisons.annotator, return_inverse=True)[1]
    of_own = np.zeros(int(own.max(initial=-1)) + 1, np.int64)
    of_own[own] = pair
    counts, mine = np.zeros((n_pairs, 3)), np.zeros((of_own.size, 3))
    np.add.at(counts, (pair, said), 1.0)
    np.add.at(mine, (own, said), 1.0)
    all_same, all_met = _pairs(counts)
    own_same, own_met = (np.bincount(of_own, column, n_pairs) for column in _pairs(mine))
    rng = np.random.default_rng(seed)
    rows = []
    for name, same, met in (
        ("different annotators agree", all_same - own_same, all_met - own_met),
        ("the same annotator agrees with themselves", own_same, own_met),
    ):
        some = met > 0.5
        drawn = [
            _share(same[some], met[some], rng.multinomial(some.sum(), np.full(some.sum(), 1.0 / some.sum())))
            for _ in range(draws if some.any() else 0)
        ]
        low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0]) if drawn else (np.nan, np.nan)
        rows.append((name, _share(same, met, np.ones(n_pairs)), low, high, int(some.sum())))
    tie = float((label == 2).mean()) if label.size else 0.0
    chance = tie**2 + (1.0 - tie) ** 2 / 2.0
    value, low, high = (np.array([row[k] for row in rows], float) for k in (1, 2, 3))
    beyond = (value - chance) / (1.0 - chance) if chance < 1.0 else np.full(len(rows), np.nan)
    return Table(
        {
            "measure": np.array([row[0] for row in rows], object),
            "value": value,
            "low": low,
            "high": high,
            "beyond_chance": beyond,
            "pairs": np.array([row[4] for row in rows]),
        }
    )


def _pairs(counts: Array) -> tuple[Array, Array]:
    """Pairs of answers that are the same, and all pairs of answers."""
    n = counts.sum(axis=1)
    return (counts * (counts - 1.0)).sum(axis=1) / 2.0, n * (n - 1.0) / 2.0


def _share(same: Array, met: Array, times: Array) -> float:
    total = float(times @ met)
    return float(times @ same) / total if total > 0.0 else float("nan")
