"""Fitted arrays: the axes of each name and what its numbers may be.

`predict` extends annotators by it, a start or a history is carried to other votes by it, SQUAREM leaps in it. What
several methods fit stands in `VOCABULARY`; what only one fits, it says itself (`Method.params`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..votes.codes import Array, find

Params = dict[str, Array]


@dataclass(frozen=True)
class Axes:
    """Axes in order, and what the numbers are: a simplex along the last axis, in (0, 1), positive, any, or codes.

    "true" stands for the hidden states of a class where a method has several. Arrays along "item" belong to the items
    of a fit and are not carried to others.
    """

    axes: tuple[str, ...]
    kind: Literal["simplex", "unit", "positive", "real", "code"]


VOCABULARY = {
    "prior": Axes(("true",), "simplex"),
    "confusion": Axes(("annotator", "true", "given"), "simplex"),
    "accuracy": Axes(("annotator",), "unit"),
    "skill": Axes(("annotator",), "real"),
    "votes": Axes(("annotator",), "positive"),
    # Dirichlet posteriors, as votes: pseudo-counts and counts together
    "class_votes": Axes(("true",), "positive"),
    "confusion_votes": Axes(("annotator", "true", "given"), "positive"),
    "pseudo": Axes(("true", "given"), "positive"),
    # sums over items, out of which parameters are estimated
    "states": Axes(("true",), "positive"),
    "counts": Axes(("annotator", "true", "given"), "positive"),
    "agree": Axes(("annotator", "given"), "positive"),
    "given": Axes(("annotator", "given"), "positive"),
    "met": Axes(("annotator", "true"), "positive"),
}


@dataclass(frozen=True, eq=False)
class Names:
    """The names behind the axes of fitted arrays."""

    annotators: Array
    classes: Array


AxesOf = Callable[[str], Axes]


def carry(
    arrays: Mapping[str, Array],
    old: Names,
    new: Names,
    *,
    fill: Literal["population", "zero"],
    axes_of: AxesOf = VOCABULARY.__getitem__,
) -> Params:
    """Fitted arrays on the names of other votes; `axes_of` a name is the method's to say.

    An annotator unknown so far gets the population's numbers (the mean, by votes) or zeros; so does a class.
    """
    places = {
        "annotator": find(new.annotators, old.annotators),
        "true": find(new.classes, old.classes),
    }
    places["given"] = places["next"] = places["before"] = places["true"]
    votes = arrays.get("votes")
    weight = None if votes is None or not votes.sum() else votes
    if weight is not None and fill == "population":  # named, but never heard: no better known than a stranger
        silent = (places["annotator"] >= 0) & (weight[places["annotator"]] == 0.0)
        places["annotator"] = np.where(silent, -1, places["annotator"])
    known = {name: (value, axes_of(name)) for name, value in arrays.items() if "item" not in axes_of(name).axes}
    return {
        name: _carry_one(
            value, axes, {**places, "true": _of_states(value, axes, places["true"], len(old.classes))}, weight, fill
        )
        for name, (value, axes) in known.items()
    }


def _of_states(value: Array, known: Axes, place: Array, n_classes: int) -> Array:
    """Where the hidden states of each class were, where a class has several."""
    if "true" not in known.axes:
        return place
    n_states = value.shape[known.axes.index("true")] // n_classes
    return np.where(place[:, None] < 0, -1, place[:, None] * n_states + np.arange(n_states)).ravel()


def _carry_one(
    value: Array, known: Axes, places: Mapping[str, Array], weight: Array | None, fill: Literal["population", "zero"]
) -> Array:
    moved = False
    for axis, name in enumerate(known.axes):
        place = places.get(name)
        if place is None or (len(place) == value.shape[axis] and (place == np.arange(len(place))).all()):
            continue
        if known.kind == "code":
            stranger = np.full_like(value.take([0], axis), -1)
        elif fill == "zero":
            stranger = np.zeros_like(value.take([0], axis))
        elif name == "annotator":
            stranger = np.average(value, axis=axis, weights=weight, keepdims=True)
        else:
            stranger = value.min(axis=axis, keepdims=True)
        value = np.concatenate([value, stranger], axis=axis).take(place, axis)  # place -1: the stranger, last
        moved = moved or name != "annotator"
    if moved and fill == "population" and known.kind == "simplex":
        value = value / value.sum(axis=-1, keepdims=True)
    return value


def free(kind: str, value: Array) -> Array:
    """A parameter without bounds: the logarithm of positive numbers, the logit of those in (0, 1)."""
    if kind == "real":
        return value
    log = np.log(np.maximum(value, 1e-300))
    return log - np.log(np.maximum(1.0 - value, 1e-300)) if kind == "unit" else log


def bounded(kind: str, value: Array) -> Array:
    """The way back from `free`, valid whatever the numbers."""
    if kind == "simplex":
        value = np.exp(value - value.max(axis=-1, keepdims=True))
        return value / value.sum(axis=-1, keepdims=True)
    if kind == "unit":
        return 1.0 / (1.0 + np.exp(-np.clip(value, -30.0, 30.0)))
    return np.exp(np.clip(value, -25.0, 25.0)) if kind == "positive" else value


def squarem(path: Sequence[Params], axes_of: AxesOf) -> Params:
    """Where three steps of a slow climb point to: squared extrapolation in freed parameters.

    Varadhan & Roland (2008), scheme S3: r = p1 - p0, v = (p2 - p1) - r, a = |r| / |v|; leap to p0 + 2 a r + a^2 v.
    """
    kinds = {name: axes_of(name).kind for name in path[0] if axes_of(name).kind != "code"}
    p0, p1, p2 = ({name: free(kinds[name], p[name]) for name in kinds} for p in path)
    r = {name: p1[name] - p0[name] for name in p0}
    v = {name: p2[name] - p1[name] - r[name] for name in p0}
    alpha = max(1.0, _length(r) / max(_length(v), 1e-300))
    leap = {name: bounded(kinds[name], p0[name] + 2.0 * alpha * r[name] + alpha**2 * v[name]) for name in p0}
    return {**path[-1], **leap}  # codes stay


def _length(arrays: Params) -> float:
    return float(np.sqrt(sum(float((value * value).sum()) for value in arrays.values())))
