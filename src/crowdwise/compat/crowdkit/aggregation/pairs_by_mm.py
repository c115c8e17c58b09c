"""Bradley-Terry by minorisation and maximisation, over the pairs that met."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....votes.codes import encode, names_array


@dataclass
class BradleyTerry:
    """Scores that sum to 1: an item beats another with chance p_i / (p_i + p_j).

    crowd-kit 1.4.2 compares a step's scores with themselves, and so ends after the second step, whatever `tol`; here
    the steps go on until they move no more than `tol`.
    """

    n_iter: int
    tol: float = 1e-5
    scores_: Any = field(default=None, init=False)
    loss_history_: list[float] = field(default_factory=list, init=False)

    def fit(self, data: Any) -> BradleyTerry:
        """Fit to a frame of left, right and label, the one of the two that is better."""
        import pandas as pd

        columns = [data[name].to_numpy() for name in ("left", "right", "label")]
        if not columns[0].size:
            self.scores_ = pd.Series([], dtype=float)
            return self
        names, codes = encode(names_array(np.concatenate(columns).tolist()))
        left, right, label = np.split(np.asarray(codes, np.int64), 3)
        won = np.where(label == left, left, right)
        lost = np.where(label == left, right, left)
        told = (label == left) | (label == right)
        n = len(names)
        pairs, times = np.unique(np.stack([np.minimum(won, lost)[told], np.maximum(won, lost)[told]]), axis=1,
                                 return_counts=True)  # fmt: skip
        wins = np.bincount(won[told], minlength=n).astype(float)
        score = np.ones(n) / n
        self.loss_history_ = []
        for _ in range(self.n_iter):
            met = times / score[pairs].sum(axis=0)
            total = np.bincount(pairs[0], met, n) + np.bincount(pairs[1], met, n)
            new = np.where(total > 0.0, wins / np.where(total > 0.0, total, 1.0), 0.0)
            new /= max(new.sum(), 1e-300)
            new = np.maximum(new, 1e-300)
            self.loss_history_.append(float(np.abs(new - score).sum()))
            score = new
            if self.loss_history_[-1] < self.tol:
                break
        order = np.argsort(names.astype(str) if names.dtype.kind == "O" else names, kind="stable")
        self.scores_ = pd.Series(score[order], index=names[order], name="agg_score")
        return self

    def fit_predict(self, data: Any) -> Any:
        """The score of each item."""
        return self.fit(data).scores_
