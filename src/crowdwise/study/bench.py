"""Bench: methods on simulated crowds and on sets at hand, in one table with intervals, so that a paper can compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import simulate
from ..errors import InputError, OptionError, TooLarge, Undecided
from ..methods import METHODS, make
from ..votes.codes import Array, find, names_array
from ..votes.table import Table
from ..votes.votes import Votes

DRAWS = 500
MEASURE = {"classes": "accuracy", "ratings": "RMSE", "comparisons": "Kendall tau"}


class Task(NamedTuple):
    """Votes and what is true of their items: class, value or score, by name."""

    name: str
    kind: str
    votes: Votes
    truth: Mapping[Any, Any]


def simulated(kind: str, seed: int = 0) -> Iterator[Task]:
    """Crowds of a kind whose truth is known: plain ones, and one for each thing that goes wrong."""
    if kind not in SIMULATED:
        raise OptionError(f"kind={kind!r}: choose among {', '.join(KINDS)}")
    return SIMULATED[kind](seed)


def _classes(seed: int) -> Iterator[Task]:
    able = simulate.dirichlet(30, 4, seed=seed)
    crowds: dict[str, tuple[Any, dict[str, Any]]] = {
        "plain": (able, {}),
        "two votes an item": (able, {"per_item": 2}),
        "85 : 15": (simulate.dirichlet(30, 2, seed=seed), {"class_prior": [0.85, 0.15]}),
        "a third spam": (able + simulate.spammers(15, 4), {}),
        "a quarter lie": (able + simulate.adversaries(10, 4), {}),
        "copies": (able + simulate.correlated_group(8, 4, accuracy=0.55, follow=0.9), {}),
        "colluders": (simulate.one_coin(33, 4, 0.7) + simulate.colluders(20, 4, p_corr=0.9, accuracy=1.0), {}),
    }
    for name, (people, how) in crowds.items():
        made = simulate.crowd(people, n_items=600, **{"per_item": 6, **how}, seed=seed)
        yield Task(name, "classes", made.crowd, dict(enumerate(made.truth.tolist())))


def _ratings(seed: int) -> Iterator[Task]:
    worlds: dict[str, dict[str, Any]] = {"plain": {}, "flippers": {"flippers": 5}, "constant": {"constant": 5}}
    for name, odd in worlds.items():
        made = simulate.ratings(n_items=200, n_annotators=25, per_item=5, seed=seed, **odd)
        names = made.ratings.items.tolist()
        yield Task(name, "ratings", made.ratings, dict(zip(names, made.truth.tolist(), strict=True)))


def _comparisons(seed: int) -> Iterator[Task]:
    worlds: dict[str, dict[str, Any]] = {"plain": {}, "flippers": {"flippers": 4}, "half spam": {"spammers": 10}}
    for name, odd in worlds.items():
        made = simulate.comparisons(n_items=40, n_annotators=20, per_annotator=80, seed=seed, **odd)
        yield Task(name, "comparisons", made.comparisons, dict(enumerate(made.truth.tolist())))


SIMULATED: dict[str, Callable[[int], Iterator[Task]]] = {
    "classes": _classes,
    "ratings": _ratings,
    "comparisons": _comparisons,
}
KINDS = tuple(SIMULATED)


def at_hand(folder: str | Path) -> Iterator[Task]:
    """Sets of a folder: each a folder with labels.csv (or votes.csv) and truth.csv."""
    from ..io import read_labels, read_votes

    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{folder} is no folder of data sets")
    for place in sorted(root.iterdir()):
        votes = next((place / name for name in ("labels.csv", "votes.csv") if (place / name).is_file()), None)
        if votes is None or not (place / "truth.csv").is_file():
            continue
        try:
            crowd, truth = read_votes(votes, soft=False).crowd, read_labels(place / "truth.csv")
        except InputError:
            continue  # answers of another kind
        if crowd.n_classes <= 100 and any(label in set(crowd.classes.tolist()) for label in truth.values()):
            yield Task(place.name, "classes", crowd, truth)


def bench(
    tasks: Iterable[Task], methods: Iterable[str] = (), *, level: float = 0.95, seed: int = 0,
    callback: Callable[[str, str], object] | None = None,
) -> Table:  # fmt: skip
    """One row per set and method: what it reaches, with a bootstrap interval over items, and how long it took.

    methods: names, our own or others', of any kind: those of a task's kind are fitted to it; without names the usual
    ones of each kind. A method that refuses a set has a row that says why. Truth measures, and chooses nothing.

    >>> table = bench(list(simulated("ratings"))[:1], ["mean", "auto-ratings"])
    >>> table["method"].tolist(), bool((table["low"] < table["value"]).all())
    (['mean', 'auto-ratings'], True)
    """
    named = list(methods)
    for name in named:
        METHODS[name]
    rows: list[tuple[Any, ...]] = []
    for task in tasks:
        chosen = named or [name for name, entry in METHODS.items() if entry.usual]
        for name in chosen:
            if METHODS[name].takes != task.kind:
                continue
            if callback is not None:
                callback(task.name, name)
            began = time.perf_counter()
            try:
                result = make(name, seed=seed).fit(task.votes)
                spent = time.perf_counter() - began
                value, low, high = _measured(task, result, level, seed)
                rows.append((task.kind, task.name, name, MEASURE[task.kind], value, low, high, spent, ""))
            except (InputError, TooLarge, Undecided) as error:
                rows.append(
                    (task.kind, task.name, name, MEASURE[task.kind], np.nan, np.nan, np.nan, np.nan, str(error))
                )
    if not rows:
        raise OptionError("there is nothing to run: no method is for these kinds of answers")
    names = ("kind", "set", "method", "measure", "value", "low", "high", "seconds", "refused")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _measured(task: Task, result: Any, level: float, seed: int) -> tuple[float, float, float]:
    """The measure and its interval, by items drawn anew."""
    place = np.asarray(find(names_array(list(task.truth)), result.items), np.int64)
    known = place >= 0
    rng = np.random.default_rng(seed)
    n = int(known.sum())
    if not n:
        raise InputError("no item with a known truth has votes")
    if task.kind == "classes":
        told = np.asarray(find(names_array(list(task.truth.values())), result.classes), np.int64)[known]
        hit = (result.label_codes[place[known]] == told).astype(float)
        drawn = hit[rng.integers(n, size=(DRAWS, n))].mean(axis=1)
        value = float(hit.mean())
    else:
        truth = np.array(list(task.truth.values()), float)[known]
        found = np.asarray(result.estimate.main, float)[place[known]]
        measure = _rmse if task.kind == "ratings" else _tau
        value = measure(found, truth)
        lots = rng.integers(n, size=(DRAWS, n))
        drawn = np.array([measure(found[some], truth[some]) for some in lots])
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return value, float(low), float(high)


def _rmse(found: Array, truth: Array) -> float:
    return float(np.sqrt(((found - truth) ** 2).mean()))


def _tau(found: Array, truth: Array) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(found, truth).statistic)
