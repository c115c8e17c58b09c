"""Dawid-Skene and its one-coin form, with crowd-kit's start, order of steps, stopping rule and initial errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ....engine import NumpyEngine, bind, normalise
from ....errors import InputError
from ....votes.codes import Array, find, names_array
from ....votes.crowd import Crowd
from .answers_in import Classification, by_task, by_worker, crowd_of, probabilities

LEAST = 1e-10  # of a chance


@dataclass
class DawidSkene(Classification):
    """A confusion matrix for each worker, by EM.

    Steps, clipping and stopping are crowd-kit's; `crowdwise.DawidSkene` has priors, a trace that never falls, gold,
    weights and predictions. initial_error_strategy: "assign" begins with the errors that are given; "addition" counts
    them beside those of the votes.
    """

    n_iter: int = 100
    tol: float = 1e-5
    initial_error_strategy: Literal["assign", "addition"] | None = None
    labels_: Any = field(default=None, init=False)
    probas_: Any = field(default=None, init=False)
    priors_: Any = field(default=None, init=False)
    errors_: Any = field(default=None, init=False)
    loss_history_: list[float] = field(default_factory=list, init=False)

    def fit(self, data: Any, true_labels: Any = None, initial_error: Any = None) -> Any:
        """Fit to votes. true_labels: by task, obeyed in every step; initial_error: a frame by worker and label."""
        crowd = crowd_of(data)
        ops, gold = bind(crowd), _known(crowd, true_labels)
        given = None if initial_error is None else _table(crowd, initial_error)
        votes = ops.item_votes()
        q = _obeyed(votes / votes.sum(axis=1, keepdims=True), gold)
        prior, errors = q.mean(axis=0), self._errors(ops, q, given, 0)
        per_item, loss, self.loss_history_ = votes.sum(axis=1), -np.inf, []
        for _ in range(self.n_iter):
            log_error, log_prior = np.log(errors), np.log(np.maximum(prior, LEAST))
            q = _obeyed(normalise(ops.item_scores(log_error) + log_prior)[0], gold)
            prior, errors = q.mean(axis=0), self._errors(ops, q, given, 1)
            new = self._bound(ops, q, prior, errors, per_item) / crowd.n_votes
            self.loss_history_.append(new)
            if new - loss < self.tol:
                break
            loss = new
        self._keep(crowd, q, prior, errors)
        return self

    def _errors(self, ops: NumpyEngine, q: Array, given: Array | None, step: int) -> Array:
        """How often each worker says what of which class, (workers, true, observed), summing to 1 over observed."""
        counts = ops.confusion_counts(q)
        if given is not None and self.initial_error_strategy is None:
            raise ValueError("initial_error needs initial_error_strategy: 'assign' or 'addition'")
        told = np.zeros_like(counts) if given is None or step else np.nan_to_num(given)  # where it begins, only
        if given is not None and not step:
            if self.initial_error_strategy == "assign":
                if np.isnan(given[ops.given.sum(axis=1) > 0]).any():
                    raise ValueError("initial_error_strategy='assign' needs the error matrix of every worker")
                counts = told
            else:
                counts = counts + told
        seen = np.asarray((ops.given[:, None, :] + told) > 0.0, bool)
        clipped = np.where(seen, np.maximum(counts, LEAST), 0.0)
        total = np.asarray(clipped.sum(axis=2, keepdims=True))
        return np.asarray(np.where(seen, clipped / np.where(total > 0.0, total, 1.0), 1.0))

    def _bound(self, ops: NumpyEngine, q: Array, prior: Array, errors: Array, per_item: Array) -> float:
        """Expected log chance, a class counting once for each vote, and the entropy."""
        said = (ops.confusion_counts(q) * np.log(np.maximum(errors, 1e-300))).sum()
        named = (per_item @ q) @ np.log(np.maximum(prior, LEAST))
        clipped = np.maximum(q, LEAST)
        return float(said + named - (clipped * np.log(clipped)).sum())

    def _keep(self, crowd: Crowd, q: Array, prior: Array, errors: Array) -> None:
        import pandas as pd

        self.probas_ = probabilities(crowd, q)
        self.labels_ = by_task(crowd, crowd.classes[q.argmax(axis=1)])
        self.priors_ = pd.Series(prior, index=pd.Index(crowd.classes, name="label"), name="prior")
        counts = np.zeros((crowd.n_annotators, crowd.n_classes), bool)
        counts[crowd.annotator, crowd.label] = True
        worker, observed = np.nonzero(counts)
        index = pd.MultiIndex.from_arrays(
            [crowd.annotators[worker], crowd.classes[observed]], names=["worker", "label"]
        )
        self.errors_ = pd.DataFrame(errors[worker, :, observed], index=index, columns=pd.Index(crowd.classes))


@dataclass
class OneCoinDawidSkene(DawidSkene):
    """One accuracy for each worker, by EM; errors are spread evenly."""

    skills_: Any = field(default=None, init=False)

    def fit(self, data: Any) -> Any:  # type: ignore[override]
        """Fit to votes."""
        return super().fit(data)

    def _errors(self, ops: NumpyEngine, q: Array, given: Array | None, step: int) -> Array:
        k = ops.n_classes
        right = ops.annotator_votes(q[ops.item, ops.label]).sum(axis=1)
        self._skill = right / np.maximum(ops.given.sum(axis=1), 1.0)
        wrong = (1.0 - self._skill) / max(k - 1, 1)
        table = np.where(np.eye(k, dtype=bool), self._skill[:, None, None], wrong[:, None, None])
        return np.clip(table, LEAST, 1.0 - LEAST)

    def _keep(self, crowd: Crowd, q: Array, prior: Array, errors: Array) -> None:
        super()._keep(crowd, q, prior, errors)
        self.skills_ = by_worker(crowd, self._skill)


def _known(crowd: Crowd, true_labels: Any) -> tuple[Array, Array] | None:
    """Places of tasks with known labels, and the labels' codes."""
    if true_labels is None:
        return None
    place = np.asarray(find(names_array(list(true_labels.index)), crowd.items), np.int64)
    code = np.asarray(find(names_array(true_labels.to_numpy().tolist()), crowd.classes), np.int64)
    kept = (place >= 0) & (code >= 0)
    return place[kept], code[kept]


def _obeyed(q: Array, gold: tuple[Array, Array] | None) -> Array:
    if gold is not None:
        q = q.copy()
        q[gold[0]] = 0.0
        q[gold[0], gold[1]] = 1.0
    return q


def _table(crowd: Crowd, frame: Any) -> Array:
    """A frame by worker and observed label, a column for each true one, as (workers, true, observed); NaN: not told."""
    missing = [name for name in crowd.classes.tolist() if name not in frame.columns]
    if missing:
        raise InputError(f"initial_error has no column {missing[0]!r}")
    out = np.full((crowd.n_annotators, crowd.n_classes, crowd.n_classes), np.nan)
    worker = np.asarray(find(names_array(list(frame.index.get_level_values(0))), crowd.annotators), np.int64)
    label = np.asarray(find(names_array(list(frame.index.get_level_values(1))), crowd.classes), np.int64)
    kept = (worker >= 0) & (label >= 0)
    out[worker[kept], :, label[kept]] = frame[crowd.classes.tolist()].to_numpy(float)[kept]
    return out
