"""Workers whose answers hardly vary, left out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .metrics.data import uncertainty


def entropy_threshold(answers: Any, workers_skills: Any = None, percentile: int = 10, min_answers: int = 2) -> Any:
    """The answers without those of workers whose labels have the lowest entropy: `percentile` of them.

    Workers with fewer than `min_answers` answers are not looked at, and stay.
    """
    often = answers.groupby("worker")["label"].count()
    looked = answers[answers["worker"].isin(often[often >= min_answers].index)]
    entropy = uncertainty(looked, workers_skills, compute_by="worker", aggregate=False)
    out = entropy[entropy <= np.percentile(entropy, percentile)].index
    kept = answers[~answers["worker"].isin(out)]
    if len(kept) <= len(answers) // 2:
        warnings.warn("half of the answers, or more, are left out: lower percentile or raise min_answers", stacklevel=2)
    return kept
