"""How often workers say what is found."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..aggregation.answers_in import accuracies, by_worker, crowd_of
from ..aggregation.weighted_votes import MajorityVote


def accuracy_on_aggregates(answers: Any, aggregator: Any = None, aggregates: Any = None, by: str | None = None) -> Any:
    """The share of answers that are the aggregated label: of all, or `by` worker or task."""
    labels = (
        (MajorityVote() if aggregator is None else aggregator).fit_predict(answers)
        if aggregates is None
        else aggregates
    )
    crowd = crowd_of(answers)
    if by == "worker":
        return by_worker(crowd, accuracies(crowd, labels)).sort_index()
    known = answers[answers["task"].isin(labels.index)]
    right = (known["label"].to_numpy() == labels.reindex(known["task"]).to_numpy()).astype(float)
    if by is None:
        return float(np.mean(right))
    return known.assign(_right=right).groupby(by)["_right"].mean()
