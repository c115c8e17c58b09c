"""The first sentences of a report, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..study.annotators.verdict import discoveries
from ..votes.codes import Array
from .texts import fill, texts

FLAGGED = ("colluder", "adversary", "spammer")
COINCIDE = 0.9  # of the votes: worth less, errors coincide
MOST_NAMES = 6  # of a list in a sentence
APART = 0.1  # between the share of settled items and of right labels, which then wants a word
DRIFT = 0.05  # share of the changes told that may be told by chance


def sentences(content: Mapping[str, Any], name: Callable[[Any], str]) -> list[str]:
    """What the numbers of `content` say; `name` writes an annotator's name."""
    return [*_belief(content), *_items(content), *_people(content, name), *_trust(content)]


def percent(share: float) -> str:
    """A share as people read it; only all is 100 %, only nothing 0 %.

    >>> percent(0.9996), percent(0.95), percent(0.5), percent(1.0), percent(0.0001)
    ('99.9 %', '95 %', '50 %', '100 %', '0.1 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    digits = 0 if 0.1 <= share <= 0.9 else 1
    return f"{min(max(100.0 * share, 0.1), 99.9):.{digits}f} %".replace(".0 ", " ")


def _belief(content: Mapping[str, Any]) -> Iterator[str]:
    """Whom the labels believe, where explanations stood against each other: all that follows rests on it."""
    if said := content["summary"]["belief"]:
        yield f"{said[0].upper()}{said[1:]}."


def _items(content: Mapping[str, Any]) -> Iterator[str]:
    words, numbers = texts()["summary"], content["summary"]
    asked = numbers["items"] - numbers["gold"]
    if not asked:
        yield words["all_gold"]
        return
    share = percent(numbers["settled"] / max(asked, 1))
    yield fill(words["settled"], count=asked, settled=numbers["settled"], share=share, sure=percent(content["sure"]))
    if numbers["gold"]:
        yield fill(words["gold"], count=numbers["gold"])
    yield fill(words["unsettled"], count=numbers["unsettled"]) if numbers["unsettled"] else words["all_settled"]


def _people(content: Mapping[str, Any], name: Callable[[Any], str]) -> Iterator[str]:
    from scipy.special import ndtr

    words, numbers, table = texts()["summary"], content["summary"], content["annotators"]["table"]
    verdict = table["verdict"].astype(str)

    def told(key: str, who: Array) -> str:
        return fill(words[key], count=int(who.sum()), names=_listed(table["annotator"][who], name))

    yield from (told(one, verdict == one) for one in FLAGGED if numbers["verdicts"].get(one))
    if not numbers["flagged"]:
        yield words["nobody"]
    if undecided := numbers["verdicts"].get("undecided"):
        yield fill(words["undecided"], count=undecided)
    if "drift_z" in table.columns:
        z = np.nan_to_num(table["drift_z"])
        changed = discoveries(2.0 * ndtr(-np.abs(z)), DRIFT)
        ways = (("worse", changed & (z < 0.0)), ("better", changed & (z > 0.0)))
        yield from (told(key, who) for key, who in ways if who.any())
    if "kind" in table.columns and {"human", "machine"} <= set(table["kind"].tolist()):
        machine, votes = table["kind"] == "machine", table["votes"].astype(float)
        theirs, ours = (_mean(table["accuracy"], np.where(who, votes, 0.0)) for who in (machine, ~machine))
        yield fill(words["machines"], count=int(machine.sum()), machine=percent(theirs), human=percent(ours))


def _mean(values: Array, weight: Array) -> float:
    heard = weight > 0.0
    return float(np.average(values[heard], weights=weight[heard])) if heard.any() else 0.0


def _trust(content: Mapping[str, Any]) -> Iterator[str]:
    words, numbers, measured = texts()["summary"], content["summary"], content["labels"]["calibration"]
    worth = {"votes": f"{numbers['votes_per_item']:.1f}", "effective": f"{numbers['effective_votes']:.1f}"}
    if numbers["groups"]:
        yield fill(words["groups"], count=numbers["groups"], **worth)
    elif not numbers["verdicts"].get("colluder"):
        coincide = numbers["effective_votes"] < COINCIDE * numbers["votes_per_item"]
        yield fill(words["coincide"], **worth) if coincide else words["independent"]
    if measured is None:
        yield fill(words["not_measured"], expected=percent(numbers["expected_right"]))
    else:
        shares = {name: percent(measured[name]) for name in ("accuracy", "low", "high", "expected")}
        yield fill(words[f"measured_{measured['source']}"], count=measured["items"], **shares)
        if measured["settled_accuracy"] is not None:
            yield fill(
                words["measured_settled"], sure=percent(content["sure"]), accuracy=percent(measured["settled_accuracy"])
            )
        if measured["too_sure"]:
            yield words["overconfident"]
    asked = max(numbers["items"] - numbers["gold"], 1)
    right = numbers["expected_right"] if measured is None else measured["accuracy"]
    if numbers["settled"] / asked < right - APART:
        yield fill(words["two_figures"], sure=percent(content["sure"]))
    yield words["understood"][numbers["understood"]]


def _listed(names: Array, name: Callable[[Any], str]) -> str:
    shown = [name(each) for each in names[:MOST_NAMES].tolist()]
    if names.size <= MOST_NAMES:
        return ", ".join(shown)
    return fill(texts()["and_more"], names=", ".join(shown), count=names.size - MOST_NAMES)
