"""CATDValues: weights by a confidence bound of each annotator's variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.options import BelowOne
from ...votes.codes import Array
from .weighted_values import WeightedValues


@dataclass(frozen=True, kw_only=True)
class CATDValues(WeightedValues):
    r"""Confidence-aware truth discovery: :math:`w_j = \chi^2_{\alpha / 2, n_j} / \sum_i (y_{ij} - t_i)^2`.

    An annotator of few ratings is not believed to be precise. O(ratings), a step.

    alpha: of the bound. max_iter: steps.

    Reference: Li et al., PVLDB 8, 2014, section 3.

    >>> from crowdwise import CATDValues, Ratings
    >>> ratings = Ratings.from_columns([0, 0, 0, 1, 1, 1], list("abcabc"), [1.0, 1.1, 5.0, 2.0, 2.1, -9.0])
    >>> CATDValues().fit(ratings).params["worth"].argmin()
    np.int64(2)
    """

    name: ClassVar[str] = "catd-values"
    alpha: BelowOne = 0.05

    def weights(self, loss: Array, n: Array) -> Array:
        from scipy.stats import chi2

        return np.asarray(chi2.ppf(self.alpha / 2.0, np.maximum(n, 1e-3))) / loss
