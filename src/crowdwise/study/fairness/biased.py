"""Biased annotators: whose votes, given the class, differ by an attribute of the item."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine import bind
from ...errors import InputError, OptionError
from ...methods.classes.groups.attribute_dawid_skene import AttributeDawidSkene
from ...votes.attributes import Attribute, attribute_of_items
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.table import Table
from ..annotators.verdict import discoveries

ALL_ALIKE = 1e9  # votes of an annotator's own matrix in each group: nothing of a group's is left
ROUNDS = 8
STEPS = 40
PSEUDO = 0.05  # votes in each cell of a table
FEWEST = 2  # judges
FEW = 200  # votes, below which next to no bias would be seen


def biased_annotators(crowd: Any, by: Any, *, level: float = 0.05, engine: str = "auto") -> Table:
    r"""Who treats items of one class otherwise by an attribute of the item: one row per annotator, surest first.

    Each annotator is judged by the others: with :math:`q_i` the class as the others' votes have it, a likelihood ratio
    compares one table of their votes with a table for each group of items,

    .. math::
        2 \sum_i \log \frac{\sum_k q_i(k) \, A_{jz_i}[k, l_{ij}]}{\sum_k q_i(k) \, A_j[k, l_{ij}]}

    chi-squared with K (K - 1) (Z - 1) degrees of freedom. `level` is the share of the named that chance may name
    (Benjamini and Hochberg). Who is named bends the class by which the others are judged: so the named are left out,
    and all are judged again, until nobody changes. The classes have shares of their own in each group.

    Votes count once each, whatever their weight. by: a column of the items, {item: value}, or one value per item. A
    bias that all annotators share cannot be seen: it looks like a difference between the groups. Columns: annotator,
    votes, gap (how far their rows lie apart, mean total variation over classes), chance, verdict: "biased", "not seen"
    or, with fewer than 200 votes, "undecided".

    >>> from crowdwise import simulate
    >>> made = simulate.crowd(simulate.one_coin(9, 2, 0.8), n_items=2000, per_item=9, seed=0)
    >>> site = np.where(np.arange(2000) % 2, "x", "y")
    >>> flips = (made.crowd.annotator == 0) & (site[made.crowd.item] == "x")
    >>> crowd = made.crowd.derive(label=np.where(flips, 1, made.crowd.label))
    >>> biased_annotators(crowd, site).columns["verdict"].tolist().count("biased")
    1
    """
    crowd = Crowd.of(crowd)
    if not 0.0 < level < 1.0:
        raise OptionError(f"level={level}, the share of the named that chance may name, must lie between 0 and 1")
    groups = attribute_of_items(crowd, by)
    known = groups.code[crowd.item] >= 0
    crowd = crowd.take(known).counted().with_weight(None)
    named, seen = np.zeros(crowd.n_annotators, bool), set()
    for _ in range(ROUNDS):
        found = _judged(crowd, groups, ~named, engine)
        new = discoveries(found.chance, level)
        if (~new).sum() < FEWEST:
            named_ = f"{int(new.sum())} of {crowd.n_annotators} annotators"
            raise InputError(f"{named_} would be named: nobody is left to judge them by")
        if (new == named).all():
            break
        named = named | new if new.tobytes() in seen else new  # to and fro: whoever was named once is
        seen.add(new.tobytes())
    votes = np.bincount(crowd.annotator, minlength=crowd.n_annotators)
    verdict = np.where(named, "biased", np.where(votes < FEW, "undecided", "not seen"))
    order = np.lexsort((-found.gap, found.chance))
    columns = {"annotator": crowd.annotators, "votes": votes, "gap": found.gap, "chance": found.chance}
    return Table({**columns, "verdict": verdict}).take(order)


class Judged(NamedTuple):
    """Of each annotator: the chance of a table as odd as theirs without bias, and how far its rows lie apart."""

    chance: Array
    gap: Array


def _judged(crowd: Crowd, groups: Attribute, judges: Array, engine: str) -> Judged:
    """All annotators, judged by the votes of some."""
    from scipy.stats import chi2

    k, n_groups = crowd.n_classes, groups.names.size
    by = np.append(groups.names, "")[groups.code]  # items of which nobody said have no votes here
    column = {"group": by}
    asked = crowd.take(judges[crowd.annotator]).derive(item_extra=column)
    method = AttributeDawidSkene(by="group", pool=ALL_ALIKE, pooling="own", shares="own")
    ops = bind(asked, engine, method.load)
    solution = method.solve(ops, None, None, None)
    confusion, posterior = solution.params["confusion"], np.asarray(solution.found, float)
    who, label = crowd.annotator.astype(np.int64), crowd.label
    others = posterior[crowd.item]
    own = judges[who]
    others[own] /= np.maximum(confusion[who[own], :, label[own]], 1e-300)
    others /= others.sum(axis=1, keepdims=True)
    cell = who * n_groups + groups.code[crowd.item]
    one, alike = _likeliest(others, who, label, confusion)
    each, apart = _likeliest(others, cell, label, np.repeat(one, n_groups, axis=0))
    ratio = 2.0 * np.bincount(who, apart - alike, crowd.n_annotators)
    heard = np.bincount(cell, minlength=crowd.n_annotators * n_groups).reshape(-1, n_groups)
    freedom = k * (k - 1) * ((heard > 0).sum(axis=1) - 1)
    chance = np.where(freedom > 0, chi2.sf(np.maximum(ratio, 0.0), np.maximum(freedom, 1)), 1.0)
    rows = each.reshape(-1, n_groups, k, k)
    rows = np.where((heard > 0)[:, :, None, None], rows, one[:, None])
    gap = 0.5 * (rows.max(axis=1) - rows.min(axis=1)).sum(axis=2).mean(axis=1)
    return Judged(chance, gap)


def _likeliest(others: Array, cell: Array, label: Array, start: Array) -> tuple[Array, Array]:
    """The table of each cell under which its votes are likeliest, the classes being as the others have them, by EM; and
    the log chance of each vote."""
    n, k = start.shape[:2]
    table, place = start, cell * k + label
    for _ in range(STEPS):
        share = others * table[cell, :, label]
        share /= share.sum(axis=1, keepdims=True)
        counts = np.stack([np.bincount(place, column, n * k).reshape(n, k) for column in share.T], axis=1) + PSEUDO
        table = counts / counts.sum(axis=2, keepdims=True)
    return table, np.log((others * table[cell, :, label]).sum(axis=1))
