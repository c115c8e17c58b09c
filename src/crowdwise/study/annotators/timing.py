"""Timing: whether annotators get better or worse, and how fast they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...fit.result import Result
from ...votes.codes import Array, find
from ...votes.crowd import Crowd
from ...votes.table import Table

NOTHING = ("", "nan", "NaN", "NaT", "None", "null")
HASTE = 1.0 / 3.0  # of the crowd's usual time for a vote: faster is hasty


def timing(crowd: Crowd, result: Result, *, time: str = "", seconds: str = "") -> Table:
    """One row per annotator: accuracy in the earlier and the later half of their votes, drift, and speed.

    time: the column of the votes that tells when (numbers, or dates as text); seconds: the one that tells how long a
    vote took. Without it that is the time since the annotator's last vote, which counts breaks too: medians are taken.

    `early`, `late` and `drift` are the accuracies of the two halves and how much the second is better; `drift_z` how
    many standard errors that is. `seconds` is the median of a vote, `hasty` the share of votes that took less than a
    third of the median of all. NaN where there are too few votes, or no times.

    >>> item, who = np.arange(40), np.repeat(["ann", "bob"], 20)
    >>> label = np.where((np.arange(40) % 20 < 10) | (who == "ann"), "cat", "dog")
    >>> crowd = Crowd.from_columns(item, who, label, extra={"time": np.tile(np.arange(20) * 5.0, 2)})
    >>> from crowdwise import MajorityVote
    >>> found = timing(crowd, MajorityVote().fit(crowd, gold=dict.fromkeys(range(40), "cat")), time="time")
    >>> found["drift"].round(1).tolist(), found["seconds"].tolist()
    ([0.0, -1.0], [5.0, 5.0])
    """
    if not (time or seconds):
        raise InputError("time or seconds: name the column of the votes that tells when, or how long")
    crowd, posterior = result.on(crowd)
    n = crowd.n_annotators
    columns = {"annotator": crowd.annotators, "votes": np.bincount(crowd.annotator, minlength=n)}
    when = _numbers(crowd, time)[0] if time else None
    if when is not None:
        columns |= _drift(crowd, posterior, when)
    took = _numbers(crowd, seconds, dates=False)[0] if seconds else _gaps(crowd, when)  # type: ignore[arg-type]
    if (took < 0.0).any():
        raise InputError(f"column {seconds!r}: {took[took < 0.0][0]} seconds: a vote cannot take less than 0")
    columns |= _speed(crowd, took)
    return Table(columns)


def with_timing(found: Table, crowd: Crowd, result: Result, *, time: str = "", seconds: str = "") -> Table:
    """A table of annotators, and drift and speed beside it; as it is where no column tells when or how long."""
    if not (time or seconds):
        return found
    timed = timing(crowd, result, time=time, seconds=seconds)
    place = find(found["annotator"], timed["annotator"])
    more = {name: timed[name][place] for name in timed.columns if name not in ("annotator", "votes")}
    return Table({**found.columns, **more})


def over_time(crowd: Crowd, result: Result, time: str, *, periods: int = 24) -> Table:
    """One row per annotator and period in which they voted: when it begins, votes, and the accuracy of these.

    The time from the first vote to the last is cut into `periods` equal ones; `begins` is a number, or a date. Votes
    without a time are left out.

    >>> crowd = Crowd.from_columns([1, 2, 3], ["ann"] * 3, ["cat", "cat", "dog"], extra={"time": [0.0, 1.0, 10.0]})
    >>> from crowdwise import MajorityVote
    >>> list(over_time(crowd, MajorityVote().fit(crowd), "time", periods=2).rows())
    [('ann', 0, 0.0, 2, 1.0), ('ann', 1, 5.0, 1, 1.0)]
    """
    if periods < 1:
        raise InputError(f"periods={periods} must be at least 1")
    crowd, posterior = result.on(crowd)
    when, dated = _numbers(crowd, time)
    known = np.isfinite(when)
    first, last = (when[known].min(), when[known].max()) if known.any() else (0.0, 0.0)
    length = (last - first) / periods or 1.0
    period = np.minimum((when[known] - first) / length, periods - 1).astype(np.int64)
    key, place, votes = np.unique(
        crowd.annotator[known] * np.int64(periods) + period, return_inverse=True, return_counts=True
    )
    right = np.bincount(place, posterior[crowd.item, crowd.label][known], key.size)
    begins = first + key % periods * length
    return Table(
        {
            "annotator": crowd.annotators[key // periods],
            "period": key % periods,
            "begins": begins.astype("datetime64[s]") if dated else begins,
            "votes": votes,
            "accuracy": right / votes,
        }
    )


def _numbers(crowd: Crowd, name: str, dates: bool = True) -> tuple[Array, bool]:
    """A column of the votes as numbers, and whether they were dates, where they may be: then they are seconds."""
    if name not in crowd.extra:
        raise InputError(f"column {name!r}: the votes have {', '.join(crowd.extra) or 'no further columns'}")
    values = np.asarray(crowd.extra[name])
    if values.dtype.kind in "iuf":
        return values.astype(float), False
    if values.dtype.kind == "M" and dates:
        return np.where(np.isnat(values), np.nan, values.astype("datetime64[us]").astype(np.int64) / 1e6), True
    plain = [None if value is None else str(value).strip() for value in values.tolist()]
    return _read(name, [None if text in NOTHING else text for text in plain], dates)


def _read(name: str, texts: list[str | None], dates: bool) -> tuple[Array, bool]:
    """Numbers, or dates with or without a time zone, as text, and which; None is NaN."""
    import pyarrow as pa

    kinds = [pa.float64(), *([pa.timestamp("us"), pa.timestamp("us", "UTC")] if dates else [])]

    def read(column: Any, kind: Any) -> Any:
        try:
            numbers = column.cast(kind)
        except pa.ArrowInvalid:
            return None
        return numbers if kind == kinds[0] else numbers.cast(pa.int64())

    for kind in kinds:
        numbers = read(pa.array(texts, pa.string()), kind)
        if numbers is not None:
            dated = kind != kinds[0]
            return np.asarray(numbers.to_numpy(zero_copy_only=False), float) / (1e6 if dated else 1.0), dated
    known = next((kind for kind in kinds if read(pa.array([texts[0]], pa.string()), kind) is not None), kinds[0])
    strange = next((text for text in texts if read(pa.array([text], pa.string()), known) is None), texts[0])
    wanted = "neither a number nor a date such as 2026-01-31T12:00:00" if dates else "no number of seconds"
    raise InputError(f"column {name!r}: {strange!r} is {wanted}")


def _drift(crowd: Crowd, posterior: Array, when: Array) -> dict[str, Array]:
    n, right = crowd.n_annotators, posterior[crowd.item, crowd.label]
    known = np.flatnonzero(np.isfinite(when))
    order = known[np.lexsort((when[known], crowd.annotator[known]))]
    who = crowd.annotator[order]
    votes = np.bincount(who, minlength=n)
    place = np.arange(order.size) - (np.cumsum(votes) - votes)[who]
    late = place >= (votes[who] + 1) // 2
    halves = []
    for half in (~late, late):
        count = np.bincount(who[half], minlength=n)
        halves.append((np.bincount(who[half], right[order[half]], n) / np.where(count > 0, count, np.nan), count))
    (early, n_early), (later, n_late) = halves
    share = np.bincount(who, right[order], n) / np.maximum(votes, 1)
    error = np.sqrt(
        np.maximum(share * (1.0 - share), 1e-12) * (1.0 / np.maximum(n_early, 1) + 1.0 / np.maximum(n_late, 1))
    )
    return {"early": early, "late": later, "drift": later - early, "drift_z": (later - early) / error}


def _gaps(crowd: Crowd, when: Array) -> Array:
    """Seconds since the same annotator's last vote; NaN for their first."""
    order = np.lexsort((when, crowd.annotator))
    gap = np.diff(when[order], prepend=np.nan)
    gap[np.flatnonzero(np.diff(crowd.annotator[order], prepend=-1) != 0)] = np.nan
    out = np.empty(when.size)
    out[order] = gap
    return out


def _speed(crowd: Crowd, took: Array) -> dict[str, Array]:
    n = crowd.n_annotators
    known = np.flatnonzero(np.isfinite(took))
    order = known[np.lexsort((took[known], crowd.annotator[known]))]
    votes = np.bincount(crowd.annotator[order], minlength=n)
    first, some = np.cumsum(votes) - votes, votes > 0
    value = np.append(took[order], np.nan)
    middle = (value[np.where(some, first + (votes - 1) // 2, -1)] + value[np.where(some, first + votes // 2, -1)]) / 2.0
    usual = np.median(took[known]) if known.size else np.nan
    hasty = np.bincount(crowd.annotator[known], took[known] < HASTE * usual, n)
    return {"seconds": middle, "hasty": np.where(some, hasty / np.maximum(votes, 1), np.nan)}
