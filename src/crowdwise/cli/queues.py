"""What to look at first, and what to ask next, of answers that name no classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import OptionError, how_many
from . import speech
from .values_and_scores import LEVEL, of_items, read, settled

if TYPE_CHECKING:
    from ..votes.table import Table

FOR_CLASSES = {"accepted": "--accepted", "repeated": "--repeated"}


def review(given: Mapping[str, Any], found: str) -> None:
    """The queue: the least sure answers first."""
    from ..io import write_table

    for name, option in FOR_CLASSES.items():
        if given[name]:
            raise OptionError(f"{option} is for votes that name classes, and these are {found}")
    with settled(given, found) as (votes, result, _, _):
        table = of_items(result, LEVEL)
        rows = table.take(_least_sure(table)[: given["top"]])
    if given["out"]:
        write_table(rows, given["out"])
    if given["json"]:
        speech.as_json({**votes.summary(), "kind": found, "queue": speech.records(rows)})
    elif given["out"] != "-":
        speech.show(rows, f"Least sure: {len(rows)} of {len(table)}")


def _least_sure(table: Table) -> np.ndarray[Any, Any]:
    """Rows by confidence, lowest first, or by the width of their intervals, widest first."""
    if "confidence" in table.columns:
        return np.argsort(table["confidence"], kind="stable")
    return np.argsort(-np.asarray(table["sd"], float), kind="stable")


def next(given: Mapping[str, Any], found: str) -> None:
    """Pairs whose comparison tells most, or items whose values are known least."""
    from ..fit.result import Result
    from ..io import write_table
    from ..methods import DEFAULTS
    from ..study.numbers import next_pairs
    from ..study.settle import settle

    if found not in ("comparisons", "ratings"):
        raise OptionError(
            f"next is for classes, ratings and comparisons, and these are {found}: review lists the least sure"
        )
    for option in ("for_annotator", "costs", "families", "items", "max_votes"):
        if given[option]:
            spelt = "for" if option == "for_annotator" else option.replace("_", "-")
            raise OptionError(f"--{spelt} is for votes that name classes, and these are {found}")
    votes, _ = read(given, found)
    with speech.spoken_warnings(), speech.progress(DEFAULTS[found]):
        result: Result = settle(votes, DEFAULTS[found])
    if found == "comparisons":
        rows = next_pairs(result, given["n"])
    else:
        table = of_items(result, LEVEL)
        rows = table.take(_least_sure(table)[: given["n"]])
    if given["json"]:
        speech.as_json({"questions": speech.records(rows)})
        return
    write_table(rows, given["out"])
    if given["out"] != "-":
        speech.say(f"{how_many(len(rows), 'questions')}: {given['out']}")
