"""choose: the model, of several, that predicts hidden votes best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...votes.table import Table
from ..classifier import CrowdClassifier
from .loop import Diverged, History


class Choice(NamedTuple):
    """The model chosen, fitted on all votes, and a row for each candidate: its best epoch and score there."""

    model: CrowdClassifier
    table: Table


def choose(
    candidates: Sequence[CrowdClassifier],
    X: Any,
    votes: Any,
    items: Any = None,
    *,
    hold_out: float = 0.15,
    splits: int = 2,
) -> Choice:
    """The candidate, and the epoch to stop at, under which hidden votes are likeliest; then fitted on all votes.

    All votes of `hold_out` of the items are hidden, in so many different ways; every objective is judged alike, by
    confusion counted from its own posterior. Held-out votes are a fair judge, not a good one: they know nothing of
    what all annotators get wrong, and cannot choose a class prior.

    >>> from crowdwise import simulate
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=300)
    >>> X = rng.normal(size=(300, 5)) + 1.5 * truth[:, None]
    >>> votes = simulate.crowd(simulate.one_coin(8, 2, 0.7), truth=truth, per_item=3, seed=0).crowd
    >>> models = [CrowdClassifier("linear", "ccem", epochs=20, rate=rate) for rate in (1e-6, 1e-2)]
    >>> choose(models, X, votes).model.rate
    0.01
    """
    if not candidates:
        raise InputError("choose needs at least one candidate")
    scores, epochs, powers = [], [], []
    for candidate in candidates:
        trial = CrowdClassifier(**{**candidate.get_params(), "hold_out": hold_out})
        try:
            runs = [trial.rehearse(X, votes, items, split=split) for split in range(splits)]
        except Diverged:
            runs = [History(score=[-np.inf], power=[1.0])]
        common = min(len(run.score) for run in runs)  # patience may end one before the other
        mean = np.mean([run.score[:common] for run in runs], axis=0)
        scores.append(float(mean.max()))
        epochs.append(1 + int(mean.argmax()))
        powers.append(float(np.mean([run.power[epochs[-1] - 1] for run in runs])))
    best = int(np.argmax(scores))
    if not np.isfinite(scores[best]):
        raise Diverged("every candidate diverged: lower rate or annotator_rate")
    chosen = {**candidates[best].get_params(), "stop": epochs[best], "hold_out": 0.0}
    model = CrowdClassifier(**{**chosen, "calibrate": False}).fit(X, votes, items)
    if chosen["calibrate"]:  # by the votes that were hidden to choose
        model.set_params(calibrate=True)
        model.fitted_.power = powers[best]
    table = {
        "candidate": np.array([repr(candidate) for candidate in candidates], object),
        "epoch": np.array(epochs),
        "score": np.array(scores),
    }
    return Choice(model, Table(table))
