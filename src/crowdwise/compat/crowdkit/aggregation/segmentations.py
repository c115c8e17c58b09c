"""Masks of pixels, by vote."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class SegmentationMajorityVote:
    """Pixels that half of the workers, by their skills, or more have painted."""

    default_skill: float | None = None
    on_missing_skill: str = "error"
    segmentations_: Any = field(default=None, init=False)
    skills_: Any = field(default=None, init=False)

    def fit(self, data: Any, skills: Any = None) -> SegmentationMajorityVote:
        """Fit to a frame of task, worker and segmentation, an array of pixels."""
        import pandas as pd

        own = np.ones(len(data)) if skills is None else skills.reindex(data["worker"]).to_numpy(float)
        missing = np.isnan(own)
        if missing.any() and self.on_missing_skill == "error":
            raise ValueError(f"{int(missing.sum())} segmentations are of workers without a skill: see on_missing_skill")
        if self.on_missing_skill == "value":
            if self.default_skill is None:
                raise ValueError('on_missing_skill="value" needs default_skill')
            own = np.where(missing, self.default_skill, own)
        found: dict[Any, Any] = {}
        for task, rows in data.assign(_skill=own).groupby("task"):
            told = rows[rows["_skill"].notna()]
            weight = told["_skill"].to_numpy()
            painted = np.stack([np.asarray(one, float) for one in told["segmentation"]])
            found[task] = 2.0 * np.tensordot(weight, painted, axes=1) - weight.sum() >= 0.0
        self.segmentations_ = pd.Series(
            list(found.values()), index=pd.Index(list(found), name="task"), name="agg_segmentation"
        )
        return self

    def fit_predict(self, data: Any, skills: Any = None) -> Any:
        """The mask of each task."""
        return self.fit(data, skills).segmentations_
