"""What methods reach: for each kind of answers a measure of what was found against what is true, unit by unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..votes.codes import Array, find, names_array


class Reached(NamedTuple):
    """How many units there are, and the measure over some of them, a unit as often as it is named."""

    n: int
    over: Callable[[Array], float]


class Measure(NamedTuple):
    """What is measured, and whether less is better."""

    name: str
    of: Callable[[Mapping[Any, Any], Any], Reached]
    less: bool = False


def _ratio(parts: Iterable[tuple[float, float]]) -> Reached:
    """A sum over a sum: of hits and items, of shared spans and all spans ..."""
    table = np.array(list(parts), float).reshape(-1, 2)

    def over(some: Array) -> float:
        above, below = table[some].sum(axis=0)
        return float(above / below) if below else 1.0

    return Reached(len(table), over)


def _units(truth: Mapping[Any, Any], result: Any) -> tuple[list[Any], Array]:
    """Units with a known truth that were voted on, and where the result has them."""
    place = np.asarray(find(names_array(list(truth)), result.items), np.int64)
    if not (place >= 0).any():
        raise InputError("no item with a known truth has votes")
    return [name for name, at in zip(truth, place.tolist(), strict=True) if at >= 0], place[place >= 0]


def _accuracy(truth: Mapping[Any, Any], result: Any) -> Reached:
    names, place = _units(truth, result)
    told = find(names_array([truth[name] for name in names]), result.classes)
    return _ratio((float(hit), 1.0) for hit in result.label_codes[place] == told)


def _values(measure: Callable[[Array, Array], float]) -> Callable[[Mapping[Any, Any], Any], Reached]:
    def reached(truth: Mapping[Any, Any], result: Any) -> Reached:
        names, place = _units(truth, result)
        known = np.array([truth[name] for name in names], float)
        found = np.asarray(result.estimate.main, float)[place]
        return Reached(known.size, lambda some: measure(found[some], known[some]))

    return reached


def _shared(found: Mapping[Any, set[Hashable]], truth: Mapping[Any, set[Hashable]]) -> Reached:
    """F1 of sets of things, unit by unit."""
    return _ratio(
        (2.0 * len(own & found.get(name, set())), float(len(own) + len(found.get(name, set()))))
        for name, own in truth.items()
    )


def _spans(truth: Mapping[Any, Any], result: Any) -> Reached:
    table = result.to_table()
    found: dict[Any, set[Hashable]] = {}
    for row in zip(*(table[name].tolist() for name in ("document", "begin", "end", "label")), strict=True):
        found.setdefault(row[0], set()).add(row[1:])
    return _shared(found, truth)


def _label_sets(truth: Mapping[Any, Any], result: Any) -> Reached:
    table = result.to_table()
    told = zip(table["item"].tolist(), table["labels"].tolist(), strict=True)
    return _shared({item: set(filter(None, labels.split("|"))) for item, labels in told}, truth)


def _clusters(truth: Mapping[Any, Any], result: Any) -> Reached:
    names, place = _units(truth, result)
    _, known = np.unique([truth[name] for name in names], return_inverse=True)
    found = np.asarray(result.estimate.cluster)[place]
    return Reached(known.size, lambda some: adjusted_rand(found[some], known[some]))


def _texts(truth: Mapping[Any, Any], result: Any) -> Reached:
    from ..engine.text_kernels import edits
    from ..engine.text_sums import words_of

    names, place = _units(truth, result)
    code: Counter[str] = Counter()

    def coded(text: str) -> Array:
        return np.array([code.setdefault(word, len(code)) for word in words_of(text)[0]], np.int64)

    pairs = [(coded(result.estimate.text[at]), coded(truth[name])) for name, at in zip(names, place, strict=True)]
    return _ratio((edits(one, other, np.empty(len(other) + 1, np.int64)), len(other)) for one, other in pairs)


def _boxes(truth: Mapping[Any, Any], result: Any) -> Reached:
    """F1 of boxes: one is found where a box of its label covers half of what both cover, the surest first."""
    from ..engine.box_kernels import overlap

    table = result.to_table()
    found: dict[Any, list[tuple[Array, Any]]] = {}
    sides = zip(*(table[name].tolist() for name in ("left", "top", "right", "bottom")), strict=True)
    for name, box, label in zip(table["item"].tolist(), sides, table["label"].tolist(), strict=True):
        found.setdefault(name, []).append((np.array(box), label))

    def parts(name: Any, own: list[tuple[Array, Any]]) -> tuple[float, float]:
        left, hits = list(own), 0
        for box, label in found.get(name, ()):
            near = [overlap(box, other) if label == its else 0.0 for other, its in left]
            if near and max(near) >= 0.5:
                left.pop(int(np.argmax(near)))
                hits += 1
        return 2.0 * hits, float(len(own) + len(found.get(name, ())))

    return _ratio(parts(name, own) for name, own in truth.items())


def _masks(truth: Mapping[Any, Any], result: Any) -> Reached:
    from ..votes.masks import pixels_of

    names, place = _units(truth, result)
    found = [pixels_of(result.estimate.runs[at], truth[name].size) for name, at in zip(names, place, strict=True)]
    both = [(own & truth[name].ravel(), own | truth[name].ravel()) for name, own in zip(names, found, strict=True)]
    return _ratio((float(shared.sum() / max(either.sum(), 1)), 1.0) for shared, either in both)


def adjusted_rand(found: Array, truth: Array) -> float:
    """How much more two partitions agree on pairs than by chance (Hubert & Arabie 1985).

    >>> adjusted_rand(np.array([1, 1, 2, 2]), np.array([0, 0, 5, 5]))
    1.0
    """
    (_, one), (_, other) = (np.unique(part, return_inverse=True) for part in (found, truth))
    cells = np.bincount(one * (int(other.max()) + 1) + other)

    def pairs(sizes: Array) -> float:
        return float((sizes * (sizes - 1.0) / 2.0).sum())

    same, rows, columns = pairs(cells), pairs(np.bincount(one)), pairs(np.bincount(other))
    expected = rows * columns / max(pairs(np.array([found.size])), 1.0)
    most = (rows + columns) / 2.0
    return 1.0 if most == expected else (same - expected) / (most - expected)


def _rmse(found: Array, truth: Array) -> float:
    return float(np.sqrt(((found - truth) ** 2).mean()))


def _tau(found: Array, truth: Array) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(found, truth).statistic)


MEASURES = {
    "classes": Measure("accuracy", _accuracy),
    "ratings": Measure("RMSE", _values(_rmse), less=True),
    "comparisons": Measure("Kendall tau", _values(_tau)),
    "spans": Measure("F1 of spans", _spans),
    "label-sets": Measure("micro F1", _label_sets),
    "similarities": Measure("adjusted Rand", _clusters),
    "texts": Measure("word error rate", _texts, less=True),
    "boxes": Measure("F1 of boxes", _boxes),
    "masks": Measure("overlap", _masks),
}
