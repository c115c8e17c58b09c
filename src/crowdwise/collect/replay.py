"""Replay: how a plan would have gone on votes that exist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..engine import NumpyEngine
from ..errors import InputError, MissingExtra, OptionError
from ..methods.classes.bayes.live import Live
from ..votes.codes import Array, find, names_array
from ..votes.crowd import Crowd
from ..votes.table import Table
from .gains import GAINS, Belief
from .plan import CHOICES

WITHIN = 0.01  # of the accuracy of all votes


class Replayed(NamedTuple):
    """Curves of plans: one row per policy, seed and batch; and one row per policy, with what it reached.

    curve: policy, seed, votes, share (of all votes), accuracy, claimed (error), regret (accuracy of all votes, less).
    reach: policy, share of votes to come within .01 of the accuracy of all votes (by the mean curve), its accuracy at
    half of the votes, and the area under the curve.
    """

    curve: Table
    reach: Table

    def plot(self, measure: str = "accuracy") -> Any:
        """A figure (matplotlib): accuracy, claimed error or regret by the share of votes, mean of seeds."""
        if measure not in ("accuracy", "claimed", "regret"):
            raise OptionError(f"measure={measure!r}: choose accuracy, claimed or regret")
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise MissingExtra("a figure needs matplotlib: pip install matplotlib") from error
        figure = Figure(figsize=(7.0, 4.0), layout="constrained")
        axes = figure.subplots()
        for policy in self.reach["policy"].tolist():
            own = self.curve.take(self.curve["policy"] == policy)
            share, place = np.unique(own["share"], return_inverse=True)
            mean = np.bincount(place, own[measure].astype(float)) / np.bincount(place)
            axes.plot(share, mean, label=policy)
        axes.set(xlabel="share of the votes", ylabel=measure)
        axes.legend(frameon=False)
        return figure


def replay(
    crowd: Crowd,
    truth: Mapping[Any, Any],
    policies: Iterable[str] = ("cover", "overlap"),
    *,
    seeds: int = 5,
    batches: int = 50,
    explore: float = 0.1,
    callback: Callable[[str, int], object] | None = None,
) -> Replayed:
    """Votes that exist, asked for in the order of a plan; after each batch all of them are looked at by `Live`.

    Every batch has one vote an item at most. Only pairs that were really answered can be asked, so that everybody seems
    to be always there: that flatters all plans alike. truth: of some items, used to measure and never to choose.
    explore: the share of random questions of all policies but overlap, random and the tutorial's own.

    >>> from crowdwise import simulate
    >>> made = simulate.crowd(simulate.one_coin(12, 2, 0.75), n_items=60, per_item=6, seed=0)
    >>> truth = dict(enumerate(made.truth.tolist()))
    >>> replay(made.crowd, truth, ["cover", "random"], seeds=1, batches=10).reach["policy"].tolist()
    ['cover', 'random']
    """
    if seeds < 1 or batches < 1:
        raise OptionError(f"seeds={seeds} and batches={batches} must be at least 1")
    policies = list(policies)
    for policy in policies:
        if policy not in CHOICES:
            raise OptionError(f"policy {policy!r}: choose among {', '.join(CHOICES)}")
    crowd = crowd.once("last")
    code = find(names_array(list(truth)), crowd.items)
    known = code >= 0
    if not known.any():
        raise InputError("no item with a known truth has votes")
    label = find(names_array(list(truth.values())), crowd.classes)
    asked = code[known], label[known]
    final = _accuracy(_live(crowd, np.ones(crowd.n_votes, bool))[0], asked)
    rows: list[tuple[Any, ...]] = []
    for policy in policies:
        for seed in range(seeds):
            if callback is not None:
                callback(policy, seed)
            for votes, accuracy, claimed in _one(crowd, asked, policy, seed, batches, explore):
                rows.append((policy, seed, votes, votes / crowd.n_votes, accuracy, claimed, final - accuracy))
    names = ("policy", "seed", "votes", "share", "accuracy", "claimed", "regret")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    curve = Table({name: np.array(column, object if name == "policy" else None) for name, column in columns.items()})
    return Replayed(curve, _reach(curve, policies, final))


def _reach(curve: Table, policies: list[str], final: float) -> Table:
    found = []
    for policy in policies:
        own = curve.take(curve["policy"] == policy)
        votes, place = np.unique(own["votes"], return_inverse=True)
        mean = np.bincount(place, own["accuracy"].astype(float)) / np.bincount(place)
        share = votes / votes[-1]
        enough = np.flatnonzero(mean >= final - WITHIN)
        at_half = float(np.interp(0.5, share, mean))
        area = float(np.trapezoid(mean, share))
        found.append((policy, float(share[enough[0]]) if enough.size else 1.0, at_half, area, final))
    names = ("policy", "reach", "at half", "area", "all votes")
    columns = zip(names, zip(*found, strict=True), strict=True)
    return Table({name: np.array(column, object if name == "policy" else None) for name, column in columns})


def _live(crowd: Crowd, chosen: Array) -> tuple[Array, Any]:
    """What the chosen votes say: classes of all items, and what is believed of annotators."""
    ops = NumpyEngine(crowd.take(chosen))
    solution = Live().solve(ops, None, None, None)
    return np.asarray(solution.found, float), solution.params


def _accuracy(posterior: Array, asked: tuple[Array, Array]) -> float:
    """How many labels are right, ties counting in parts."""
    item, label = asked
    best = posterior[item] >= posterior[item].max(axis=1, keepdims=True) - 1e-9
    hit = np.where(label >= 0, best[np.arange(item.size), np.maximum(label, 0)], False)
    return float((hit / best.sum(axis=1)).mean())


def _one(
    crowd: Crowd, asked: tuple[Array, Array], policy: str, seed: int, batches: int, explore: float
) -> Iterable[tuple[int, float, float]]:
    """Votes so far, accuracy, and the error that the model claims, batch after batch."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros(crowd.n_votes, bool)
    k = crowd.n_classes
    params = Live()._believed(np.zeros((crowd.n_annotators, k, k)), np.full((1, k), 1.0 / k))
    posterior = np.full((crowd.n_items, k), 1.0 / k)
    size = max(1, int(np.ceil(crowd.n_votes / batches)))
    while not chosen.all():
        left = np.flatnonzero(~chosen)
        belief = Belief(
            posterior, params["confusion"], np.bincount(crowd.item[chosen], minlength=crowd.n_items),
            np.bincount(crowd.annotator[chosen], minlength=crowd.n_annotators), params["stranger"], int(chosen.sum()),
        )  # fmt: skip
        chosen[_batch(crowd, left, belief, policy, min(size, left.size), explore, rng)] = True
        posterior, params = _live(crowd, chosen)
        yield int(chosen.sum()), _accuracy(posterior, asked), float(1.0 - posterior.max(axis=1).mean())


def _batch(
    crowd: Crowd, left: Array, belief: Belief, policy: str, size: int, explore: float, rng: np.random.Generator
) -> Array:
    """The next votes among those left, one an item as long as there are items."""
    item, who = crowd.item[left].astype(np.int64), crowd.annotator[left].astype(np.int64)
    gain = GAINS["joint" if policy == "cover" else policy][0](belief, item, who, rng)
    if policy == "cover":
        gain = gain + 1e3 * (belief.item_votes[item] == 0)
    lots = rng.random(left.size)
    free = policy not in ("random", "overlap", "entropy-skill")
    # Random questions: so many of the batch as are drawn, whatever they tell.
    n_random = int(rng.binomial(size, explore)) if free else 0
    order = np.lexsort((lots, -gain))
    if n_random:
        drawn = np.argsort(rng.random(left.size))[:n_random]
        order = np.concatenate([drawn, order[~np.isin(order, drawn)]])
    _, first = np.unique(item[order], return_index=True)  # the best of each item
    best = np.sort(first)
    if best.size >= size:
        return left[order[best[:size]]]
    rest = np.setdiff1d(np.arange(order.size), best)
    return left[order[np.concatenate([best, rest])[:size]]]
