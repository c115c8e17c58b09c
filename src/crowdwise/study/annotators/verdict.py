"""Verdicts: whom to keep, whom to talk to, and of whom too little is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError, OptionError
from ...fit.dependence import find_groups
from ...fit.result import Result
from ...votes.codes import Array, find
from ...votes.crowd import Crowd
from ...votes.gold import gold_codes
from ...votes.table import Table
from .colluders import colluders
from .information import beside_others, informed
from .quality import quality

LEAST = 0.05  # of the bits that a class is worth: below that a vote is as good as none
LIKELY = 0.25  # chance of labels that tell so little, did they tell the least, above which nobody is a spammer
RANK = ("colluder", "adversary", "spammer", "undecided", "fine")


def verdicts(
    crowd: Crowd,
    result: Result,
    *,
    least: float = LEAST,
    level: float = 0.9,
    false_discoveries: float = 0.05,
    gold: Any = None,
    engine: str = "auto",
) -> Table:
    """One row per annotator, worst first: votes, accuracy with its interval, information, verdict, group, reason.

    "spammer": they would hardly be right so seldom if being right told `least` of what their items' classes are worth
    (their entropy, log2 K bits at most), where of those named so no more than a share `false_discoveries` is expected
    to be named wrongly (Benjamini and Hochberg); and their labels as a whole do not look like telling that much either.
    "adversary": they tell something, and are right less often than a guess; "colluder": and agree with others of that
    kind beyond what each one's own way of lying explains (`colluders`). "fine": they tell something, and the interval
    of their accuracy lies above a guess, their own and that of a die. "undecided": too little is known; nobody is a
    spammer for that. group: annotators who err together (`crowdwise.dependence`), -1 nobody.

    Behind `reason`: the bounds of the information; `value`, the bits by which all labels together would be less certain
    without them; and what `quality` tells, also on gold, where that is given.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(10, 3, 0.75) + simulate.spammers(3, 3)
    >>> made = simulate.crowd(people, n_items=1000, per_item=6, seed=0)
    >>> found = verdicts(made.crowd, DawidSkene().fit(made.crowd))
    >>> found["verdict"].tolist().count("spammer")
    3
    """
    for name, value in (("least", least), ("level", level), ("false_discoveries", false_discoveries)):
        if not 0.0 < value < 1.0:
            raise OptionError(f"{name}={value} must lie between 0 and 1")
    crowd, posterior = result.on(crowd)
    certain = None if gold is None else gold_codes(crowd, gold) >= 0
    group = result.params_on(crowd).get("group")
    if group is None:
        group = find_groups(crowd, posterior=posterior, engine=engine)
    together = group if (group >= 0).any() else None
    others = beside_others(result.weighted(crowd), posterior, group=together, certain=certain, engine=engine)
    known = informed(others)
    table = quality(crowd, result, level=level, gold=gold)
    order = np.asarray(find(table["annotator"], crowd.annotators))
    by_right, by_labels = known.chance_of(least * known.worth)
    little = (discoveries(by_right, false_discoveries) & (by_labels < LIKELY))[order]
    something = discoveries(known.nothing, false_discoveries)[order]
    hostile = something & (known.better[order] < 0.0) & (np.nan_to_num(table["high"], nan=1.0) < 1.0 / crowd.n_classes)
    hostile &= ~little | known.by_right[order]  # being wrong alone tells little where there are many ways to be wrong
    partners = _looked_up(table["annotator"], colluders(crowd, result), "partners")
    # A guess: of somebody who names classes as often as they do, and of a die.
    guess, die = known.guess[order], 1.0 / crowd.n_classes
    above = (np.nan_to_num(table["low"]) > guess) & ~((table["low"] <= die) & (die <= table["high"]))
    doubt = np.where(something, np.where(table["low"] > guess, die, guess), np.nan)  # the guess that is not excluded
    verdict = np.select(
        [hostile & (partners > 0), hostile, little, something & above],
        ["colluder", "adversary", "spammer", "fine"],
        default="undecided",
    ).astype(object)
    low, high = (known.bound((1.0 + end) / 2.0)[order] for end in (level, -level))
    rest = [n for n in table.columns if n not in ("annotator", "votes", "accuracy", "low", "high", "group")]
    columns = {
        "annotator": table["annotator"],
        "votes": table["votes"],
        "accuracy": table["accuracy"],
        "accuracy_low": table["low"],
        "accuracy_high": table["high"],
        "information": known.bits[order],
        "verdict": verdict,
        "group": group[order],
        "reason": _reasons(verdict, table, (known.bits[order], low, high), least * known.worth[order], partners, doubt),
        "information_low": low,
        "information_high": high,
        "value": others.value[order],
        **{name: table[name] for name in rest},
    }
    rank = np.argsort(np.asarray(find(verdict, np.array(RANK, object))), kind="stable")
    return Table(columns).take(rank)


def prune(crowd: Crowd, found: Table, unwanted: tuple[str, ...] = ("spammer", "adversary", "colluder")) -> Crowd:
    """The crowd without annotators of some verdicts; items left without votes stay, as names.

    >>> from crowdwise import DawidSkene, simulate
    >>> people = simulate.one_coin(10, 3, 0.75) + simulate.spammers(3, 3)
    >>> crowd = simulate.crowd(people, n_items=1000, per_item=6, seed=0).crowd
    >>> prune(crowd, verdicts(crowd, DawidSkene().fit(crowd))).n_annotators
    10
    """
    if "verdict" not in found.columns:
        raise InputError("prune needs the table of verdicts")
    strange = [name for name in unwanted if name not in RANK]
    if strange:
        raise InputError(f"unwanted: {strange[0]!r} is no verdict: choose among {', '.join(RANK)}")
    out = found["annotator"][np.isin(found["verdict"].astype(str), unwanted)]
    kept = crowd.annotators[find(crowd.annotators, out) < 0]
    return crowd.subset(annotators=kept).with_first("item", crowd.items)


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


def _looked_up(names: Array, table: Table, column: str) -> Array:
    """A column's value by annotator, 0 for those who are not in the table."""
    place = np.asarray(find(names, table["annotator"]))
    return np.where(place >= 0, np.append(table[column], 0)[place], 0)


def _reasons(
    verdict: Array, table: Table, told: tuple[Array, ...], least: Array, partners: Array, guess: Array
) -> Array:
    about, low, high, enough = (np.char.mod("%.3f", bits).astype(object) for bits in (*told, least))
    right = np.char.mod("%.0f", 100.0 * table["high"]).astype(object)
    with_whom = np.where(partners == 1, "1 other who is", partners.astype(str).astype(object) + " others who are")
    spam = "hardly right more often than a guess: about " + about + " bits per vote, less than " + enough
    hostile = "right at most " + right + " % of the time, less than a guess: could be turned around"
    beyond = " wrong beyond what each one's way explains"
    plot = "right at most " + right + " % of the time, and agrees with " + with_whom + beyond
    doubt = "tells " + low + " to " + high + " bits per vote: too few votes to tell from a spammer"
    ends = [np.char.mod("%.0f", 100.0 * share).astype(object) for share in (table["low"], table["high"], guess)]
    unclear = (
        "right " + ends[0] + " to " + ends[1] + " % of the time, a guess " + ends[2] + " %: not known to be better"
    )
    few = np.where(table["votes"] > 0, np.where(np.isnan(guess), doubt, unclear), "no votes")
    few = np.where((table["votes"] > 0) & (least < 1e-6), "all their items are of one class: nothing to tell", few)
    return np.select([verdict == name for name in RANK[:4]], [plot, hostile, spam, few], "")
