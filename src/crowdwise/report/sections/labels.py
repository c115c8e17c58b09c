"""What the labels are, how sure they are, and how right, where that can be seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...fit.result import Result
from ...study import metrics
from ...study.uncertainty import share_interval
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table
from ..about import About

BINS = 20  # of the confidence
TOO_SURE = 0.05  # expected less measured accuracy from which confidences are called too high, if chance is no excuse


def section(about: About) -> dict[str, Any]:
    """The classes, how sure the labels are, and how right, where there is truth that the fit was not told."""
    return {
        "classes": classes(about.crowd, about.result),
        "certainty": certainty(about.reviewed["confidence"]),
        "calibration": calibration(*about.measured, about.level, about.sure) if about.measured else None,
    }


def classes(crowd: Crowd, result: Result) -> Table:
    """One row per class, the most common first: items that got it, items expected to be of it, and votes for it."""
    crowd, posterior = result.on(crowd)
    label = result.labels_on(crowd, posterior)
    columns = {
        "class": crowd.classes,
        "items": np.bincount(label, minlength=crowd.n_classes),
        "expected": posterior.sum(axis=0),
        "votes": np.bincount(crowd.label, minlength=crowd.n_classes),
    }
    return Table(columns).take(np.argsort(-columns["items"], kind="stable"))


def certainty(confidence: Array) -> Table:
    """How many items have a confidence between `low` and `high`."""
    items, edges = np.histogram(np.clip(confidence, 0.0, 1.0), BINS, (0.0, 1.0))
    return Table({"low": edges[:-1], "high": edges[1:], "items": items})


def calibration(posterior: Array, truth: Array, source: str, level: float, sure: float) -> dict[str, Any] | None:
    """How often labels of each confidence are right, by truth that the fit was not told; None where there is none."""
    if not (truth >= 0).any():
        return None
    bins = metrics.reliability(posterior, truth)
    low, high = share_interval(bins["accuracy"] * bins["items"], bins["items"], level)
    known = int((truth >= 0).sum())
    right = metrics.accuracy(posterior, truth)
    expected = float((bins["confidence"] * bins["items"]).sum() / known)
    ends = share_interval(np.array(right * known), np.array(known), level)
    settled = np.where(posterior.max(axis=1) >= sure, truth, -1)
    return {
        "source": source,
        "items": known,
        "accuracy": right,
        "low": float(ends[0]),
        "high": float(ends[1]),
        "too_sure": bool(expected - right > TOO_SURE and expected > ends[1]),
        "settled_accuracy": metrics.accuracy(posterior, settled) if (settled >= 0).any() else None,
        "expected": expected,
        "error": metrics.calibration_error(posterior, truth),
        "bins": Table({**bins.columns, "low": low, "high": high}),
    }
