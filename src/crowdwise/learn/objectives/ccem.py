"""CCEM: the cross-entropy of votes seen through confusion matrices."""

from __future__ import annotations

from typing import ClassVar

from ..base.confusion_objective import ConfusionObjective


class CCEM(ConfusionObjective):
    r"""Coupled cross-entropy minimisation: network and confusion matrices learned together, nothing else.

    .. math:: \min_{f, A} \; \frac{1}{S} \sum_{(n, m)} -\log \sum_k f_k(x_n) A_m[k, l_{nm}]

    over the S observed votes, rows of :math:`A_m` on the simplex. Identified where every class has an expert and an
    item that is surely of it; otherwise take one of the regularised forms (`Trace`, `GeoF`, `GeoW`), of which it is the
    case lambda = 0. O(votes x classes) a batch.

    diagonal: what the matrices start with; a weak one does better than a strong one on sparse votes.
    class_prior: as for every objective.

    Reference: Ibrahim, Nguyen & Fu, ICLR 2023, section 3.
    """

    name: ClassVar[str] = "ccem"
