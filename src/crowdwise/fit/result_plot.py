"""A result in three pictures: how sure its labels are, who confuses what, and skill against votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingExtra
from .estimates import Classes

if TYPE_CHECKING:
    from .result import Result

MOST_NAMES = 15  # of classes, on an axis


def plot(result: Result) -> Any:
    """A matplotlib figure; what a method does not find is not drawn."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("plots need matplotlib: pip install matplotlib") from error
    drawn = [_sure if isinstance(result.estimate, Classes) else _values]
    if "confusion" in _params(result):
        drawn.append(_confusion)
    if _skill(result) is not None:
        drawn.append(_skill_by_votes)
    figure = Figure(figsize=(4.5 * len(drawn), 3.8), layout="constrained")
    for axis, draw in zip(np.atleast_1d(figure.subplots(1, len(drawn))), drawn, strict=True):
        draw(axis, result)
    return figure


def _params(result: Result) -> dict[str, Any]:
    """Fitted parameters; a committee's are those of its first member that has them."""
    own = dict(result.params)
    for name, value in result.params.items():
        own.setdefault(name.rpartition(".")[2], value)
    if "confusion" not in own and "confusion_votes" in own:
        own["confusion"] = own["confusion_votes"] / own["confusion_votes"].sum(axis=2, keepdims=True)
    fits = own.get("confusion") is not None and own["confusion"].shape[1] == own["confusion"].shape[2]
    return own if fits else {name: value for name, value in own.items() if name != "confusion"}


def _skill(result: Result) -> Any:
    """How often each annotator is right, where the parameters tell."""
    own = _params(result)
    if "confusion" in own:
        return np.einsum("jkk->jk", own["confusion"]).mean(axis=1)
    return own.get("accuracy")


def _sure(axis: Any, result: Result) -> None:
    axis.hist(result.confidence, bins=np.linspace(0.0, 1.0, 21))
    axis.set(xlabel="confidence of the label", ylabel="items", title="How sure the labels are")


def _values(axis: Any, result: Result) -> None:
    axis.hist(np.asarray(next(iter(result.estimate.columns().values())), float), bins=20)
    axis.set(xlabel=result.estimate.kind, ylabel="items", title="What was found")


def _confusion(axis: Any, result: Result) -> None:
    own, votes = _params(result)["confusion"], result.params.get("votes")
    mean = np.average(own, axis=0, weights=votes if votes is not None and votes.sum() else None)
    axis.imshow(mean, vmin=0.0, vmax=1.0, cmap="Blues")
    if len(result.classes) <= MOST_NAMES:
        names = [str(name) for name in result.classes.tolist()]
        axis.set_xticks(range(len(names)), names, rotation=90)
        axis.set_yticks(range(len(names)), names)
    axis.set(xlabel="said", ylabel="true", title="Who confuses what (mean of all votes)")


def _skill_by_votes(axis: Any, result: Result) -> None:
    axis.scatter(np.maximum(result.params["votes"], 0.5), _skill(result), s=12)
    axis.set(
        xscale="log", ylim=(0.0, 1.02), xlabel="votes of an annotator", ylabel="accuracy", title="Skill and volume"
    )
