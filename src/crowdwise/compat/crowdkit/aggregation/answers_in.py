"""Frames of task, worker and label as a crowd; what is found as pandas' series and frames, by crowd-kit's names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import Any

import numpy as np

from ....errors import InputError
from ....votes.codes import Array, find, names_array
from ....votes.crowd import Crowd


def crowd_of(data: Any) -> Crowd:
    """The votes of a frame, classes in the order of their names."""
    missing = [name for name in ("task", "worker", "label") if name not in data.columns]
    if missing:
        raise InputError(f"there is no column {missing[0]!r}; the columns are {', '.join(map(str, data.columns))}")
    votes = data[["task", "worker", "label"]].assign(label=as_told(data["label"]))
    crowd = Crowd.from_frame(votes, item="task", annotator="worker", label="label")
    return crowd.with_classes(names_array(sorted(crowd.classes.tolist())))


def as_told(label: Any) -> Any:
    """Labels as they are counted: true and false are numbers."""
    return label.astype(int) if label.dtype == bool else label


@cache
def seen_first() -> bool:
    """Whether pandas puts counts in the order in which names are first seen, as from 3 on: ties go to the first one."""
    import pandas as pd

    few = pd.DataFrame({"task": [1, 2], "label": ["b", "a"]})
    return bool(few.value_counts().unstack("label", fill_value=0).columns[0] == "b")


def by_task(crowd: Crowd, labels: Any) -> Any:
    """A series of labels by task."""
    import pandas as pd

    return pd.Series(labels, index=pd.Index(crowd.items, name="task"), name="agg_label")


def probabilities(crowd: Crowd, posterior: Array) -> Any:
    """A frame of chances, tasks by labels."""
    import pandas as pd

    return pd.DataFrame(posterior, pd.Index(crowd.items, name="task"), pd.Index(crowd.classes, name="label"))


def by_worker(crowd: Crowd, values: Array) -> Any:
    """A series of skills by worker, those who gave votes."""
    import pandas as pd

    heard = np.bincount(crowd.annotator, minlength=crowd.n_annotators) > 0
    return pd.Series(values[heard], index=pd.Index(crowd.annotators[heard], name="worker"), name="skill")


def accuracies(crowd: Crowd, labels: Any) -> Array:
    """How often each worker says the label of a task, among tasks that have one: a series by task."""
    known = np.asarray(find(names_array(crowd.items.tolist()), names_array(list(labels.index))), np.int64)
    told = names_array([*labels.to_numpy().tolist()])
    code = np.append(np.asarray(find(told, crowd.classes), np.int64), -1)[known]  # -1: not told, or no class
    told_there = np.append(np.ones(len(labels), bool), False)[known]
    counted = told_there[crowd.item]
    right = (code[crowd.item] == crowd.label) & counted
    n = np.bincount(crowd.annotator, counted, crowd.n_annotators)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(crowd.annotator, right, crowd.n_annotators) / n)


class Classification(ABC):
    """What aggregators of classes share: `fit_predict` and `fit_predict_proba` by `fit`."""

    labels_: Any = None
    probas_: Any = None

    @abstractmethod
    def fit(self, data: Any, *more: Any, **named: Any) -> Any:
        """Fit to a frame of task, worker and label."""

    def fit_predict(self, data: Any, *more: Any, **named: Any) -> Any:
        """The label of each task."""
        return self.fit(data, *more, **named).labels_

    def fit_predict_proba(self, data: Any, *more: Any, **named: Any) -> Any:
        """The probability of each label, task by task."""
        return self.fit(data, *more, **named).probas_
