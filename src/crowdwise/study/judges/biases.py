"""What moves judges who compare two outputs, beside the outputs' worth: place, length, and who wrote them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...votes.attributes import Attribute, attribute_of_annotators
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.table import Table

WIDTH = 1.645  # standard errors of an interval of 90 %


def position_bias(crowd: Crowd, order: Any = "order", *, by: Any = None) -> Table:
    """How often judges choose what they are shown first: one row per judge, or per family.

    Votes name one of two outputs. order: a column of the annotators (see `by_order`) whose first value, in the order of
    the alphabet, shows the first class first; the other shows the second class first. by: what judges are put together
    by, such as "judge" or "family". Columns: judge, votes, first (share), low, high, flips: of the items that were
    judged in both orders, how many got another answer.

    >>> from crowdwise.study.judges import by_order
    >>> said = Crowd.from_columns(["i"] * 2, ["gpt"] * 2, ["1", "2"], extra={"order": ["ab", "ba"]})
    >>> position_bias(by_order(said)).records()[0]["first"], position_bias(by_order(said)).records()[0]["flips"]
    (1.0, 1.0)
    """
    _require_two(crowd)
    way = attribute_of_annotators(crowd, order)
    if way.names.size != 2:
        raise InputError(f"{way.called}: two orders are needed, and there are {', '.join(map(str, way.names))}")
    judge = _judges(crowd, by if by is not None else "judge" if "judge" in crowd.annotator_extra else None)
    code = way.code[crowd.annotator]
    first = (crowd.label == code).astype(float)
    known = (code >= 0) & (judge.code[crowd.annotator] >= 0)
    table = _shares(judge, crowd, first, known, "first")
    return Table({**table.columns, "flips": _flips(crowd.take(known), judge, code[known])})


def length_bias(crowd: Crowd, lengths: tuple[str, str], *, by: Any = None, human: Any = None) -> Table:
    """How often judges choose the longer of two outputs: one row per judge or family, and one for human labels.

    lengths: two columns of the items, of the first and of the second class. Items whose lengths are the same, or not
    known, are left out.
    """
    _require_two(crowd)
    one, other = (_numbers(crowd, name) for name in lengths)
    told = np.isfinite(one) & np.isfinite(other) & (one != other)
    longer = np.where(told, (other > one).astype(int), -1)
    judge = _judges(crowd, by)
    here = longer[crowd.item]
    some = (here >= 0) & (judge.code[crowd.annotator] >= 0)
    table = _shares(judge, crowd, (crowd.label == here).astype(float), some, "longer")
    if human is None:
        return table
    known = gold_codes(crowd, human)
    asked = (known >= 0) & (longer >= 0)
    share, n = float((known == longer)[asked].mean()), int(asked.sum())
    half = WIDTH * (share * (1.0 - share) / max(n, 1)) ** 0.5
    row = {"judge": "human labels", "votes": n, "longer": share, "low": max(share - half, 0.0), "high": share + half}
    return Table({name: np.append(column, row[name]) for name, column in table.columns.items()})


def self_preference(crowd: Crowd, writers: tuple[str, str], family: Any) -> Table:
    """How much more often judges choose the output of their own family than judges of other families do on the same
    items: one row per family. writers: two columns of the items, who wrote the first output and who the second."""
    _require_two(crowd)
    judge = attribute_of_annotators(crowd, family)
    wrote = [np.asarray(crowd.item_extra[_there(crowd, name)]).astype(str) for name in writers]
    rows = []
    for g, name in enumerate(judge.names.tolist()):
        own = np.where(wrote[0] == name, 0, np.where(wrote[1] == name, 1, -1))
        own[(wrote[0] == name) & (wrote[1] == name)] = -1
        here = own[crowd.item] >= 0
        chose = (crowd.label == own[crowd.item]).astype(float)
        mine, theirs = here & (judge.code[crowd.annotator] == g), here & (judge.code[crowd.annotator] != g)
        if not mine.any() or not theirs.any():
            continue
        gap, error = _paired(crowd.item, chose, mine, theirs, crowd.n_items)
        rows.append(
            (str(name), int(mine.sum()), float(chose[mine].mean()), gap, gap - WIDTH * error, gap + WIDTH * error)
        )
    if not rows:
        raise InputError("no judge has judged an output of its own family: do the writers' names and families agree?")
    names = ("family", "votes", "own", "more than others", "low", "high")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _paired(item: Array, value: Array, one: Array, other: Array, n_items: int) -> tuple[float, float]:
    """The mean difference of two sorts of votes, by item, and its standard error."""
    means = [
        np.bincount(item[some], value[some], n_items) / np.maximum(np.bincount(item[some], minlength=n_items), 1)
        for some in (one, other)
    ]
    both = np.isin(np.arange(n_items), item[one]) & np.isin(np.arange(n_items), item[other])
    gap = (means[0] - means[1])[both]
    return float(gap.mean()), float(gap.std(ddof=1) / gap.size**0.5) if gap.size > 1 else float("nan")


def _require_two(crowd: Crowd) -> None:
    if crowd.n_classes != 2:
        raise InputError(f"two outputs are compared, so that there are two classes; here are {crowd.n_classes}")


def _judges(crowd: Crowd, by: Any) -> Attribute:
    if by is None:
        return Attribute("judge", crowd.annotators.astype(str), np.arange(crowd.n_annotators))
    if isinstance(by, str) and by in crowd.annotator_extra:
        values = np.asarray(crowd.annotator_extra[by]).astype(str)
        names, code = np.unique(values, return_inverse=True)
        return Attribute(by, names, code)
    return attribute_of_annotators(crowd, by)


def _shares(judge: Attribute, crowd: Crowd, hit: Array, some: Array, called: str) -> Table:
    """One row per judge: votes, share of hits, and its interval by items."""
    code = judge.code[crowd.annotator[some]]
    n = np.bincount(code, minlength=judge.names.size)
    share = np.bincount(code, hit[some], judge.names.size) / np.maximum(n, 1)
    cell = code.astype(np.int64) * crowd.n_items + crowd.item[some]
    items = np.bincount(np.unique(cell) // crowd.n_items, minlength=judge.names.size)  # an item counts once
    half = WIDTH * np.sqrt(np.maximum(share * (1.0 - share), 0.25 / np.maximum(items, 1)) / np.maximum(items, 1))
    low, high = np.maximum(share - half, 0.0), np.minimum(share + half, 1.0)
    return Table({"judge": judge.names, "votes": n, called: np.where(n > 0, share, np.nan), "low": low, "high": high})


def _flips(crowd: Crowd, judge: Attribute, order: Array) -> Array:
    """Of the items that a judge saw in both orders, the share on which its answers differ; by majority in an order."""
    n, cell = judge.names.size, judge.code[crowd.annotator].astype(np.int64) * crowd.n_items + crowd.item
    second = (crowd.label == 1).astype(float)
    chosen = []
    for way in (0, 1):
        some = order == way
        total = np.bincount(cell[some], minlength=n * crowd.n_items)
        share = np.bincount(cell[some], second[some], n * crowd.n_items) / np.maximum(total, 1)
        chosen.append(np.where(total > 0, np.sign(share - 0.5), np.nan))
    both = np.isfinite(chosen[0]) & np.isfinite(chosen[1])
    other = (chosen[0] != chosen[1]) & both
    at = np.repeat(np.arange(n), crowd.n_items)
    asked = np.bincount(at, both, n)
    return np.where(asked > 0, np.bincount(at, other, n) / np.maximum(asked, 1), np.nan)


def _there(crowd: Crowd, name: str) -> str:
    if name not in crowd.item_extra:
        raise InputError(f"the items have no column {name!r}; they have {', '.join(crowd.item_extra) or 'none'}")
    return name


def _numbers(crowd: Crowd, name: str) -> Array:
    try:
        cells = np.asarray(crowd.item_extra[_there(crowd, name)], object)
        return np.array([np.nan if cell is None or cell == "" else cell for cell in cells.tolist()], object).astype(
            float
        )
    except ValueError as error:
        raise InputError(f"column {name!r} of the items holds what is no number: {error}") from error
