"""Several labels of a task, each asked about by itself."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any

from .answers_in import Classification
from .weighted_votes import MajorityVote


@dataclass
class BinaryRelevance(Classification):
    """A task has those labels that an aggregator finds it to have, asked one by one. Labels come as lists."""

    base_aggregator: Any = field(default_factory=MajorityVote)
    aggregators_: dict[Any, Any] = field(default_factory=dict, init=False)
    labels_: Any = field(default=None, init=False)

    def fit(self, data: Any) -> BinaryRelevance:
        """Fit to votes whose labels are lists."""
        import pandas as pd

        rows = [set(one) for one in data["label"]]
        found: dict[Any, list[Any]] = {task: [] for task in dict.fromkeys(data["task"])}
        self.aggregators_ = {}
        for label in sorted(set().union(*rows)) if rows else []:
            own = data[["task", "worker"]].assign(label=[int(label in row) for row in rows])
            aggregator = self.aggregators_[label] = copy(self.base_aggregator)
            for task, said in aggregator.fit_predict(own).items():
                if said:
                    found[task].append(label)
        self.labels_ = pd.Series(list(found.values()), index=pd.Index(list(found), name="task"), name="agg_label")
        return self
