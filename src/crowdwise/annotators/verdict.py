"""Verdicts: whom to keep, whom to talk to, and of whom too little is known."""

from __future__ import annotations

import numpy as np

from ..codes import Array, find
from ..crowd import Crowd
from ..dependence import find_groups
from ..errors import InputError
from ..result import Result
from ..table import Table
from .information import informed
from .quality import quality

LEAST = 0.05  # of the bits that a class is worth: below that a vote is as good as none
RANK = ("spammer", "adversary", "undecided", "fine")


def verdicts(
    crowd: Crowd,
    result: Result,
    *,
    least: float = LEAST,
    level: float = 0.9,
    false_discoveries: float = 0.05,
    seed: int = 0,
    engine: str = "auto",
) -> Table:
    """A row an annotator, worst first: votes, accuracy with its interval, information with its bounds, verdict, reason.

    "spammer": his votes would hardly tell so little if they told `least` of what a class is worth (log2 K bits); of
    those named so no more than a share `false_discoveries` is expected to be named wrongly (Benjamini and Hochberg).
    "adversary": he tells something, and is right less often than a guess. "fine": he tells something. "undecided": too
    few votes to know; never a spammer for that. group: annotators who err together (`crowdwise.dependence`), -1 nobody.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(10, 3, 0.75) + simulate.spammers(3, 3)
    >>> made = simulate.crowd(people, n_items=1000, per_item=6, seed=0)
    >>> found = verdicts(made.crowd, DawidSkene().fit(made.crowd))
    >>> found["verdict"].tolist().count("spammer")
    3
    """
    for name, value in (("least", least), ("level", level), ("false_discoveries", false_discoveries)):
        if not 0.0 < value < 1.0:
            raise InputError(f"{name}={value} must lie between 0 and 1")
    crowd = crowd.with_names(annotators=result.annotators).with_classes(result.classes)
    posterior = result.posterior_of(crowd, np.full((1, crowd.n_classes), 1.0 / crowd.n_classes))
    known = informed(crowd, posterior, engine)
    worth = np.log2(max(crowd.n_classes, 2))
    says_little = discoveries(known.chance_of(least * worth), false_discoveries)
    says_something = discoveries(1.0 - known.chance_of(0.0), false_discoveries)
    table = quality(crowd, result, level=level, seed=seed)
    order = np.asarray(find(table["annotator"], crowd.annotators))
    below = np.nan_to_num(table["high"], nan=1.0) < 1.0 / crowd.n_classes
    little, something = says_little[order], says_something[order]
    verdict = np.select(
        [little, something & below, something], ["spammer", "adversary", "fine"], default="undecided"
    ).astype(object)
    low, high = (np.minimum(known.bound((1.0 + end) / 2.0), worth)[order] for end in (level, -level))
    columns = {
        "annotator": table["annotator"],
        "votes": table["votes"],
        "accuracy": table["accuracy"],
        "accuracy_low": table["low"],
        "accuracy_high": table["high"],
        "information": known.bits[order],
        "information_low": low,
        "information_high": high,
        "verdict": verdict,
        "group": find_groups(crowd, posterior=posterior, engine=engine)[order],
        "reason": _reasons(verdict, table, high, least * worth),
    }
    rank = np.argsort(np.asarray(find(verdict, np.array(RANK, object))), kind="stable")
    return Table({name: column[rank] for name, column in columns.items()})


def prune(crowd: Crowd, found: Table, unwanted: tuple[str, ...] = ("spammer", "adversary")) -> Crowd:
    """The crowd without annotators of some verdicts; items left without votes stay, as names.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(10, 3, 0.75) + simulate.spammers(3, 3)
    >>> crowd = simulate.crowd(people, n_items=1000, per_item=6, seed=0).crowd
    >>> prune(crowd, verdicts(crowd, DawidSkene().fit(crowd))).n_annotators
    10
    """
    out = found["annotator"][np.isin(found["verdict"].astype(str), unwanted)]
    kept = crowd.annotators[find(crowd.annotators, out) < 0]
    return crowd.subset(annotators=kept).with_names(items=crowd.items)


def discoveries(chance: Array, share: float) -> Array:
    """Which tests are rejected so that no more than a share of them is rejected wrongly (Benjamini & Hochberg 1995).

    >>> discoveries(np.array([0.001, 0.02, 0.04, 0.8]), 0.05).tolist()
    [True, True, False, False]
    """
    order = np.argsort(chance, kind="stable")
    below = np.flatnonzero(chance[order] <= share * np.arange(1, len(chance) + 1) / max(len(chance), 1))
    out = np.zeros(len(chance), bool)
    if below.size:
        out[order[: below[-1] + 1]] = True
    return out


def _reasons(verdict: Array, table: Table, high: Array, least: float) -> Array:
    told, right = np.char.mod("%.3f", high).astype(object), np.char.mod("%.0f", 100.0 * table["high"]).astype(object)
    spam = "tells at most " + told + f" bits a vote, less than {least:.3f}"
    hostile = "right at most " + right + " % of the time, less than a guess: could be turned around"
    few = np.where(table["votes"] > 0, "too few votes to tell from a spammer", "no votes")
    return np.select([verdict == "spammer", verdict == "adversary", verdict == "undecided"], [spam, hostile, few], "")
