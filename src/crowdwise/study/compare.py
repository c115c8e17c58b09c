"""Methods side by side on one crowd, with or without a truth to hold them against."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import DataWarning, InputError, TooLarge, how_many
from ..fit.result import Result
from ..methods import METHODS, make
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.frames import labels_by_item
from ..votes.gold import gold_codes
from ..votes.table import Table
from . import metrics
from .held_out import HeldOut, held_out, hold_out, require_memory, tempered
from .settle import unsettled

MEASURES: dict[str, Callable[[Array, Array], float]] = {
    "accuracy": metrics.accuracy,
    "macro_f1": metrics.macro_f1,
    "log_loss": metrics.log_loss,
    "calibration_error": metrics.calibration_error,
}
USUAL = tuple(name for name, entry in METHODS.own.items() if entry.usual and entry.takes == "classes")


def truth_codes(crowd: Crowd, truth: Any) -> Array:
    """The true class code of each item, -1 where it is not known; classes that nobody voted for come last."""
    _, labels = labels_by_item(truth)
    return gold_codes(crowd.with_names(classes=labels), truth)


def measured_codes(crowd: Crowd, truth: Any, gold: Any = None) -> Array:
    """As `truth_codes`, without the items whose labels were told: to know what one was told is no merit."""
    codes = truth_codes(crowd, truth)
    if gold is None:
        return codes
    told = truth_codes(crowd, gold) >= 0
    codes = np.where(told, -1, codes)
    if not (codes >= 0).any():
        raise InputError("every item whose truth is known is gold too: nothing is left to measure on")
    return codes


def compare(
    crowd: Crowd,
    *,
    truth: Any = None,
    methods: Iterable[str] = USUAL,
    gold: Any = None,
    trusted: Iterable[Any] = (),
    forecasts: bool = True,
    engine: str = "auto",
    seed: int = 0,
    fitted: Mapping[str, Result] | None = None,
    callback: Callable[[str], object] | None = None,
) -> tuple[Table, dict[str, Result]]:
    """One row per method, and the results themselves by name.

    agreement: share of items on which it says what another method says, on average. agrees_with_majority: the same
    with the majority vote. forecast, forecast_error, temperature: mean log chance of held-out votes, calibration error
    of these forecasts, and the temperature that they ask for (`crowdwise.held_out`): weak guides, and a second fit.
    Where truth is known: accuracy, macro_f1, log_loss, calibration_error, and that error at the temperature; gold items
    are told, and not measured. seconds: of the one fit to all votes. `fitted` has results that are there already: they
    come first, without seconds. `callback(name)` is called before each fit. Truth is used to measure only. trusted:
    annotators to believe (`settle`).
    """
    crowd = Crowd.of(crowd)
    results: dict[str, Result] = dict(fitted or {})
    methods = tuple(dict.fromkeys((*results, *([methods] if isinstance(methods, str) else methods))))
    if not methods:
        raise InputError("there are no methods to compare")
    if forecasts and (reason := _no_forecasts(crowd, seed)):
        warnings.warn(f"no forecasts: {reason}", DataWarning, stacklevel=2)
        forecasts = False
    seconds = dict.fromkeys(results, np.nan)
    ahead: dict[str, HeldOut] = {}
    for name in methods:
        if callback is not None:
            callback(name)
        if name not in results:
            began = time.perf_counter()
            results[name] = unsettled(crowd, make(name, seed=seed), gold=gold, trusted=trusted, engine=engine)
            seconds[name] = time.perf_counter() - began
        if forecasts:
            ahead[name] = held_out(crowd, results[name].method, gold=gold, engine=engine, seed=seed)
    majority = results.get("majority-vote") or make("majority-vote").fit(crowd, gold=gold, engine=engine)
    columns: dict[str, Array] = {
        "method": np.array(list(results), object),
        "agreement": _mean_agreement(agreement(results)),
        "agrees_with_majority": np.array([(r.label_codes == majority.label_codes).mean() for r in results.values()]),
    }
    if forecasts:
        columns["forecast"] = np.array([each.log_likelihood for each in ahead.values()])
        columns["forecast_error"] = np.array([each.calibration_error for each in ahead.values()])
        columns["temperature"] = np.array([each.temperature for each in ahead.values()])
    if truth is not None:
        codes = measured_codes(crowd, truth, gold)
        for measure, of in MEASURES.items():
            columns[measure] = np.array([of(result.posterior, codes) for result in results.values()])
        known = codes >= 0
        columns["accuracy"] = np.array([float((r.label_codes == codes)[known].mean()) for r in results.values()])
        if forecasts:
            cooled = [tempered(result.posterior, ahead[name].temperature) for name, result in results.items()]
            columns["tempered_error"] = np.array([metrics.calibration_error(posterior, codes) for posterior in cooled])
    return Table({**columns, "seconds": np.array(list(seconds.values()))}), results


def advice(crowd: Crowd, results: Mapping[str, Result], truth: Any = None, gold: Any = None) -> str:
    """Which method to take, and how sure one can be of that, in one sentence.

    With truth, the two that are right most often are compared on the same items: the interval of their difference is
    a paired one. Without it no score says who is right.
    """
    usual = "auto" if "auto" in results else next(iter(results))
    if truth is None:
        return (
            f"Without known labels no figure here tells which method is right: take {usual}, and have some of the "
            "items looked at on which methods differ (--differ)."
        )
    codes = measured_codes(crowd, truth, gold)
    known = codes >= 0
    right = {name: (result.label_codes == codes)[known].astype(float) for name, result in results.items()}
    best, *others = sorted(right, key=lambda name: -right[name].mean())
    first = f"{best} is right on {right[best].mean():.{digits(known.sum())}f} of {how_many(int(known.sum()), 'items')}"
    if not others:
        return f"{first}."
    ahead = right[best] - right[others[0]]
    half = 1.96 * float(ahead.std()) / np.sqrt(ahead.size)
    low, high = 100.0 * (ahead.mean() - half), 100.0 * (ahead.mean() + half)
    gap = f"{100.0 * ahead.mean():.1f} points ahead of {others[0]} (95 % interval {low:.1f} to {high:.1f})"
    if low > 0.0:
        return f"{first}, {gap}: take it for votes like these."
    take = usual if right[usual].mean() > right[best].mean() - half / 100.0 or usual == best else best
    return f"{first}, {gap}: that may be chance, so {'take ' + take if take != best else 'either will do'}."


def digits(n: int) -> int:
    """How many decimals of a share of n things mean something.

    >>> digits(50), digits(10_000), digits(1_000_000)
    (2, 3, 4)
    """
    return min(max(int(np.ceil(np.log10(2.0 * np.sqrt(max(int(n), 1))))), 2), 4)


def agreement(results: Mapping[str, Result]) -> Array:
    """Share of items on which each two methods say the same, (methods, methods)."""
    labels = np.array([result.label_codes for result in results.values()])
    return np.array([[(a == b).mean() for b in labels] for a in labels])


def disputed(results: Mapping[str, Result]) -> Table:
    """The items on which methods differ, most disputed first: the item, how many labels it has got, and from whom.

    >>> from crowdwise import simulate
    >>> crowd = simulate.crowd(simulate.one_coin(9, 3, 0.5), n_items=60, per_item=3, seed=0).crowd
    >>> _, results = compare(crowd, methods=["majority-vote", "mace", "ibcc"], forecasts=False)
    >>> list(disputed(results).columns)
    ['item', 'labels', 'majority-vote', 'mace', 'ibcc']
    """
    codes = np.array([result.label_codes for result in results.values()])  # (methods, items)
    some = next(iter(results.values()))
    ordered = np.sort(codes, axis=0)
    distinct = 1 + (np.diff(ordered, axis=0) != 0).sum(axis=0)
    share = np.array([(codes == row).mean(axis=0) for row in codes]).mean(axis=0)  # that two methods agree
    order = np.lexsort((share, -distinct))
    order = order[distinct[order] > 1]
    columns = {name: result.labels[order] for name, result in results.items()}
    return Table({"item": some.items[order], "labels": distinct[order], **columns})


def _no_forecasts(crowd: Crowd, seed: int) -> str | None:
    """Why votes cannot be held out and forecast; None if they can."""
    try:
        require_memory(crowd)
        hold_out(crowd, seed=seed)
    except (InputError, TooLarge) as error:
        return str(error)
    return None


def _mean_agreement(same: Array) -> Array:
    others = len(same) - 1
    return (same.sum(axis=1) - 1.0) / others if others else np.ones(1)
