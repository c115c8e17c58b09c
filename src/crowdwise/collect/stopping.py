"""When to stop: what audited items promise, and nothing without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, OptionError
from ..fit.result import Result
from ..votes.codes import find, names_array, shown

LOOKS = 10


class Promise(NamedTuple):
    """Whether to stop; how often labels are wrong at most, with chance 1 - delta; and how that is known.

    bound: of the share of wrong labels (1 without audits). audited, wrong: items, and labels of them. claimed: what the
    model itself says, which is no promise. needed: audits without an error that would do. why: in a sentence.
    """

    stop: bool
    bound: float
    audited: int
    wrong: int
    claimed: float
    needed: int
    why: str


def promise(
    result: Result, error: float = 0.05, audit: Mapping[Any, Any] | None = None, delta: float = 0.1, looks: int = LOOKS
) -> Promise:
    r"""Whether at most a share `error` of the labels is wrong, by items that were audited.

    Audited items are drawn at random from all, answered by somebody who is trusted, and told to nobody else: not to the
    fit either. With k of n labels wrong, the share is below :math:`U = B^{-1}(1 - \delta'; k + 1, n - k)` with chance
    :math:`1 - \delta'`, exactly, whatever the model. One looks at growing numbers of votes, `looks` times at most, and
    :math:`\delta' = \delta / looks`.

    A model's own figure is no promise: on real crowds that claimed 5 % it was 6 to 46.

    >>> from crowdwise import Live, simulate
    >>> made = simulate.crowd(simulate.one_coin(20, 2, accuracy=0.9), n_items=400, per_item=5, seed=0)
    >>> result = Live().fit(made.crowd)
    >>> promise(result).why.partition(":")[0]
    'no promise'
    >>> promise(result, 0.1, {item: int(made.truth[item]) for item in range(150)}).stop
    True
    """
    claimed = float(1.0 - result.confidence.mean())
    if not audit:
        return promised_by(0, 0, claimed, error, delta, looks)
    names = names_array(list(audit))
    place = find(names, result.items)
    if (place < 0).any():
        raise InputError(f"audited item {shown(names[int((place < 0).argmax())])} is none of the items")
    code = find(names_array(list(audit.values())), result.classes)
    wrong = int((code != result.label_codes[place]).sum())
    return promised_by(len(audit), wrong, claimed, error, delta, looks)


def promised_by(
    audited: int, wrong: int, claimed: float, error: float = 0.05, delta: float = 0.1, looks: int = LOOKS
) -> Promise:
    """The same for answers of any kind, of which so many were audited, and so many of them were wrong.

    >>> promised_by(150, 2, 0.04).stop
    False
    """
    if not 0.0 < error < 1.0 or not 0.0 < delta < 1.0 or looks < 1:
        raise OptionError(
            f"error={error}, delta={delta}, looks={looks}: shares lie between 0 and 1, and looks are at least 1"
        )
    needed = audits_needed(error, delta, looks)
    if not audited:
        why = (
            f"no promise: {needed} audited items, drawn at random and all right, would be needed for one of {error:.0%}"
        )
        return Promise(
            False, 1.0, 0, 0, claimed, needed, f"{why} (the model claims {claimed:.1%} wrong, which is none)"
        )
    bound = error_bound(audited, wrong, delta, looks)
    stop = bound <= error
    told = f"{wrong} of {audited} audited labels are wrong: at most {bound:.1%} of all are, with chance {1 - delta:.0%}"
    why = told if stop else f"{told}, and {error:.1%} is asked"
    return Promise(stop, bound, audited, wrong, claimed, needed, why)


def error_bound(audited: int, wrong: int, delta: float = 0.1, looks: int = 1) -> float:
    """The share of wrong labels that is not exceeded with chance 1 - delta / looks (Clopper and Pearson).

    >>> round(error_bound(45, 0, delta=0.1), 3)
    0.05
    """
    from scipy.stats import beta

    return 1.0 if wrong >= audited else float(beta.ppf(1.0 - delta / looks, wrong + 1, audited - wrong))


def audits_needed(error: float, delta: float = 0.1, looks: int = 1) -> int:
    """How many audited items without an error promise that a share is not exceeded.

    >>> audits_needed(0.05), audits_needed(0.05, looks=10)
    (45, 90)
    """
    return int(np.ceil(np.log(delta / looks) / np.log1p(-error) - 1e-9))
