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
from ..votes.table import Table
from ..votes.votes import Votes
from .bench_measures import MEASURES

DRAWS = 500
MOST_CLASSES = 100


class Task(NamedTuple):
    """Votes and what is true of their items, by name: a class, a value, a set of spans ..."""

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


def _structured(kind: str) -> Callable[[int], Iterator[Task]]:
    """Plain answers of a kind, and some of them spam."""

    def tasks(seed: int) -> Iterator[Task]:
        for name, spammers in (("plain", 0), ("a quarter spam", 5)):
            yield Task(name, kind, *STRUCTURED[kind](seed, spammers))

    return tasks


def _spans(seed: int, spammers: int) -> tuple[Votes, Mapping[Any, Any]]:
    made = simulate.spans(n_documents=80, n_annotators=20, per_document=5, spammers=spammers, seed=seed)
    truth: dict[Any, set[Any]] = {name: set() for name in made.spans.item_extra["document"].tolist()}
    for document, *span in made.truth.rows():
        truth[document].add(tuple(span))
    return made.spans, truth


def _label_sets(seed: int, spammers: int) -> tuple[Votes, Mapping[Any, Any]]:
    made = simulate.label_sets(n_items=200, n_annotators=20, spammers=spammers, seed=seed)
    return made.sets, {item: set(filter(None, labels.split("|"))) for item, labels in enumerate(made.truth.tolist())}


def _similarities(seed: int, spammers: int) -> tuple[Votes, Mapping[Any, Any]]:
    made = simulate.similarities(n_items=100, n_annotators=20, n_votes=2_000, spammers=spammers, seed=seed)
    return made.similarities, dict(enumerate(made.truth.tolist()))


def _texts(seed: int, spammers: int) -> tuple[Votes, Mapping[Any, Any]]:
    made = simulate.texts(n_items=150, n_annotators=20, spammers=spammers, seed=seed)
    return made.texts, dict(enumerate(made.truth.tolist()))


def _boxes(seed: int, spammers: int) -> tuple[Votes, Mapping[Any, Any]]:
    made = simulate.boxes(n_items=150, n_annotators=20, spammers=spammers, seed=seed)
    truth: dict[Any, list[Any]] = {item: [] for item in made.boxes.items.tolist()}
    for item, *sides, label in made.truth.rows():
        truth[item].append((np.array(sides, float), label))
    return made.boxes, truth


STRUCTURED = {"spans": _spans, "label-sets": _label_sets, "similarities": _similarities, "texts": _texts,
              "boxes": _boxes}  # fmt: skip


def _masks(seed: int) -> Iterator[Task]:
    made = simulate.masks(n_items=100, n_annotators=20, seed=seed)
    yield Task("plain", "masks", made.masks, dict(enumerate(made.truth)))


SIMULATED: dict[str, Callable[[int], Iterator[Task]]] = {
    "classes": _classes,
    "ratings": _ratings,
    "comparisons": _comparisons,
    **{kind: _structured(kind) for kind in STRUCTURED},
    "masks": _masks,
}
KINDS = tuple(SIMULATED)


def at_hand(folder: str | Path) -> Iterator[Task]:
    """Sets of a folder: each a folder with its votes (labels, votes or ratings) and their truth, as tables; classes, or
    ratings where what is true are numbers."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{folder} is no folder of data sets")
    for place in sorted(root.iterdir()):
        votes, truth = (_table_in(place, names) for names in (("labels", "votes", "ratings"), ("truth",)))
        if votes is not None and truth is not None:
            try:
                task = _task_of(place.name, votes, truth)
            except InputError:
                continue  # answers, or a truth, of another kind
            if task is not None:
                yield task


def _table_in(folder: Path, names: tuple[str, ...]) -> Path | None:
    """The first table of one of these names, packed or not."""
    files = [folder / f"{name}.csv{packed}" for name in names for packed in ("", ".gz")]
    return next((file for file in files if file.is_file()), None)


def _task_of(name: str, votes: Path, truth: Path) -> Task | None:
    """Votes and truth of a set, by what they are."""
    from ..io import read_labels, read_votes
    from ..io.kinds import kind_of, many_numbers
    from ..io.numbers_and_pairs import read_ratings, read_values

    labels = read_labels(truth)
    if kind_of(votes)[0] == "ratings" or many_numbers(list(labels.values())):
        return Task(name, "ratings", read_ratings([votes])[0], read_values(truth))
    crowd = read_votes(votes, soft=False).crowd
    known = any(label in set(crowd.classes.tolist()) for label in labels.values())
    return Task(name, "classes", crowd, labels) if crowd.n_classes <= MOST_CLASSES and known else None


def bench(
    tasks: Iterable[Task], methods: Iterable[str] = (), *, level: float = 0.95, seed: int = 0,
    callback: Callable[[str, str], object] | None = None,
) -> Table:  # fmt: skip
    """One row per set and method: what it reaches, with a bootstrap interval over items, and how long it took.

    methods: names, our own or others', of any kind: those of a task's kind are fitted to it; without names the usual
    ones of each kind. ahead: by how much a method is better than the first of its set, in pairs of the same items
    drawn, with its own interval: it may be sure where the two values' intervals overlap. A method that refuses a set
    has a row that says why. Truth measures, and chooses nothing.

    >>> table = bench(list(simulated("ratings"))[:1], ["mean", "auto-ratings"])
    >>> table["method"].tolist(), bool((table["low"] < table["value"]).all())
    (['mean', 'auto-ratings'], True)
    """
    named = list(methods)
    for name in named:
        METHODS[name]
    rows: list[tuple[Any, ...]] = []
    ends = [(1 - level) / 2, (1 + level) / 2]
    for task in tasks:
        measure, first = MEASURES[task.kind], None
        sign = -1.0 if measure.less else 1.0
        for name in named or [name for name, entry in METHODS.items() if entry.usual]:
            if METHODS[name].takes != task.kind:
                continue
            if callback is not None:
                callback(task.name, name)
            told, began = (task.kind, task.name, name, measure.name), time.perf_counter()
            try:
                result = make(name, seed=seed).fit(task.votes)
                spent = time.perf_counter() - began
                reached = measure.of(task.truth, result)
            except (InputError, TooLarge, Undecided) as error:
                rows.append((*told, *[np.nan] * 7, str(error)))
                continue
            lots = np.random.default_rng(seed).integers(reached.n, size=(DRAWS, reached.n))
            drawn = np.array([reached.over(some) for some in lots])
            value = reached.over(np.arange(reached.n))
            first = (value, drawn) if first is None else first
            low, high = np.nanquantile(drawn, ends)
            least, most = np.nanquantile(sign * (drawn - first[1]) + 0.0, ends)
            rows.append((*told, value, low, high, sign * (value - first[0]) + 0.0, least, most, spent, ""))
    if not rows:
        raise OptionError("there is nothing to run: no set (--kinds, --data), or no method for its kind of answers")
    names = ("kind", "set", "method", "measure", "value", "low", "high", "ahead", "ahead low", "ahead high", "seconds",
             "refused")  # fmt: skip
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
