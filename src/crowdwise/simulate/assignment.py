"""Who labels what: assignment graphs, each as (votes,) items and (votes,) annotators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import InputError
from ..votes.codes import Array


def random_graph(n_items: int, n_annotators: int, per_item: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """So many different annotators for each item, all alike: (votes,) items and (votes,) annotators."""
    return _distinct(n_items, n_annotators, per_item, np.full(n_annotators, 1.0 / n_annotators), rng)


def power_law_graph(
    n_items: int, n_annotators: int, per_item: int, rng: np.random.Generator, exponent: float = 1.0
) -> tuple[Array, Array]:
    """As `random_graph`, where annotator j is as busy as 1 / (j + 1)^exponent: a few do most of the work."""
    busy = 1.0 / np.arange(1, n_annotators + 1) ** exponent
    return _distinct(n_items, n_annotators, per_item, busy / busy.sum(), rng)


def regular_graph(n_items: int, n_annotators: int, per_item: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """(l, r)-regular: `per_item` annotators for each item and as many items for each annotator."""
    each, rest = divmod(n_items * per_item, n_annotators)
    if rest:
        raise InputError(f"{n_items} items x {per_item} votes cannot be shared evenly by {n_annotators} annotators")
    _require_room(n_annotators, per_item)
    if n_annotators > per_item > n_annotators // 2:  # crowded: deal out who does not label an item
        present = np.ones((n_items, n_annotators), bool)
        present[regular_graph(n_items, n_annotators, n_annotators - per_item, rng)] = False
        item, annotator = np.nonzero(present)
        return item, annotator
    if per_item == n_annotators:
        return dense_graph(n_items, n_annotators, per_item, rng)
    table = rng.permutation(np.repeat(np.arange(n_annotators), each)).reshape(n_items, per_item)
    while (twice := _repeats(table)).any():
        for row, column in zip(*np.nonzero(twice), strict=True):  # few: swap with a cell where both rows stay distinct
            other, place = rng.integers(n_items), rng.integers(per_item)
            if table[other, place] not in table[row] and table[row, column] not in table[other]:
                table[row, column], table[other, place] = table[other, place], table[row, column]
    return np.repeat(np.arange(n_items), per_item), table.ravel()


def dense_graph(n_items: int, n_annotators: int, per_item: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Everybody labels everything."""
    return np.repeat(np.arange(n_items), n_annotators), np.tile(np.arange(n_annotators), n_items)


GRAPHS: dict[str, Callable[..., tuple[Array, Array]]] = {
    "random": random_graph,
    "regular": regular_graph,
    "power-law": power_law_graph,
    "dense": dense_graph,
}


def _distinct(
    n_items: int, n_annotators: int, per_item: int, chance: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    _require_room(n_annotators, per_item)
    if 3 * per_item > n_annotators:  # crowded: rank everybody by an exponential clock instead of drawing again
        clock = rng.exponential(size=(n_items, n_annotators)) / chance
        table = np.argsort(clock, axis=1)[:, :per_item]
    else:
        ladder = np.cumsum(chance)
        table = np.searchsorted(ladder, rng.random((n_items, per_item)) * ladder[-1], side="right")
        while (again := _repeats(table)).any():
            table[again] = np.searchsorted(ladder, rng.random(int(again.sum())) * ladder[-1], side="right")
    return np.repeat(np.arange(n_items), per_item), table.ravel()


def _require_room(n_annotators: int, per_item: int) -> None:
    if not 1 <= per_item <= n_annotators:
        raise InputError(f"per_item={per_item}: there are {n_annotators} annotators to choose from")


def _repeats(table: Array) -> Array:
    """Where a row names somebody whom it named before."""
    order = np.argsort(table, axis=1, kind="stable")
    rows = np.take_along_axis(table, order, axis=1)
    out = np.zeros(table.shape, bool)
    np.put_along_axis(out, order[:, 1:], rows[:, 1:] == rows[:, :-1], axis=1)
    return out
