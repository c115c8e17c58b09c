"""Worlds that are like a real crowd, and in which everybody can be asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import OptionError
from ..methods.classes.bayes.live import Live
from ..simulate.draw import Simulation
from ..votes.codes import find, names_array
from ..votes.crowd import Crowd
from .forecast import drawn_rows


def world(crowd: Crowd, *, truth: Any = None, pool: float = 3.0, traps: float = 0.0, seed: int = 0) -> Simulation:
    """A semi-synthetic crowd: the items and annotators of a real one, votes as its annotators are believed to vote.

    Each annotator has `pool` times the votes that they gave, on items drawn anew, so that a plan (`replay`) may ask
    whom it wants. truth: known classes of items; of the others it is drawn from what is believed. traps: a share of the
    items on which everybody takes one wrong class for the right one: what no method sees, and promises have to survive.

    >>> from crowdwise import simulate
    >>> real = simulate.crowd(simulate.one_coin(10, 2, 0.8), n_items=50, per_item=4, seed=0).crowd
    >>> made = world(real, pool=2.0)
    >>> made.crowd.n_items, made.crowd.n_votes
    (50, 400)
    """
    if not 1.0 <= pool < np.inf or not 0.0 <= traps < 1.0:
        raise OptionError(f"pool={pool} must be at least 1, and traps={traps} lie between 0 and 1")
    rng = np.random.default_rng(seed)
    found = Live().fit(crowd)
    on, posterior = found.on(crowd)
    k = on.n_classes
    true = drawn_rows(rng, posterior)
    if truth is not None:
        place = np.asarray(find(names_array(list(truth)), on.items), np.int64)
        code = np.asarray(find(names_array(list(truth.values())), on.classes), np.int64)
        known = (place >= 0) & (code >= 0)
        true[place[known]] = code[known]
    seems = true.copy()
    trap = rng.random(on.n_items) < traps
    if k > 1:
        seems[trap] = (true[trap] + rng.integers(1, k, int(trap.sum()))) % k
    given = np.bincount(on.annotator, minlength=on.n_annotators)
    n = np.minimum(np.round(pool * given).astype(np.int64), on.n_items)
    items = np.concatenate([rng.choice(on.n_items, size, replace=False) for size in n.tolist()])
    who = np.repeat(np.arange(on.n_annotators), n)
    confusion = found.params["confusion"]
    label = drawn_rows(rng, confusion[who, seems[items]])
    votes = on.derive(item=items, annotator=who, label=label, weight=None, extra={}, graph=None)
    return Simulation(votes, on.classes[true], confusion, np.full(on.n_annotators, "as believed", object))
