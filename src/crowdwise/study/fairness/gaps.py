"""Rates of labels in groups of items, and the gaps between groups: from known labels, or from the model's belief."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...fit.result import Result
from ...votes.attributes import Attribute, attribute_of_items
from ...votes.codes import Array, find, names_array, shown
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.table import Table
from ..panels.judged_mean import JudgedMean, judged_mean
from ..settle import unsettled
from ..uncertainty import check_level

MEASURES = ("selection", "base", "tpr", "fpr", "ppv", "accuracy")
GAPS = {"parity": "selection", "opportunity": "tpr", "false alarms": "fpr", "precision": "ppv", "base rate": "base"}
BINS = 5  # of confidence, in which calibration is looked at
DRAWS = 200
LEAST = 5  # items, or known labels, of a group whose rates are told


class Found(NamedTuple):
    """Of each group and measure: its value, and draws of what it may be; (groups, measures) and (draws, ...)."""

    value: Array
    draws: Array
    source: str
    known: Array


def rates(
    result: Result, by: Any, *, positive: Any = None, gold: Any = None, level: float = 0.9, seed: int = 0
) -> Table:
    """How labels treat groups of items: one row per group and measure, with an interval.

    selection: the share of labels that say `positive` (the last class unless told); base: of items that are so; tpr and
    fpr: of items that are and are not so, the share that is labelled so; ppv: of the items labelled so, the share that
    is; accuracy; calibration: how far chances and shares of known labels lie apart, over five bins.

    With gold, the rates are those of known labels, helped by the posterior (`judged_mean`, for each group by itself):
    source "gold". Labels are those of a fit that was not told gold. Without gold they are the model's own belief, right
    "if the model is right": estimated labels taken for the truth shrink gaps, and a bias that all annotators share is
    in them unseen. by: a column of the items, {item: value}, or one value per item of the votes.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(9, 2, 0.8), n_items=1000, per_item=5, seed=0)
    >>> site = np.where(np.arange(1000) % 2, "x", "y")
    >>> table = rates(DawidSkene().fit(made.crowd), site)
    >>> table["group"][:2].tolist(), table["measure"][:2].tolist(), table["source"][0]
    (['x', 'x'], ['selection', 'base'], 'if the model is right')
    """
    found, groups, calibrated = _found(result, by, positive, gold, level, seed)
    low, high = _ends(found.draws, level)
    rows = [
        (str(name), measure, found.value[g, m], low[g, m], high[g, m], int(found.known[g]), found.source)
        for g, name in enumerate(groups.names.tolist())
        for m, measure in enumerate(MEASURES)
    ]
    rows += [
        (str(name), "calibration", off.value, *_ends(off.draws, level), int(found.known[g]), found.source)
        for g, (name, off) in enumerate(zip(groups.names.tolist(), calibrated, strict=False))
    ]
    return _table(("group", "measure", "value", "low", "high", "items", "source"), rows)


def gaps(
    result: Result, by: Any, *, positive: Any = None, gold: Any = None, level: float = 0.9, seed: int = 0
) -> Table:
    """How far groups of items are treated apart: one row per measure and group, beside the largest one.

    parity: difference of selection rates; opportunity: of true positive rates; false alarms: of false positive rates;
    odds: the larger of these two, in size; precision; base rate; calibration. Options as in `rates`. "gap" is the
    group's less that of `beside`.

    >>> from crowdwise import DawidSkene, simulate
    >>> made = simulate.crowd(simulate.one_coin(9, 2, 0.8), n_items=1000, per_item=5, seed=0)
    >>> table = gaps(DawidSkene().fit(made.crowd), np.where(np.arange(1000) % 3, "x", "y"))
    >>> table["measure"].tolist()
    ['parity', 'opportunity', 'false alarms', 'precision', 'base rate', 'odds']
    """
    found, groups, calibrated = _found(result, by, positive, gold, level, seed)
    largest = int(np.bincount(groups.code[groups.code >= 0]).argmax())
    place = {name: MEASURES.index(measure) for name, measure in GAPS.items()}
    rows: list[tuple[Any, ...]] = []
    for g in (g for g in range(groups.names.size) if g != largest):
        names = (str(groups.names[g]), str(groups.names[largest]))
        value, draws = found.value[g] - found.value[largest], found.draws[:, g] - found.draws[:, largest]
        for name, m in place.items():
            low, high = _ends(draws[:, m], level)
            rows.append((name, *names, value[m], low, high, found.source))
        both = [place["opportunity"], place["false alarms"]]
        low, high = _size(_ends(draws[:, both], level))
        rows.append(("odds", *names, np.abs(value[both]).max(), low, high, found.source))
        if calibrated:
            own, other = calibrated[g], calibrated[largest]
            ends = _ends(own.draws - other.draws, level)
            rows.append(("calibration", *names, own.value - other.value, *ends, found.source))
    return _table(("measure", "group", "beside", "gap", "low", "high", "source"), rows)


def _ends(draws: Array, level: float) -> Array:
    """The ends of an interval of draws, along the first axis; unknown where any of them is."""
    return np.asarray(np.quantile(draws, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0))


def _size(ends: Array) -> tuple[float, float]:
    """The least and the largest size of the larger of two gaps, by the ends of both: (ends, gaps)."""
    apart = np.where((ends[0] <= 0.0) & (ends[1] >= 0.0), 0.0, np.abs(ends).min(axis=0))
    return float(apart.max()), float(np.abs(ends).max())


def _table(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Table:
    columns = list(zip(*rows, strict=True))
    return Table({name: names_array(list(column)) for name, column in zip(names, columns, strict=True)})


def positive_class(classes: Array, positive: Any) -> int:
    """The code of the class that counts as positive: the last one unless it is told."""
    if positive is None:
        return len(classes) - 1
    code = np.asarray(find(names_array([positive]), classes), np.int64)
    if code[0] < 0:
        code = np.asarray(find(np.array([str(positive)]), classes.astype(str)), np.int64)  # a number, spelt at the door
    if code[0] < 0:
        raise InputError(f"positive={shown(positive)} is not among the classes {classes.tolist()}")
    return int(code[0])


def votes_of(result: Result) -> Crowd:
    """The votes behind a result, which the attributes of the items come with."""
    if not isinstance(result.votes, Crowd):
        raise InputError("this result does not hold votes that name classes: fit them again")
    return result.votes


def untold(result: Result, gold: Any) -> Result:
    """The result, or one like it that was not told gold: labels that were told are right, and say nothing."""
    if not result.gold or gold is None:
        return result
    return unsettled(votes_of(result), result.method)


class Calibration(NamedTuple):
    """How far chances lie from what is known, and the same of items drawn anew."""

    value: float
    draws: Array


def _found(
    result: Result, by: Any, positive: Any, gold: Any, level: float, seed: int
) -> tuple[Found, Attribute, list[Calibration]]:
    check_level(level)
    crowd = votes_of(result)
    groups, code = attribute_of_items(crowd, by), positive_class(result.classes, positive)
    blind = untold(result, gold)
    on, posterior = blind.on(crowd)
    chance = posterior[:, code]
    decided = (blind.labels_on(on, posterior) == code).astype(float)
    rng = np.random.default_rng(seed)
    if gold is None:
        return _if_right(decided, chance, groups, rng), groups, []
    told = gold_codes(crowd, gold)
    known = told >= 0
    true = (told == find(result.classes[[code]], crowd.classes)[0]).astype(float)
    found = _by_gold(decided, chance, true, known, groups, level, rng)
    some = [known & (groups.code == g) for g in range(groups.names.size)]
    return found, groups, [_calibration(chance[here], true[here], rng) for here in some]


def _shares(decided: Array, true: Array) -> tuple[tuple[Array, Array], ...]:
    """Each measure as a share: of what, among what; per item."""
    both = decided * true
    return (
        (decided, np.ones_like(decided)),
        (true, np.ones_like(decided)),
        (both, true),
        (decided - both, 1.0 - true),
        (both, decided),
        (1.0 - decided - true + 2.0 * both, np.ones_like(decided)),
    )


def _if_right(decided: Array, chance: Array, groups: Attribute, rng: np.random.Generator) -> Found:
    """The model's belief; intervals draw the truth from it, and items anew."""
    n = groups.names.size
    told = groups.code >= 0
    code, decided, chance = groups.code[told], decided[told], chance[told]
    value = _rates_of(decided, chance, np.ones(code.size), code, n)
    draws = np.stack(
        [
            _rates_of(decided, (rng.random(code.size) < chance).astype(float), rng.poisson(1.0, code.size), code, n)
            for _ in range(DRAWS)
        ]
    )
    few = np.bincount(code, minlength=n) < LEAST
    draws[:, few], value[few] = np.nan, np.nan
    unknown = ~np.isfinite(draws)  # in some draw nobody is there to be right about
    draws = np.where(unknown & np.isfinite(value), value, draws)
    return Found(value, draws, "if the model is right", np.bincount(code, minlength=n))


def _rates_of(decided: Array, true: Array, weight: Array, code: Array, n: int) -> Array:
    """(groups, measures)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = [
            np.bincount(code, weight * part, n) / np.bincount(code, weight * whole, n)
            for part, whole in _shares(decided, true)
        ]
    return np.stack(columns, axis=1)


def _by_gold(
    decided: Array,
    chance: Array,
    true: Array,
    known: Array,
    groups: Attribute,
    level: float,
    rng: np.random.Generator,
) -> Found:
    """Known labels of each group, and the posterior of its other items: a share is a ratio of two judged means."""
    shape = (groups.names.size, len(MEASURES))
    value, error, seen = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape[0], np.int64)
    for g in range(shape[0]):
        here, rest = known & (groups.code == g), ~known & (groups.code == g)
        seen[g] = int(here.sum())
        if seen[g] < LEAST:
            continue
        real = _shares(decided[here], true[here])
        judged, elsewhere = _shares(decided[here], chance[here]), _shares(decided[rest], chance[rest])
        for m, (one, belief, others) in enumerate(zip(real, judged, elsewhere, strict=True)):
            value[g, m], error[g, m] = _ratio(one, belief, others, level)
    draws = value + np.nan_to_num(error) * rng.standard_normal((10 * DRAWS, *shape))
    return Found(value, np.clip(draws, 0.0, 1.0), "gold", seen)


def _ratio(
    real: tuple[Array, Array], judged: tuple[Array, Array], others: tuple[Array, Array], level: float
) -> tuple[float, float]:
    """The ratio of two means and its standard error: that of the numerator less the ratio times the denominator."""
    if real[1].sum() <= 0.0:
        return np.nan, np.nan
    rough = float(real[0].sum() / real[1].sum())
    trust = _mean(*_less(rough, real, judged, others), level).trust  # one for both means, so that errors cancel
    top, below = (_mean(real[side], judged[side], others[side], level, trust).mean for side in (0, 1))
    ratio = float(np.clip(top / max(below, 1e-12), 0.0, 1.0))
    less = _mean(*_less(ratio, real, judged, others), level, trust)
    wide = (less.high - less.low) / 2.0 / max(below, 1e-12)
    n = float(real[1].sum())
    least = (0.25 / (n + 1.0)) ** 0.5 / max(n, 1.0) ** 0.5  # a rate of 0 or 1 by few labels is not certain
    return ratio, max(wide / NormalDist().inv_cdf(0.5 + level / 2.0), least)


def _less(ratio: float, *of: tuple[Array, Array]) -> tuple[Array, Array, Array]:
    """Numerators less a ratio times their denominators."""
    one, two, three = (part - ratio * whole for part, whole in of)
    return one, two, three


def _mean(real: Array, judged: Array, others: Array, level: float, trust: float | None = None) -> JudgedMean:
    if others.size < 2:  # everything is known
        from scipy.stats import t as student

        mean = float(real.mean())
        half = float(student.ppf(0.5 + level / 2.0, real.size - 1)) * float(real.std(ddof=1)) / real.size**0.5
        return JudgedMean(mean, mean - half, mean + half, 0.0, float(real.size))
    return judged_mean(real, judged, others, level=level, trust=trust)


def _calibration(chance: Array, true: Array, rng: np.random.Generator) -> Calibration:
    """How far chances and shares of known labels lie apart, mean over the items of five bins; drawn with items anew."""
    if chance.size < LEAST:
        return Calibration(np.nan, np.full(DRAWS, np.nan))
    at, off = np.minimum((chance * BINS).astype(int), BINS - 1), chance - true

    def apart(weight: Array) -> float:
        return float(np.abs(np.bincount(at, weight * off, BINS)).sum() / weight.sum())

    drawn = (np.bincount(rng.integers(at.size, size=at.size), minlength=at.size) for _ in range(DRAWS))
    return Calibration(apart(np.ones(at.size)), np.array([apart(weight) for weight in drawn]))


def each_group(groups: Attribute) -> Iterator[tuple[str, Array]]:
    """The name of each group, and its items as a mask."""
    return ((str(name), groups.code == g) for g, name in enumerate(groups.names.tolist()))
