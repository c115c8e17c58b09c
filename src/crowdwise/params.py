"""The one vocabulary of fitted arrays: each name's axes and what its numbers may be.

`predict` extends annotators by it, a start or a history is carried to another crowd by it, SQUAREM leaps in it, and
files are written by it. A method declares nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .codes import Array, find

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
    "class_accuracy": Axes(("annotator", "true"), "unit"),
    "skill": Axes(("annotator",), "real"),
    "votes": Axes(("annotator",), "positive"),
    "ability": Axes(("annotator",), "real"),
    "precision": Axes(("annotator", "given"), "positive"),
    "degree": Axes(("given",), "real"),
    "rhat": Axes(("annotator",), "positive"),
    "prior_draws": Axes(("draw", "true"), "simplex"),
    "confusion_draws": Axes(("draw", "annotator", "true", "given"), "simplex"),
    "skill_draws": Axes(("draw", "annotator"), "real"),
    "point_shares": Axes(("point",), "simplex"),
    "bias": Axes(("annotator",), "real"),
    "spread": Axes(("annotator",), "positive"),
    "side_votes": Axes(("threshold", "side"), "positive"),
    "side_confusion_votes": Axes(("threshold", "annotator", "side", "given_side"), "positive"),
    "side_weight": Axes(("problem", "annotator"), "real"),
    "side_lean": Axes(("problem", "annotator"), "real"),
    "side_bias": Axes(("problem",), "real"),
    "own_confusion": Axes(("annotator", "true", "given"), "simplex"),
    "follow": Axes(("annotator",), "unit"),
    "opinion": Axes(("group", "true", "given"), "simplex"),
    "opinion_counts": Axes(("group", "true", "given"), "positive"),
    "members": Axes(("member",), "code"),
    "member_counts": Axes(("member", "true", "given", "given"), "positive"),
    "membership": Axes(("annotator", "community"), "simplex"),
    "community_shares": Axes(("community",), "simplex"),
    "community_pseudo": Axes(("community", "true", "given"), "positive"),
    "logits": Axes(("annotator", "true", "given"), "real"),
    "item_logits": Axes(("item", "true", "given"), "real"),
    "penalty": Axes(("table",), "positive"),
    "difficulty": Axes(("item",), "real"),
    "group": Axes(("annotator",), "code"),
    "honesty": Axes(("annotator",), "unit"),
    "spam": Axes(("annotator", "given"), "simplex"),
    # Dirichlet posteriors, as votes: pseudo-counts and counts together
    "class_votes": Axes(("true",), "positive"),
    "class_pseudo": Axes(("true",), "positive"),
    "type_votes": Axes(("true",), "positive"),
    "confusion_votes": Axes(("annotator", "true", "given"), "positive"),
    "pseudo": Axes(("true", "given"), "positive"),
    # sums over items, out of which parameters are estimated
    "states": Axes(("true",), "positive"),
    "counts": Axes(("annotator", "true", "given"), "positive"),
    "agree": Axes(("annotator", "given"), "positive"),
    "given": Axes(("annotator", "given"), "positive"),
    "pull": Axes(("annotator", "true", "given"), "real"),
    "item_pull": Axes(("item", "true", "given"), "real"),
    "item_met": Axes(("item", "true"), "positive"),
    "right": Axes(("annotator", "true"), "positive"),
    "met": Axes(("annotator", "true"), "positive"),
}


@dataclass(frozen=True, eq=False)
class Names:
    """The names behind the axes of fitted arrays."""

    annotators: Array
    classes: Array


def carry(arrays: Mapping[str, Array], old: Names, new: Names, *, fill: Literal["population", "zero"]) -> Params:
    """Fitted arrays on the names of another crowd.

    An annotator unknown so far gets the population's numbers (the mean, by votes) or zeros; so does a class.
    """
    places = {
        "annotator": find(new.annotators, old.annotators),
        "true": find(new.classes, old.classes),
    }
    places["given"] = places["true"]
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


def axes_of(name: str) -> Axes:
    """The axes of a fitted array; "ibcc.confusion" is the confusion of a member of a committee."""
    return VOCABULARY[name.rpartition(".")[2]]


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


def free(name: str, value: Array) -> Array:
    """A parameter without bounds: the logarithm of positive numbers, the logit of those in (0, 1)."""
    kind = axes_of(name).kind
    if kind == "real":
        return value
    log = np.log(np.maximum(value, 1e-300))
    return log - np.log(np.maximum(1.0 - value, 1e-300)) if kind == "unit" else log


def bound(name: str, value: Array) -> Array:
    """The way back from `free`, valid whatever the numbers."""
    kind = axes_of(name).kind
    if kind == "simplex":
        value = np.exp(value - value.max(axis=-1, keepdims=True))
        return value / value.sum(axis=-1, keepdims=True)
    if kind == "unit":
        return 1.0 / (1.0 + np.exp(-np.clip(value, -30.0, 30.0)))
    return np.exp(np.clip(value, -25.0, 25.0)) if kind == "positive" else value


def squarem(first: Params, second: Params, third: Params) -> Params:
    """Where three steps of a slow climb point to: squared extrapolation in freed parameters.

    Varadhan & Roland (2008), scheme S3: r = p1 - p0, v = (p2 - p1) - r, a = |r| / |v|; leap to p0 + 2 a r + a^2 v.
    """
    p0, p1, p2 = ({name: free(name, value) for name, value in p.items()} for p in (first, second, third))
    r = {name: p1[name] - p0[name] for name in p0}
    v = {name: p2[name] - p1[name] - r[name] for name in p0}
    alpha = max(1.0, _length(r) / max(_length(v), 1e-300))
    return {name: bound(name, p0[name] + 2.0 * alpha * r[name] + alpha**2 * v[name]) for name in p0}


def _length(arrays: Params) -> float:
    return float(np.sqrt(sum(float((value * value).sum()) for value in arrays.values())))
