"""The promises that every method keeps, as checks that anybody's method can be held to.

>>> from crowdwise import DawidSkene
>>> check(DawidSkene(max_iter=20))

Each promise is a function of a method and an engine that raises `AssertionError`. A method that cannot keep one says
so, with the reason, in its class attribute `exempt`.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import simulate
from ..engine import bind
from ..errors import DataWarning
from ..votes.codes import Array
from ..votes.crowd import Crowd
from .aggregator import Aggregator
from .result import Result

Promise = Callable[[Aggregator, str], None]
PROMISES: dict[str, Promise] = {}


def promise(function: Promise) -> Promise:
    """Register a promise under its sentence: the first line of its docstring."""
    assert function.__doc__
    PROMISES[function.__doc__.splitlines()[0].rstrip(".")] = function
    return function


def check(method: Aggregator, engine: str = "numpy") -> None:
    """Hold a method to every promise that it is not exempt from."""
    for sentence, holds in PROMISES.items():
        if sentence not in method.exempt:
            holds(method, engine)


def _made(seed: int = 0, weighted: bool = False, **options: Any) -> tuple[Crowd, Array]:
    """A small crowd of all sorts, and the true class codes."""
    people = (
        simulate.one_coin(14, 3, np.linspace(0.5, 0.95, 14))
        + simulate.class_biased(4, 3)
        + simulate.spammers(3, 3)
        + simulate.adversaries(1, 3)
    )
    made = simulate.crowd(people, **{"n_items": 240, "per_item": 5, "seed": seed, **options})
    weight = np.random.default_rng(seed).uniform(0.2, 2.0, made.crowd.n_votes) if weighted else None
    return made.crowd.with_weight(weight), made.truth


def _tolerance(engine: str) -> float:
    """How far numbers may differ after a few steps, in parts of the largest: rounding in double or single precision."""
    return 2e-4 if engine.startswith("numba") else 1e-8


def _close(a: Array, b: Array, engine: str, what: str) -> None:
    a, b = np.asarray(a, float), np.asarray(b, float)
    gap, size = float(np.abs(a - b).max(initial=0.0)), max(1.0, float(np.abs(a).max(initial=0.0)))
    assert gap <= _tolerance(engine) * size, f"{what}: differs by {gap:.2g}, of up to {size:.2g}"


def _with(method: Aggregator, **options: Any) -> Aggregator:
    """The method with those of the options that it has."""
    return dataclasses.replace(method, **{name: value for name, value in options.items() if hasattr(method, name)})


def _short(method: Aggregator, steps: int = 12) -> Aggregator:
    """The method stopped after a fixed number of steps, so that rounding cannot decide when it stops."""
    return _with(method, max_iter=steps, tol=-np.inf)


def _climbs(result: Result, engine: str) -> None:
    trace = np.array(result.trace)
    assert np.isfinite(trace).all(), "the objective is not finite"
    if trace.size > 1:
        slack = bind(Crowd.from_matrix([[0]]), engine).tolerance * np.abs(trace).max()
        fall = float(-np.diff(trace).min())
        assert fall <= slack, f"the objective falls by {fall:.3g}"


def _is_distribution(result: Result) -> None:
    assert np.isfinite(result.posterior).all(), "the posterior is not finite"
    assert (result.posterior >= 0.0).all(), "the posterior is negative"
    assert np.abs(result.posterior.sum(axis=1) - 1.0).max() < 1e-5, "rows of the posterior do not sum to 1"
    for name, value in result.params.items():
        assert np.isfinite(value).all(), f"params[{name!r}] is not finite"


@promise
def posterior_is_distribution(method: Aggregator, engine: str) -> None:
    """The posterior is a distribution."""
    for weighted in (False, True):
        _is_distribution(method.fit(_made(weighted=weighted)[0], engine=engine))


@promise
def objective_never_falls(method: Aggregator, engine: str) -> None:
    """The objective never falls."""
    for weighted in (False, True):
        crowd, truth = _made(weighted=weighted)
        _climbs(_short(method, 60).fit(crowd, engine=engine), engine)
        gold = dict(zip(range(30), truth[:30].tolist(), strict=True))
        _climbs(_short(method, 60).fit(crowd, engine=engine, gold=gold), engine)


@promise
def leaps_never_fall(method: Aggregator, engine: str) -> None:
    """Accelerated, the objective never falls and gets as high."""
    if not hasattr(method, "accelerate"):
        return
    crowd, _ = _made()
    plain, fast = (
        _with(method, accelerate=leap, tol=1e-9, max_iter=2000).fit(crowd, engine=engine) for leap in (False, True)
    )
    _climbs(fast, engine)
    assert fast.trace[-1] >= plain.trace[-1] - 1e-3 * abs(plain.trace[-1]), "leaps end lower than steps"


@promise
def many_votes_do_not_underflow(method: Aggregator, engine: str) -> None:
    """Thousands of votes on an item do not underflow."""
    made = simulate.crowd(simulate.one_coin(2000, 3, 0.7), n_items=6, graph="dense", truth=[0, 1, 2, 0, 1, 2], seed=1)
    result = method.fit(made.crowd, engine=engine)
    _is_distribution(result)
    assert (result.labels == made.truth).all(), "wrong where 2,000 votes agree"


@promise
def order_is_ignored(method: Aggregator, engine: str) -> None:
    """The order of votes is ignored."""
    crowd, _ = _made(weighted=True)
    order = np.random.default_rng(1).permutation(crowd.n_votes)
    assert crowd.weight is not None
    shuffled = dataclasses.replace(
        crowd,
        item=crowd.item[order],
        annotator=crowd.annotator[order],
        label=crowd.label[order],
        weight=crowd.weight[order],
    )
    a, b = (_short(method).fit(votes, engine=engine) for votes in (crowd, shuffled))
    _close(a.posterior, b.posterior, engine, "the same votes in another order")


@promise
def weight_counts_votes(method: Aggregator, engine: str) -> None:
    """A weight of 2 equals two votes."""
    crowd, _ = _made()
    twice = np.arange(crowd.n_votes) % 3 == 0
    again = np.concatenate([np.arange(crowd.n_votes), np.flatnonzero(twice)])
    repeated = dataclasses.replace(
        crowd, item=crowd.item[again], annotator=crowd.annotator[again], label=crowd.label[again]
    )
    a = _short(method).fit(crowd.with_weight(np.where(twice, 2.0, 1.0)), engine=engine)
    b = _short(method).fit(repeated, engine=engine)
    _close(a.posterior, b.posterior, engine, "weight 2 and two votes")


@promise
def classes_are_only_names(method: Aggregator, engine: str) -> None:
    """Renaming classes renames the answer."""
    crowd, _ = _made()
    other = np.array([2, 0, 1])  # class k becomes other[k]
    renamed = dataclasses.replace(crowd, label=other[crowd.label])
    a, b = (_short(method).fit(votes, engine=engine).posterior for votes in (crowd, renamed))
    _close(a, b[:, other], engine, "renamed classes")


@promise
def gold_is_obeyed(method: Aggregator, engine: str) -> None:
    """Gold is obeyed and helps."""
    crowd, truth = _made()
    lie = {item: int((truth[item] + 1) % 3) for item in range(10)}
    result = method.fit(crowd, gold=lie, engine=engine)
    assert (result.labels[:10] == np.array(list(lie.values()))).all(), "gold is not obeyed"
    gains = []
    for seed in range(6):
        crowd, truth = _made(seed, per_item=3)
        known = dict(zip(range(120), truth[:120].tolist(), strict=True))
        plain, helped = (method.fit(crowd, gold=gold, engine=engine).labels[120:] for gold in (None, known))
        gains.append((helped == truth[120:]).mean() - (plain == truth[120:]).mean())
    assert np.mean(gains) >= 0.0, f"gold costs {-np.mean(gains):.3f} of accuracy on other items"


@promise
def silent_names_are_harmless(method: Aggregator, engine: str) -> None:
    """Names without votes are harmless."""
    crowd, truth = _made()
    plain = _short(method).fit(crowd, engine=engine)
    wider = _short(method).fit(crowd.with_names(items=[9999], annotators=[9999]), engine=engine)
    _is_distribution(wider)
    assert (plain.labels == wider.labels[:-1]).mean() > 0.99, "silent items and annotators change the labels of others"
    # One more class spreads errors thinner, which a model of errors may notice; the answer must be as good.
    another = _short(method).fit(crowd.with_names(classes=[9999]), engine=engine)
    _is_distribution(another)
    assert (another.labels == truth).mean() > (plain.labels == truth).mean() - 0.02, "a silent class takes labels"


@promise
def corners_are_answered(method: Aggregator, engine: str) -> None:
    """One vote an item, one vote an annotator, all votes equal: a sensible answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for seed in range(4):
            votes = np.random.default_rng(seed).integers(3, size=30)
            one_each = method.fit(Crowd.from_columns(np.arange(30), np.arange(30) % 3, votes), engine=engine)
            _is_distribution(one_each)
            assert (one_each.labels == votes).mean() > 0.9, "single votes are overruled"
        single = Crowd.from_columns([0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [0, 0, 1, 1, 1])
        result = method.fit(single, engine=engine)
        _is_distribution(result)
        assert result.labels.tolist() == [0, 1], "a majority of two is overruled"
        equal = Crowd.from_columns([0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 5, 5])
        for crowd in (equal, equal.with_names(classes=[6])):
            result = method.fit(crowd, engine=engine)
            _is_distribution(result)
            assert (result.labels == 5).all(), "unanimous votes are overruled"


@promise
def fit_leaves_no_state(method: Aggregator, engine: str) -> None:
    """Fit leaves no state, and the same seed gives the same answer."""
    crowd, _ = _made()
    before = dataclasses.asdict(method)
    a, b = method.fit(crowd, engine=engine), method.fit(crowd, engine=engine)
    assert dataclasses.asdict(method) == before, "fit changed the method"
    assert (a.posterior == b.posterior).all(), "the same seed gave another answer"


@promise
def restarts_differ(method: Aggregator, engine: str) -> None:
    """Restarts differ by seed and never end lower than one climb."""
    if not hasattr(method, "restarts"):
        return
    crowd, _ = _made(per_item=3)

    def steps(restarts: int, seed: int) -> list[float]:
        climbed: list[float] = []
        few = _with(method, restarts=restarts, seed=seed, max_iter=4, tol=-np.inf)
        result = few.fit(crowd, engine=engine, callback=lambda _, objective: climbed.append(objective))
        assert result.trace[-1] == max(climbed[3::4]), "the highest climb is not the one kept"
        return climbed

    one, other = steps(3, seed=0), steps(3, seed=1)
    assert one[:4] == other[:4] == steps(1, seed=5), "the first climb is not the plain one"
    assert len({one[4], one[8], other[4]}) == 3, "restarts do not differ"


@promise
def beats_chance(method: Aggregator, engine: str) -> None:
    """Beats chance, and an average annotator, on simulated votes."""
    crowd, truth = _made(n_items=600)
    right = (method.fit(crowd, engine=engine).labels == truth).mean()
    votes = (crowd.label == truth[crowd.item]).mean()
    assert right > votes + 0.05, f"accuracy {right:.3f}, where single votes have {votes:.3f}"


@promise
def engines_agree(method: Aggregator, engine: str) -> None:
    """Agrees with the NumPy engine."""
    for seed in range(3):
        crowd, truth = _made(seed, weighted=seed % 2 == 1)
        gold = {0: int(truth[0]), 7: int(truth[7])} if seed == 2 else None
        a, b = (_short(method).fit(crowd, engine=name, gold=gold) for name in ("numpy", engine))
        _close(a.posterior, b.posterior, engine, f"{engine} and numpy")
        for name in a.params:
            _close(a.params[name], b.params[name], engine, f"{engine} and numpy, {name}")


@promise
def source_is_cited(method: Aggregator, engine: str) -> None:
    """Cites its source."""
    assert "Reference:" in (type(method).__doc__ or ""), "the docstring has no reference"


@promise
def predict_repeats_fit(method: Aggregator, engine: str) -> None:
    """Predict on the training votes gives the training posterior (without gold)."""
    crowd, _ = _made(weighted=True)
    result = _short(method).fit(crowd, engine=engine)
    assert (result.predict(crowd, engine=engine).posterior == result.posterior).all(), "predict differs from fit"


@promise
def strangers_are_population(method: Aggregator, engine: str) -> None:
    """Predict takes unknown annotators for the population, and beats chance with them."""
    crowd, truth = _made(n_items=600)
    result = method.fit(crowd, engine=engine)
    strange = dataclasses.replace(crowd, annotators=crowd.annotators + 1000)
    predicted = result.predict(strange, engine=engine)
    _is_distribution(predicted)
    assert (predicted.labels == truth).mean() > 0.6, "strangers are not understood"
