"""Agreement: how much annotators agree beyond chance, overall and pair by pair, from sparse votes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...engine import NumpyEngine, bind
from ...errors import InputError, OptionError
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table

METRICS = ("nominal", "ordinal", "interval", "ratio")
FEW_CLASSES = 50  # up to which products of counts are not sparse
COLUMNS = ("measure", "value", "low", "high", "items", "votes")


class Sums(NamedTuple):
    """What every coefficient is made of: sums over the items that have two votes or more.

    coincidence: pairs of votes on one item, each item counting as many as it has votes, (classes, classes); share: mean
    over items of each one's vote shares; same: mean over items of the share of its pairs that agree; votes, items: how
    many.
    """

    coincidence: Array
    share: Array
    same: float
    votes: float
    items: float


def agreement(
    crowd: Crowd,
    *,
    metric: str = "nominal",
    level: float = 0.95,
    draws: int = 200,
    seed: int = 0,
    engine: str = "auto",
) -> Table:
    """One row per coefficient of agreement, with an interval from items drawn with replacement.

    Percent agreement, Fleiss' kappa, Gwet's AC1 and Krippendorff's alpha are of any number of votes an item; items with
    one vote say nothing and are left out (`items` and `votes` tell what was counted). Cohen's kappa is the mean over
    pairs of annotators, by the items that they share, without interval. metric: how far apart two classes are for
    Krippendorff's alpha: "nominal"; "ordinal", in the order of the classes; "interval" and "ratio", where the classes
    are numbers. level: of the intervals; draws: 0 for none.

    >>> crowd = Crowd.from_matrix([[0, 0, 0], [1, 1, -1], [0, 1, 1], [1, 1, 1]])
    >>> table = agreement(crowd, draws=0)
    >>> dict(zip(table["measure"].tolist(), table["value"].round(3).tolist()))["percent agreement"]
    0.833

    Reference: Fleiss 1971; Gwet, BJMSP 61, 2008; Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    """
    crowd = Crowd.of(crowd)
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level} must lie between 0 and 1")
    if crowd.weight is not None and (crowd.weight % 1.0).any():
        raise InputError("agreement counts votes: weights must be whole numbers; leave the weights out")
    distance = distances(crowd, metric)
    ops = bind(crowd, engine)
    votes, often = _votes(ops)
    n_items = int(often.sum())
    measures: dict[str, Callable[[Sums], float]] = {
        "percent agreement": lambda sums: sums.same,
        "Fleiss' kappa": fleiss,
        "Gwet's AC1": gwet,
        f"Krippendorff's alpha ({metric})": lambda sums: krippendorff(sums, distance),
    }
    whole = _sums(votes, often)
    rng = np.random.default_rng(seed)
    drawn = [
        _sums(votes, rng.multinomial(n_items, often / n_items).astype(float)) for _ in range(draws if n_items else 0)
    ]
    ends = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    rows: list[tuple[Any, ...]] = []
    for name, measure in measures.items():
        each = np.array([measure(one) for one in drawn])
        low, high = np.nanquantile(each, ends) if np.isfinite(each).any() else (np.nan, np.nan)
        rows.append((name, measure(whole), low, high, whole.items, whole.votes))
    pairs = pairwise_agreement(crowd, engine=engine)
    sure = np.isfinite(pairs["kappa"])
    shared = pairs["shared"][sure].astype(float)
    kappa = float(np.average(pairs["kappa"][sure], weights=shared)) if shared.sum() else np.nan
    rows.append(("Cohen's kappa, mean over pairs", kappa, np.nan, np.nan, whole.items, whole.votes))
    columns = {name: np.array(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}
    whole_votes = ("items",) if crowd.weight is not None else ("items", "votes")
    return Table(columns | {name: columns[name].astype(np.int64) for name in whole_votes})


def agreement_by(crowd: Crowd, column: str, **options: Any) -> Table:
    """Agreement in each slice: votes with the same value of a further column of the votes; options are `agreement`'s.

    >>> crowd = Crowd.from_columns([1, 1, 2, 2], ["a", "b", "a", "b"], [0, 0, 0, 1], extra={"day": [1, 1, 2, 2]})
    >>> [row[:2] + (round(row[2], 2),) for row in agreement_by(crowd, "day", draws=0).rows()][::5]
    [(1, 'percent agreement', 1.0), (2, 'percent agreement', 0.0)]
    """
    crowd = Crowd.of(crowd)
    if column not in crowd.extra:
        there = ", ".join(crowd.extra) or "none"
        raise InputError(f"column {column!r} is not among the votes' further columns: {there}")
    values = np.asarray(crowd.extra[column])
    parts = [(value, agreement(crowd.take(values == value), **options)) for value in np.unique(values)]
    if not parts:
        return Table({column: values, **{name: np.empty(0) for name in COLUMNS}})
    sizes = [len(table) for _, table in parts]
    columns = {name: np.concatenate([table[name] for _, table in parts]) for name in COLUMNS}
    return Table({column: np.repeat([value for value, _ in parts], sizes), **columns})


def pairwise_agreement(crowd: Crowd, *, least_shared: int = 1, engine: str = "auto") -> Table:
    """One row per pair of annotators with shared items: how many, share of them on which they agree, Cohen's kappa.

    kappa is NaN where either always says the same: nothing is left that chance does not explain. Least agreement
    first.

    >>> crowd = Crowd.from_matrix([[0, 0], [1, 1], [0, 1], [1, 1]])
    >>> [round(number, 2) for number in next(iter(pairwise_agreement(crowd).rows()))[2:]]
    [4, 0.75, 0.5]
    """
    crowd = Crowd.of(crowd)
    ops, k = bind(crowd, engine), crowd.n_classes
    met = ops.tuples(2)
    first, second = met.cells[:, 0] // k, met.cells[:, 1] // k
    pair = first.astype(np.int64) * crowd.n_annotators + second
    key, place = np.unique(pair, return_inverse=True)
    given_first, given_second = met.cells[:, 0] % k, met.cells[:, 1] % k
    shared = np.bincount(place, met.often, len(key))
    same = np.bincount(place, met.often * (given_first == given_second), len(key)) / np.maximum(shared, 1e-300)
    by_first, by_second = np.zeros((2, len(key), k))
    np.add.at(by_first, (place, given_first), met.often)
    np.add.at(by_second, (place, given_second), met.often)
    chance = (by_first * by_second).sum(axis=1) / np.maximum(shared, 1e-300) ** 2
    kappa = _beyond(same, chance)
    kept = np.flatnonzero(shared >= least_shared)
    kept = kept[np.argsort(same[kept], kind="stable")]
    return Table(
        {
            "first": crowd.annotators[key[kept] // crowd.n_annotators],
            "second": crowd.annotators[key[kept] % crowd.n_annotators],
            "shared": shared[kept] if crowd.weight is not None else np.rint(shared[kept]).astype(np.int64),
            "agreement": same[kept],
            "kappa": kappa[kept],
        }
    )


def fleiss(sums: Sums) -> float:
    """Fleiss' kappa: chance is two votes drawn from all."""
    share = sums.coincidence.sum(axis=1) / max(sums.votes, 1e-300)
    return float(_beyond(sums.same, (share**2).sum()))


def gwet(sums: Sums) -> float:
    """Gwet's AC1: chance is a guess where it is a guess; steady where one class is common."""
    n_classes = len(sums.share)
    chance = (sums.share * (1.0 - sums.share)).sum() / max(n_classes - 1, 1)
    return float(_beyond(sums.same, chance))


def krippendorff(sums: Sums, distance: Callable[[Array], Array]) -> float:
    """Krippendorff's alpha: observed over expected disagreement, for any number of votes an item."""
    often = sums.coincidence.sum(axis=1)
    apart = distance(often)
    expected = (np.outer(often, often) - np.diag(often)) / max(sums.votes - 1.0, 1e-300)
    worst = float((expected * apart).sum())
    return 1.0 - float((sums.coincidence * apart).sum()) / worst if worst > 0.0 else np.nan


def distances(crowd: Crowd, metric: str) -> Callable[[Array], Array]:
    """Squared distances between classes, (classes, classes), given how often each was said."""
    if metric not in METRICS:
        raise OptionError(f"metric={metric!r}: for votes that name classes, choose {', '.join(METRICS)}")
    k = crowd.n_classes
    if metric == "nominal":
        return lambda often: 1.0 - np.eye(k)
    if metric == "ordinal":

        def by_rank(often: Array) -> Array:
            middle = np.cumsum(often) - often / 2.0  # votes between two classes, half of their own included
            return (middle[:, None] - middle) ** 2

        return by_rank
    try:
        number = np.array([float(name) for name in crowd.classes.tolist()])
    except (TypeError, ValueError) as error:
        some = crowd.classes.tolist()[:3]
        raise InputError(f"metric={metric!r} needs classes that are numbers; {some} are not") from error
    if metric == "interval":
        return lambda often: (number[:, None] - number) ** 2
    if (number < 0.0).any():
        raise InputError("metric='ratio' needs classes that are no less than zero")
    total = number[:, None] + number
    return lambda often: np.divide((number[:, None] - number) ** 2, total**2, out=np.zeros((k, k)), where=total > 0.0)


def _votes(ops: NumpyEngine) -> tuple[Array, Array]:
    """Votes by class of the items with two votes or more, (kinds, classes), and how many items have each kind."""
    votes = ops.item_votes()
    votes = votes[votes.sum(axis=1) > 1.0]
    kinds, often = np.unique(votes, axis=0, return_counts=True)
    return kinds, often.astype(float)


def _sums(votes: Array, weight: Array) -> Sums:
    n = votes.sum(axis=1)
    scaled = votes * (weight / np.maximum(n - 1.0, 1e-300))[:, None]
    coincidence = _product(scaled, votes) - np.diag(scaled.sum(axis=0))
    pairs = (votes * (votes - 1.0)).sum(axis=1) / np.maximum(n * (n - 1.0), 1e-300)
    items = max(float(weight.sum()), 1e-300)
    return Sums(
        coincidence,
        (weight / np.maximum(n, 1e-300)) @ votes / items,
        float(weight @ pairs) / items if len(votes) else np.nan,
        float(weight @ n),
        float(weight.sum()),
    )


def _product(scaled: Array, votes: Array) -> Array:
    """scaled' votes; where classes are many, most votes are for none of them."""
    if votes.shape[1] <= FEW_CLASSES:
        return np.asarray(scaled.T @ votes)
    from scipy.sparse import csr_array

    return np.asarray((csr_array(scaled).T @ csr_array(votes)).todense())


def _beyond(same: Any, chance: Any) -> Any:
    """Agreement beyond chance, of what chance leaves."""
    return np.divide(same - chance, 1.0 - chance, out=np.full(np.shape(same), np.nan), where=np.asarray(chance) < 1.0)
