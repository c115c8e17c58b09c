"""Promises of the methods for classes."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np

from ... import simulate
from ...errors import DataWarning
from ...votes.crowd import Crowd
from .promises import AnyMethod, changed, promise, require_close, require_sound, short
from .small import small_crowd


@promise(engines="all")
def many_votes_do_not_underflow(method: AnyMethod, engine: str) -> None:
    """Thousands of votes on an item do not underflow."""
    made = simulate.crowd(simulate.one_coin(2000, 3, 0.7), n_items=6, graph="dense", truth=[0, 1, 2, 0, 1, 2], seed=1)
    result = changed(method, draws=10, warmup=20).fit(made.crowd, engine=engine)
    require_sound(result)
    assert (result.labels == made.truth).all(), "wrong where 2,000 votes agree"


@promise()
def classes_are_only_names(method: AnyMethod, engine: str) -> None:
    """Renaming classes renames the answer."""
    crowd, _ = small_crowd()
    other = np.array([2, 0, 1])  # class k becomes other[k]
    renamed = dataclasses.replace(crowd, label=other[crowd.label])
    a, b = (short(method).fit(votes, engine=engine).posterior for votes in (crowd, renamed))
    require_close(a, b[:, other], engine, "renamed classes")


@promise()
def gold_is_obeyed(method: AnyMethod, engine: str) -> None:
    """Gold is obeyed and helps."""
    crowd, truth = small_crowd()
    lie = {item: int((truth[item] + 1) % 3) for item in range(10)}
    result = method.fit(crowd, gold=lie, engine=engine)
    assert (result.labels[:10] == np.array(list(lie.values()))).all(), "gold is not obeyed"
    gains = []
    for seed in range(6):
        crowd, truth = small_crowd(seed, per_item=3)
        known = dict(zip(range(120), truth[:120].tolist(), strict=True))
        plain, helped = (method.fit(crowd, gold=gold, engine=engine).labels[120:] for gold in (None, known))
        gains.append((helped == truth[120:]).mean() - (plain == truth[120:]).mean())
    assert np.mean(gains) >= 0.0, f"gold costs {-np.mean(gains):.3f} of accuracy on other items"


@promise()
def silent_names_are_harmless(method: AnyMethod, engine: str) -> None:
    """Names without votes are harmless."""
    crowd, truth = small_crowd()
    plain = short(method).fit(crowd, engine=engine)
    wider = short(method).fit(crowd.with_names(items=[9999], annotators=[9999]), engine=engine)
    require_sound(wider)
    assert (plain.labels == wider.labels[:-1]).mean() > 0.99, "silent items and annotators change the labels of others"
    # One more class spreads errors thinner, which a model of errors may notice; the answer must be as good.
    another = short(method).fit(crowd.with_names(classes=[9999]), engine=engine)
    require_sound(another)
    assert (another.labels == truth).mean() > (plain.labels == truth).mean() - 0.02, "a silent class takes labels"


@promise()
def corners_are_answered(method: AnyMethod, engine: str) -> None:
    """One vote an item, one vote an annotator, all votes equal: a sensible answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for seed in range(4):
            votes = np.random.default_rng(seed).integers(3, size=30)
            one_each = method.fit(Crowd.from_columns(np.arange(30), np.arange(30) % 3, votes), engine=engine)
            require_sound(one_each)
            assert (one_each.labels == votes).mean() > 0.9, "single votes are overruled"
        single = Crowd.from_columns([0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [0, 0, 1, 1, 1])
        result = method.fit(single, engine=engine)
        require_sound(result)
        assert result.labels.tolist() == [0, 1], "a majority of two is overruled"
        equal = Crowd.from_columns([0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 5, 5])
        for crowd in (equal, equal.with_names(classes=[6])):
            result = method.fit(crowd, engine=engine)
            require_sound(result)
            assert (result.labels == 5).all(), "unanimous votes are overruled"


@promise()
def restarts_differ(method: AnyMethod, engine: str) -> None:
    """Restarts differ by seed and never end lower than one climb."""
    if not hasattr(method, "restarts"):
        return
    crowd, _ = small_crowd(per_item=3)

    def steps(restarts: int, seed: int) -> list[float]:
        climbed: list[float] = []
        few = changed(method, restarts=restarts, seed=seed, max_iter=4, tol=-np.inf)
        result = few.fit(crowd, engine=engine, callback=lambda _, objective: climbed.append(objective))
        assert result.trace[-1] == max(climbed[3::4]), "the highest climb is not the one kept"
        return climbed

    one, other = steps(3, seed=0), steps(3, seed=1)
    assert one[:4] == other[:4] == steps(1, seed=5), "the first climb is not the plain one"
    assert len({one[4], one[8], other[4]}) == 3, "restarts do not differ"


@promise()
def beats_chance(method: AnyMethod, engine: str) -> None:
    """Beats chance, and an average annotator, on simulated votes."""
    crowd, truth = small_crowd(n_items=600)
    right = (method.fit(crowd, engine=engine).labels == truth).mean()
    votes = (crowd.label == truth[crowd.item]).mean()
    assert right > votes + 0.05, f"accuracy {right:.3f}, where single votes have {votes:.3f}"


@promise(engines="others")
def engines_agree(method: AnyMethod, engine: str) -> None:
    """Agrees with the NumPy engine."""
    for seed in range(3):
        crowd, truth = small_crowd(seed, weighted=seed % 2 == 1)
        gold = {0: int(truth[0]), 7: int(truth[7])} if seed == 2 else None
        a, b = (short(method).fit(crowd, engine=name, gold=gold) for name in ("numpy", engine))
        require_close(a.posterior, b.posterior, engine, f"{engine} and numpy")
        for name in a.params:
            if "." in name:  # of a committee's member, which runs until it settles: engines may stop a step apart
                continue
            require_close(a.params[name], b.params[name], engine, f"{engine} and numpy, {name}")


@promise()
def strangers_are_population(method: AnyMethod, engine: str) -> None:
    """Predict takes unknown annotators for the population, and beats chance with them."""
    crowd, truth = small_crowd(n_items=600)
    result = method.fit(crowd, engine=engine)
    strange = dataclasses.replace(crowd, annotators=crowd.annotators + 1000)
    predicted = result.predict(strange, engine=engine)
    require_sound(predicted)
    assert (predicted.labels == truth).mean() > 0.6, "strangers are not understood"
