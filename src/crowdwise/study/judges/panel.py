"""What a panel of judges is worth, and which of them fail together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...fit.result import Result
from ...methods import make
from ...votes.attributes import attribute_of_annotators
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.table import Table
from ..annotators.groups import effective_number


def worth(crowd: Crowd, *, human: Any = None, family: Any = None, result: Result | None = None) -> Table:
    """How many independent judges a panel, and each family in it, is worth: `effective_number`, by human labels.

    human: known labels of some items; without them errors are judged by a majority vote, which flatters the panel.
    family: a column of the judges, {judge: family}, or one for each.

    >>> from crowdwise import simulate
    >>> made = simulate.crowd(simulate.correlated_group(9, 2, 0.7, follow=0.7), n_items=2000, graph="dense", seed=0)
    >>> worth(made.crowd, human=dict(enumerate(made.truth.tolist())))["effective"].round(1).tolist()
    [1.8]
    """
    crowd = Crowd.of(crowd)
    result = result or make("majority-vote").fit(crowd)
    group = np.full(crowd.n_annotators, -1)
    names: list[str] = []
    if family is not None:
        found = attribute_of_annotators(crowd, family)
        group, names = found.code, [str(name) for name in found.names.tolist()]
    table = effective_number(crowd, result, group=group, gold=human)
    called = np.array(["all", *names], object)
    columns = {name: column for name, column in table.columns.items() if name not in ("group", "members")}
    return Table({"family": called, **columns})


def families(crowd: Crowd, human: Any, family: Any) -> Table:
    """How judges do on the human labels, one row per family: judges, accuracy with its standard error, correlation of
    errors within the family and with the others. What fails together counts once.

    >>> from crowdwise import simulate
    >>> people = simulate.correlated_group(4, 2, 0.7, follow=0.8) + simulate.one_coin(4, 2, 0.7)
    >>> made = simulate.crowd(people, n_items=1000, graph="dense", seed=0)
    >>> table = families(made.crowd, dict(enumerate(made.truth.tolist())), ["a"] * 4 + ["b"] * 4)
    >>> bool(table["within"][0] > 0.4 > 0.1 > table["within"][1])
    True
    """
    found = attribute_of_annotators(crowd, family)
    known, crowd = gold_codes(crowd, human), crowd.once()
    crowd = crowd.take(known[crowd.item] >= 0)
    right = (known[crowd.item] == crowd.label).astype(float)
    n = np.maximum(np.bincount(crowd.annotator, minlength=crowd.n_annotators), 1)
    accuracy = np.bincount(crowd.annotator, right, crowd.n_annotators) / n
    off = right - accuracy[crowd.annotator]
    off /= np.sqrt(np.maximum(accuracy * (1.0 - accuracy), 1e-12))[crowd.annotator]
    code = found.code[crowd.annotator]
    rows = []
    for g, name in enumerate(found.names.tolist()):
        own, others = code == g, code != g
        items = max(np.unique(crowd.item[own]).size, 1)
        mean = float(right[own].mean()) if own.any() else np.nan
        error = (mean * (1.0 - mean) / items) ** 0.5
        within, across = _together(crowd, off, own), _between(crowd, off, own, others)
        rows.append((str(name), int((found.code == g).sum()), mean, error, within, across))
    names = ("family", "judges", "accuracy", "error", "within", "with others")
    return Table({name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def _together(crowd: Crowd, off: Array, some: Array) -> float:
    """Mean correlation of errors of each two judges of some, over the items that they share."""
    n = np.bincount(crowd.item[some], minlength=crowd.n_items).astype(float)
    total = np.bincount(crowd.item[some], off[some], crowd.n_items)
    squares = np.bincount(crowd.item[some], off[some] ** 2, crowd.n_items)
    pairs = (n * (n - 1.0)).sum()
    return float((total**2 - squares).sum() / pairs) if pairs else float("nan")


def _between(crowd: Crowd, off: Array, some: Array, others: Array) -> float:
    sums = [np.bincount(crowd.item[one], off[one], crowd.n_items) for one in (some, others)]
    counts = [np.bincount(crowd.item[one], minlength=crowd.n_items).astype(float) for one in (some, others)]
    pairs = float((counts[0] * counts[1]).sum())
    return float((sums[0] * sums[1]).sum() / pairs) if pairs else float("nan")
