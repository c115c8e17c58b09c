"""Groups: how many independent annotators a panel is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...fit.dependence import find_groups
from ...fit.result import Result
from ...votes.codes import Array
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.table import Table


def effective_number(crowd: Crowd, result: Result, *, group: Array | None = None, gold: Any = None) -> Table:
    r"""A row for all annotators, and one for each group of those who err together: how many they are worth.

    Errors that go together count once: n annotators whose errors have mean correlation :math:`\rho` are worth
    :math:`n / (1 + (n - 1) \rho)` independent ones (Kish's design effect). Columns: group (-1: all), annotators,
    votes_per_item, correlation, effective, effective_votes (of an item), members.

    Errors are judged by the result; those of a group that has persuaded it are no errors there, so that the number is
    at most what is stated, unless `gold` judges: then only gold items count. group: codes, -1 alone; without it those
    of the result, or of `crowdwise.dependence.find_groups`.

    >>> from crowdwise import simulate, MajorityVote
    >>> panel = simulate.correlated_group(9, 2, accuracy=0.7, follow=0.7)
    >>> made = simulate.crowd(panel, n_items=2000, graph="dense", seed=0)
    >>> found = effective_number(made.crowd, MajorityVote().fit(made.crowd), gold=dict(enumerate(made.truth)))
    >>> found["effective"].round(1).tolist()[0]
    1.8

    Reference: Kish, Survey Sampling, 1965, section 5.4.
    """
    crowd, posterior = result.on(crowd)
    crowd = crowd.once()
    if group is None:
        known_groups = result.params_on(crowd).get("group")
        group = find_groups(crowd, posterior=posterior) if known_groups is None else known_groups
    if gold is not None:
        known = gold_codes(crowd, gold)
        crowd = crowd.take(known[crowd.item] >= 0)
        posterior = np.eye(crowd.n_classes)[known]
    rows = [(-1, np.ones(crowd.n_annotators, bool))]
    rows += [(code, group == code) for code in range(int(group.max(initial=-1)) + 1)]
    found = [(code, *_worth(crowd, posterior, inside), crowd.annotators[inside]) for code, inside in rows]
    names = ("group", "annotators", "votes_per_item", "correlation", "effective", "effective_votes")
    columns = {name: np.array([row[place] for row in found]) for place, name in enumerate(names)}
    members = ["" if row[0] < 0 else "|".join(str(name) for name in row[-1].tolist()) for row in found]
    return Table({**columns, "members": np.array(members, object)})


def _worth(crowd: Crowd, posterior: Array, inside: Array) -> tuple[int, float, float, float, float]:
    """Annotators, votes an item, correlation, effective annotators, effective votes an item; of some annotators."""
    votes = inside[crowd.annotator]
    item, who = crowd.item[votes], crowd.annotator[votes]
    n, heard = crowd.n_annotators, np.bincount(who, minlength=crowd.n_annotators)
    if not heard.any():
        return 0, 0.0, np.nan, 0.0, 0.0
    wrong = 1.0 - posterior[item, crowd.label[votes]]
    wrong = wrong - (np.bincount(who, wrong, n) / np.maximum(heard, 1))[who]
    spread = np.sqrt(np.bincount(who, wrong**2, n) / np.maximum(heard, 1))[who]
    unit = np.divide(wrong, spread, out=np.zeros(wrong.size), where=spread > 1e-9)
    often = np.bincount(item, minlength=crowd.n_items).astype(float)
    together = np.bincount(item, unit, crowd.n_items) ** 2 - np.bincount(item, unit**2, crowd.n_items)
    met = (often * (often - 1.0)).sum()
    rho = float(np.clip(together.sum() / met, 0.0, 1.0)) if met else 0.0
    people, usual = int((heard > 0).sum()), float(often[often > 0.0].mean())
    return people, usual, rho, people / (1.0 + (people - 1) * rho), usual / (1.0 + (usual - 1.0) * rho)
