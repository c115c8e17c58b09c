"""Payments: an amount shared by scores that need no truth."""

from __future__ import annotations

import numpy as np

from ...errors import InputError, OptionError
from ...votes.table import Table


def payments(scores: Table, amount: float, *, floor: float = 0.0) -> Table:
    r"""An amount shared by what annotators told: one row per annotator, score, items and pay; all of it is paid.

    With scores :math:`s_j` (of `determinant_information` or `correlated_agreement`) for each of :math:`n_j` items,

    .. math:: p_j = f + (A - m f) \frac{n_j \max(s_j, 0)}{\sum_l n_l \max(s_l, 0)}

    so that payments sum to A whatever is said, and somebody who always says the same has the floor alone. A share of a
    fixed amount depends on what others earn: it keeps to a budget, at the price that honest work is best only as long
    as nobody's own share of the scores is large.

    amount: A. floor: f, what each of the m annotators has anyway.

    Reference: budget-balanced scaling of peer-prediction scores; crowdwise.

    >>> from crowdwise import simulate
    >>> from crowdwise.study.panels import determinant_information
    >>> people = simulate.one_coin(8, 2, 0.9) + simulate.one_class(2, 2)
    >>> made = simulate.crowd(people, n_items=400, per_item=5, seed=0)
    >>> paid = payments(determinant_information(made.crowd), 100.0, floor=2.0)
    >>> round(float(paid["pay"].sum()), 6), bool((paid["pay"][8:] < 2.5).all())
    (100.0, True)
    """
    n = len(scores)
    if not 0.0 < amount < np.inf or not 0.0 <= floor < np.inf:
        raise OptionError(f"amount={amount}, floor={floor}: an amount above 0, and a floor of at least 0")
    if n * floor > amount:
        raise OptionError(f"floor={floor}: {n} annotators have {n * floor:g} of it, and there are {amount:g}")
    earned = np.maximum(np.nan_to_num(np.asarray(scores["score"], float)), 0.0) * np.asarray(scores["items"], float)
    if not earned.sum() > 0.0:
        raise InputError("nobody's votes told anything beside the others': there is nothing to share by")
    pay = floor + (amount - n * floor) * earned / earned.sum()
    columns = {"annotator": scores["annotator"], "score": scores["score"], "items": scores["items"], "pay": pay}
    return Table(columns)
