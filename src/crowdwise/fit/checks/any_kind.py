"""Promises of every method, whatever the kind of votes."""

from __future__ import annotations

import dataclasses
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...votes.codes import Array, find
from ...votes.votes import Votes
from ..climber import Climber, Part
from ..estimates import Estimate
from ..result import load
from .promises import EVERY_KIND, AnyMethod, changed, promise, require_climb, require_close, require_sound, short
from .small import SMALL


def _votes(method: AnyMethod, seed: int = 0) -> Votes:
    return SMALL[method.takes.kind](seed)


def _at(votes: Votes, places: Array, **changes: Any) -> Votes:
    """The votes at those places, through the door."""
    columns = {name: column[places] for name, column in votes.per_vote.items()}
    return dataclasses.replace(votes, **{**columns, "weight": None, **changes})


@promise(kinds=EVERY_KIND)
def answer_is_sound(method: AnyMethod, engine: str) -> None:
    """What is found is finite, and probabilities are distributions."""
    votes = _votes(method)
    weight = np.random.default_rng(0).uniform(0.2, 2.0, votes.n_votes)
    for each in (votes, votes.with_weight(weight)):
        require_sound(method.fit(each, engine=engine))


@promise(kinds=EVERY_KIND)
def rows_keep_their_order(method: AnyMethod, engine: str) -> None:
    """What goes in as item i comes out as item i."""
    votes = _votes(method)
    names = votes.items[np.random.default_rng(2).permutation(votes.n_items)]
    result = short(method, 2).fit(votes.with_first("item", names), engine=engine)
    assert (result.items == names).all(), "items come out in another order"
    if type(result.estimate).rows is Estimate.rows:  # spans and boxes have rows of their own
        assert (result.to_table()["item"] == names).all(), "rows of the table are in another order"


@promise(kinds=EVERY_KIND)
def order_is_ignored(method: AnyMethod, engine: str) -> None:
    """The order of votes is ignored."""
    votes = _votes(method)
    rng = np.random.default_rng(1)
    order, weight = rng.permutation(votes.n_votes), rng.uniform(0.2, 2.0, votes.n_votes)
    shuffled = _at(votes, order, weight=weight[order])
    a, b = (short(method).fit(each, engine=engine) for each in (votes.with_weight(weight), shuffled))
    require_close(a.estimate.main, b.estimate.main, engine, "the same votes in another order")


@promise(kinds=EVERY_KIND)
def shuffled_files_agree(method: AnyMethod, engine: str) -> None:
    """A shuffled file gives the same answer to every item."""
    votes = _votes(method)
    order = np.random.default_rng(3).permutation(votes.n_votes)
    seen = votes.derive(**{name: column[order] for name, column in votes.per_vote.items()})
    for column, axis in votes.codes.items():
        if axis in ("items", "annotators"):
            first = np.unique(votes.per_vote[column][order], return_index=True)
            seen = seen.with_first(column, getattr(votes, axis)[first[0][np.argsort(first[1])]])
    a, b = (short(method).fit(each, engine=engine) for each in (votes, seen))
    require_close(a.estimate.main, b.estimate.main[find(a.items, b.items)], engine, "a shuffled file")


@promise(kinds=EVERY_KIND)
def weight_counts_votes(method: AnyMethod, engine: str) -> None:
    """A weight of 2 equals two votes."""
    votes = _votes(method)
    twice = np.arange(votes.n_votes) % 3 == 0
    again = np.concatenate([np.arange(votes.n_votes), np.flatnonzero(twice)])
    a = short(method).fit(votes.with_weight(np.where(twice, 2.0, 1.0)), engine=engine)
    b = short(method).fit(_at(votes, again), engine=engine)
    require_close(a.estimate.main, b.estimate.main, engine, "weight 2 and two votes")


@promise(kinds=EVERY_KIND)
def batches_are_one(method: AnyMethod, engine: str) -> None:
    """Votes in two batches give what they give in one, to the bit."""
    votes = _votes(method)
    half = np.arange(votes.n_votes) < votes.n_votes // 2
    a, b = (short(method).fit(each, engine=engine) for each in (votes, votes.take(half).extend(votes.take(~half))))
    assert (a.estimate.main == b.estimate.main).all(), "two batches differ from one"


@promise(kinds=EVERY_KIND)
def parts_are_whole(method: AnyMethod, engine: str) -> None:
    """A climb over ten parts has the trace of one piece, to 1e-12, or is refused."""
    if not isinstance(method, Climber) or method.whole:
        return
    votes = _votes(method)
    known = method.known(votes, {votes.items[3]: getattr(votes, "classes", np.array([2.0]))[0]}, None)
    few = short(method, 20)
    assert isinstance(few, Climber)
    whole = few.solve(few.bind(votes, engine), known, None, None)
    edges = np.linspace(0, votes.n_items, 11).astype(int)
    parts = [
        Part(few.bind(votes.subset(items=votes.items[low:high]), engine), known.part(low, high))
        for low, high in pairwise(edges)
    ]
    cut = few.solve_parts(parts)
    gap = np.abs(np.array(whole.trace) - cut.trace).max() / np.abs(whole.trace).max()
    assert gap <= 1e-12, f"parts part from the whole by {gap:.2g}"


@promise(kinds=EVERY_KIND, engines="all")
def objective_never_falls(method: AnyMethod, engine: str) -> None:
    """The objective never falls."""
    votes = _votes(method)
    weight = np.random.default_rng(0).uniform(0.2, 2.0, votes.n_votes)
    for each in (votes, votes.with_weight(weight)):
        require_climb(short(method, 60).fit(each, engine=_own(method, engine)), engine)


@promise(kinds=EVERY_KIND)
def leaps_never_fall(method: AnyMethod, engine: str) -> None:
    """Accelerated, the objective never falls and gets as high."""
    if not hasattr(method, "accelerate"):
        return
    votes = _votes(method)
    plain, fast = (
        changed(method, accelerate=leap, tol=1e-9, max_iter=2000).fit(votes, engine=engine) for leap in (False, True)
    )
    require_climb(fast, engine)
    assert fast.trace[-1] >= plain.trace[-1] - 1e-3 * abs(plain.trace[-1]), "leaps end lower than steps"


@promise(kinds=EVERY_KIND, engines="all")
def fit_leaves_no_state(method: AnyMethod, engine: str) -> None:
    """Fit leaves no state, and the same seed gives the same answer."""
    votes, before = _votes(method), dataclasses.asdict(method)
    a, b = (short(method).fit(votes, engine=_own(method, engine)) for _ in range(2))
    assert dataclasses.asdict(method) == before, "fit changed the method"
    assert (a.estimate.main == b.estimate.main).all(), "the same seed gave another answer"


@promise(kinds=EVERY_KIND)
def predict_repeats_fit(method: AnyMethod, engine: str) -> None:
    """Predict on the training votes gives what was found in training."""
    votes = _votes(method)
    votes = votes.with_weight(np.random.default_rng(0).uniform(0.2, 2.0, votes.n_votes))
    result = short(method).fit(votes, engine=engine)
    again = result.predict(votes, engine=engine)
    assert (again.estimate.main == result.estimate.main).all(), "predict differs from fit"


@promise(kinds=EVERY_KIND)
def files_keep_all(method: AnyMethod, engine: str) -> None:
    """A saved result is read back whole."""
    result = short(method, 2).fit(_votes(method), engine=engine)
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder, "result.npz"))
        back = load(Path(folder, "result.npz"))
    assert (back.estimate.main == result.estimate.main).all() and back.method == result.method
    assert back.params.keys() == result.params.keys(), "parameters are lost"
    assert (back.items == result.items).all() and back.trace == result.trace, "items or trace are lost"


@promise(kinds=EVERY_KIND)
def source_is_cited(method: AnyMethod, engine: str) -> None:
    """Cites its source."""
    assert "Reference:" in (type(method).__doc__ or ""), "the docstring has no reference"


def _own(method: AnyMethod, engine: str) -> str:
    """Kinds other than classes know one engine."""
    return engine if method.takes.kind == "classes" else "numpy"
