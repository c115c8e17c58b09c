"""CATD: weights that trust an annotator with few votes less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....fit.options import BelowOne
from ....votes.codes import Array
from .truth_discovery import TruthDiscovery


@dataclass(frozen=True, kw_only=True)
class CATD(TruthDiscovery):
    r"""Confidence-aware truth discovery: votes weighted by an upper confidence bound of each annotator's error.

    Truths and weights in turn; the weight is the inverse of the upper end of the confidence interval of an annotator's
    error variance, so that three lucky votes do not make an expert:

    .. math:: w_j = \frac{\chi^2_{\alpha / 2, n_j}}{\sum_i 1[y_i \ne l_{ij}] + 1/2}

    O(votes + items x classes) a step. Use it where many annotators gave few votes and few gave many.

    alpha: one minus the level of the interval. max_iter: steps at most. ties: as for `MajorityVote`.

    Reference: Li, Li, Gao, Su, Zhao, Demirbas, Fan & Han, PVLDB 8(4), 2014, section 3.

    >>> from crowdwise import CATD, Crowd
    >>> votes = {i: {"ann": "cat", "bob": "cat", "cy": "dog"} for i in range(3)} | {9: {"ann": "cat", "cy": "dog"}}
    >>> CATD().fit(Crowd.from_mapping(votes)).labels.tolist()
    ['cat', 'cat', 'cat', 'cat']
    """

    name: ClassVar[str] = "catd"
    alpha: BelowOne = 0.05

    def weigh(self, loss: Array, votes: Array) -> Array:
        from scipy.stats import chi2

        return chi2.ppf(self.alpha / 2.0, votes.clip(1e-9)) / (loss + 0.5)
