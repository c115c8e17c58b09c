"""Methods side by side on one crowd."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import metrics
from .codes import Array
from .crowd import Crowd
from .frames import labels_by_item
from .gold import gold_codes
from .methods import METHODS, make
from .result import Result
from .table import Table

MEASURES: dict[str, Callable[[Array, Array], float]] = {
    "accuracy": metrics.accuracy,
    "macro_f1": metrics.macro_f1,
    "log_loss": metrics.log_loss,
    "calibration_error": metrics.calibration_error,
}


def truth_codes(crowd: Crowd, truth: Any) -> Array:
    """The true class code of each item, -1 where it is not known; classes that nobody voted for come last."""
    _, labels = labels_by_item(truth)
    return gold_codes(crowd.with_names(classes=labels), truth)


def compare(
    crowd: Crowd,
    *,
    truth: Any = None,
    methods: Iterable[str] = tuple(METHODS),
    gold: Any = None,
    engine: str = "auto",
    seed: int = 0,
    callback: Callable[[str], object] | None = None,
) -> tuple[Table, dict[str, Result]]:
    """A row a method: how many labels agree with the majority vote's, seconds, and measures where truth is known.

    Also the results themselves, by name. `callback(name)` is called before each fit. Truth is used to measure only.
    """
    results, seconds = {}, []
    for name in methods:
        if callback is not None:
            callback(name)
        began = time.perf_counter()
        results[name] = make(name, seed=seed).fit(crowd, gold=gold, engine=engine)
        seconds.append(time.perf_counter() - began)
    majority = results.get("majority-vote") or make("majority-vote").fit(crowd, gold=gold, engine=engine)
    columns = {
        "method": np.array(list(results), object),
        "agrees_with_majority": np.array([(r.label_codes == majority.label_codes).mean() for r in results.values()]),
    }
    if truth is not None:
        codes = truth_codes(crowd, truth)
        for measure, of in MEASURES.items():
            columns[measure] = np.array([of(result.posterior, codes) for result in results.values()])
    return Table({**columns, "seconds": np.array(seconds)}), results
