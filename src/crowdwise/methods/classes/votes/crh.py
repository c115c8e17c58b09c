"""CRH: weights that are the logarithm of an annotator's share of all errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ....votes.codes import Array
from .truth_discovery import TruthDiscovery


@dataclass(frozen=True, kw_only=True)
class CRH(TruthDiscovery):
    r"""Conflict resolution on heterogeneous data (also PM): votes weighted by the logarithm of error rates.

    Truths and weights in turn, for the loss of `TruthDiscovery` with the constraint :math:`\sum_j e^{-w_j} = 1`:

    .. math:: w_j = -\log \frac{e_j}{\sum_m e_m}, \qquad e_j = \frac{\sum_i 1[y_i \ne l_{ij}] + 1/2}{n_j + 1}

    or with the largest error rate below the line (1/2, if all are better), as the paper advises, which tells
    annotators further apart: the worst has no weight at all. O(votes + items x classes) a step. Use it as a robust
    vote where a model of errors has too few votes to learn from.

    below: "max" or "sum", what error rates are divided by. max_iter: steps at most. ties: as for `MajorityVote`.

    Reference: Li, Li, Gao, Zhao, Fan & Han, SIGMOD 2014, section 2.

    >>> from crowdwise import CRH, Crowd
    >>> votes = {i: {"ann": "cat", "bob": "cat", "cy": "dog"} for i in range(3)} | {9: {"ann": "cat", "cy": "dog"}}
    >>> CRH().fit(Crowd.from_mapping(votes)).labels.tolist()
    ['cat', 'cat', 'cat', 'cat']
    """

    name: ClassVar[str] = "crh"
    below: Literal["max", "sum"] = "max"

    def weigh(self, loss: Array, votes: Array) -> Array:
        rate = (loss + 0.5) / (votes + 1.0)
        heard = np.where(votes > 0.0, rate, 0.0)
        return -np.log(rate / (max(heard.max(), 0.5) if self.below == "max" else heard.sum()))
