"""Fair assignment: who should be asked about which group of items, by linear programming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, OptionError
from ...votes.codes import Array


class Assignment(NamedTuple):
    """shares: of each group's votes that each annotator gives, (annotators, groups), columns sum to 1; accuracy: of a
    vote; errors: of each kind and group."""

    shares: Array
    accuracy: float
    errors: Mapping[str, Array]


def assign(
    accuracy: Any,
    groups: Sequence[float],
    *,
    errors: Mapping[str, Any] | None = None,
    delta: float = 0.05,
    cap: float = 0.1,
    budget: Any = None,
) -> Assignment:
    r"""How the votes on groups of items are best shared among annotators, so that all groups fare alike.

    .. math::
        \max_x \sum_z w_z \sum_j x_{jz} a_{jz}, \qquad \sum_j x_{jz} = 1, \quad 0 \le x_{jz} \le cap, \quad
        \Bigl|\sum_j x_{jz} e_{jz} - \sum_j x_{jz'} e_{jz'}\Bigr| \le \delta

    accuracy: (annotators, groups), how often each is right in each group; groups: w, the groups' shares of items.
    errors: rates by name that may differ between groups by `delta` at most, such as {"fpr": ..., "fnr": ...}, each
    (annotators, groups); one error rate, 1 - accuracy, unless told. cap: the largest share of a group's votes that one
    annotator gives; budget: the largest share of all votes, one number or one for each annotator.

    Rates have to be known: from fifty gold items for each annotator and group nearly all of what is possible is
    reached, from twenty half of it.

    Reference: Goel & Faltings, AAAI 2019.

    >>> rates = np.array([[0.9, 0.9], [0.95, 0.5], [0.7, 0.7]])
    >>> found = assign(rates, [0.5, 0.5], delta=0.0, cap=1.0)
    >>> found.errors["error"].round(2).tolist(), round(found.accuracy, 2)
    ([0.1, 0.1], 0.9)
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    right = np.asarray(accuracy, float)
    share = np.asarray(groups, float)
    if right.ndim != 2 or right.shape[1] != share.size:
        raise InputError(f"accuracy is {right.shape}: one row per annotator and one column for each of {share.size}")
    wrong = {"error": 1.0 - right} if errors is None else {name: np.asarray(e, float) for name, e in errors.items()}
    for name, table in {"accuracy": right, **wrong}.items():
        if table.shape != right.shape or not ((table >= 0.0) & (table <= 1.0)).all():
            raise InputError(f"{name}: a share between 0 and 1 is needed for each annotator and group")
    if not (share > 0.0).all() or not 0.0 <= delta <= 1.0 or not 0.0 < cap <= 1.0:
        raise OptionError(f"groups={share.tolist()}, delta={delta} and cap={cap} must be shares, groups' above 0")
    share = share / share.sum()
    n, z = right.shape
    cells = np.arange(n * z).reshape(n, z)
    rows, bounds = [], []
    for table in wrong.values():
        for one in range(z):
            for other in range(z):
                if one != other:
                    values = np.concatenate([table[:, one], -table[:, other]])
                    at = np.concatenate([cells[:, one], cells[:, other]])
                    rows.append(csr_array((values, (np.zeros(2 * n, int), at)), shape=(1, n * z)))
                    bounds.append(np.array([delta]))
    if budget is not None:
        most = np.broadcast_to(np.asarray(budget, float), (n,))
        rows.append(csr_array((np.tile(share, n), (np.repeat(np.arange(n), z), cells.ravel())), shape=(n, n * z)))
        bounds.append(most)
    each = csr_array((np.ones(n * z), (np.tile(np.arange(z), n), cells.ravel())), shape=(z, n * z))
    found = linprog(
        -(right * share).ravel(),
        A_ub=vstack(rows) if rows else None,
        b_ub=np.concatenate(bounds) if bounds else None,
        A_eq=each,
        b_eq=np.ones(z),
        bounds=(0.0, cap),
    )
    if found.x is None:
        raise InputError(
            f"no assignment keeps to delta={delta}, cap={cap} and the budget: {n} annotators give at most "
            f"{min(1.0, cap * n):.0%} of a group's votes; loosen one of them"
        )
    x = found.x.reshape(n, z)
    return Assignment(x, float(-found.fun), {name: (x * table).sum(axis=0) for name, table in wrong.items()})
