"""LFCN: a variance for each annotator, items' values by inverse variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...fit.options import NonNegative
from ...votes.codes import Array
from .weighted_values import WeightedValues


@dataclass(frozen=True, kw_only=True)
class LFCN(WeightedValues):
    r"""A rating is the item's value and noise of the annotator's variance; both by maximum likelihood, in turn.

    .. math:: t_i = \frac{\sum_j y_{ij} / v_j}{\sum_j 1 / v_j}, \qquad v_j = \frac{\sum_i (y_{ij} - t_i)^2}{n_j}

    Its likelihood has no bound: the values may become those of one annotator. So variances have a floor, and
    `pseudo` ratings of the crowd's variance beside them. O(ratings), a step.

    pseudo: how many. max_iter: steps.

    Reference: Raykar et al., JMLR 11, 2010, section 5 (LFC_N in Zheng et al., PVLDB 2017).

    >>> from crowdwise import LFCN, Ratings
    >>> ratings = Ratings.from_columns([0, 0, 0, 1, 1, 1], list("abcabc"), [1.0, 1.1, 5.0, 2.0, 2.1, -9.0])
    >>> LFCN().fit(ratings).params["worth"].argmin()
    np.int64(2)
    """

    name: ClassVar[str] = "lfc-n"
    pseudo: NonNegative = 1.0

    def weights(self, loss: Array, n: Array) -> Array:
        usual = float(loss.sum()) / max(float(n.sum()), 1e-300)
        return (n + self.pseudo) / (loss + self.pseudo * usual)
