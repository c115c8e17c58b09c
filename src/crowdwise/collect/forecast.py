"""What more votes would bring: simulated from what is believed, and held down to what audited items show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import NumpyEngine
from ..errors import InputError, OptionError
from ..methods.classes.bayes.live import Live
from ..votes.codes import Array, find, names_array
from ..votes.crowd import Crowd
from ..votes.table import Table

if TYPE_CHECKING:
    from .online import Online

WIDTH = 1.64  # standard errors of a band of 90 %


def forecast(live: Online, times: Iterable[float], audit: Mapping[Any, Any] | None, draws: int = 5) -> Table:
    """One row for each number of votes: votes, accuracy, and the ends of a band of 90 %.

    Missing votes are drawn from what is believed of annotators; a model that is too sure of itself forecasts too much,
    by as much as its own claim is above what audited items show today. Without them there is no forecast.

    >>> from crowdwise import simulate
    >>> from crowdwise.collect import Online
    >>> made = simulate.crowd(simulate.one_coin(15, 2, 0.75), n_items=100, per_item=3, seed=0)
    >>> live = Online([0, 1])
    >>> live.update(made.crowd)
    300
    >>> table = live.forecast([2.0], {item: int(made.truth[item]) for item in range(60)})
    >>> table["votes"].tolist(), bool(table["low"][0] < table["accuracy"][0] < table["high"][0])
    ([600], True)
    """
    if not audit:
        raise InputError(
            "a forecast needs audited items: what a model claims alone is off by a multiple on real crowds"
        )
    crowd, belief = live.crowd, live.belief()
    place = find(names_array(list(audit)), crowd.items)
    if (place < 0).any():
        raise InputError(f"audited item {list(audit)[int((place < 0).argmax())]!r} is none of the items")
    truth = find(names_array(list(audit.values())), crowd.classes)
    right = float((belief.posterior[place].argmax(axis=1) == truth).mean())
    excess = float(belief.posterior.max(axis=1).mean()) - right
    error = np.sqrt(max(right * (1.0 - right), 0.25 / len(audit)) / len(audit))
    rows = []
    for many in times:
        if not many >= 1.0:
            raise OptionError(f"times={many}: so many times as many votes, at least 1")
        own = [_drawn(crowd, belief.posterior, belief.confusion, many, seed) for seed in range(draws)]
        mean = float(np.clip(np.mean(own) - excess, 0.0, 1.0))
        half = WIDTH * float(np.hypot(error, np.std(own)))
        rows.append((round(crowd.n_votes * many), mean, max(mean - half, 0.0), min(mean + half, 1.0)))
    names = ("votes", "accuracy", "low", "high")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _drawn(crowd: Crowd, posterior: Array, confusion: Array, many: float, seed: int) -> float:
    """The accuracy by a world that is as it is believed: a truth, today's votes and more, drawn from it."""
    rng = np.random.default_rng(seed)
    more = round(crowd.n_votes * (many - 1.0))
    item = np.concatenate([crowd.item, rng.permutation(np.arange(more) % crowd.n_items)])
    who = np.concatenate([crowd.annotator, rng.choice(crowd.annotator, more)])
    true = drawn_rows(rng, posterior)
    label = drawn_rows(rng, confusion[who, true[item]])
    world = crowd.derive(item=item, annotator=who, label=label, weight=None, extra={}, graph=None)
    found = Live().solve(NumpyEngine(world), None, None, None).found
    return float((np.asarray(found).argmax(axis=1) == true).mean())


def drawn_rows(rng: np.random.Generator, chance: Array) -> Array:
    """A class from each row of chances."""
    edge = np.cumsum(chance, axis=1)
    return np.minimum((rng.random((len(chance), 1)) * edge[:, -1:] > edge).sum(axis=1), chance.shape[1] - 1)
