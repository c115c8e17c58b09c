"""What `aggregate` does with ratings and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import OptionError, how_many
from . import inputs, speech

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..votes.table import Table
    from ..votes.votes import Votes

CLASSES_ONLY = {
    "min_confidence": 0.0, "calibrate": False, "start": None, "result": None, "no_vote": None, "normalise": False,
    "trusted": None, "annotators": None, "question": None, "input_format": None, "probability": None,
}  # fmt: skip
LEVEL = 0.9


def kind(given: Mapping[str, Any]) -> str:
    """The kind of votes that a command was given, or told to take."""
    from ..io.numbers_and_pairs import KINDS, kind_of

    if given["kind"] not in ("auto", *KINDS):
        raise OptionError(f"--kind {given['kind']}: choose auto, {', '.join(KINDS)}")
    if given["kind"] != "auto":
        return str(given["kind"])
    if given["result"] or given["input_format"] or given["annotators"] or not given["votes"]:
        return "classes"
    found, why = kind_of(inputs.sources(given)[0], {"label": given["label"]})
    if why:
        speech.say(why)
    return found


def aggregate(given: Mapping[str, Any], found: str) -> None:
    """Values or scores: one row per item, with a standard deviation and an interval."""
    from ..fit.method import Method
    from ..io import numbers_and_pairs as read
    from ..io import write_table
    from ..methods import DEFAULTS, METHODS, make
    from ..study.settle import settle

    for option, default in CLASSES_ONLY.items():
        if given.get(option) != default and given.get(option):
            raise OptionError(f"--{option.replace('_', '-')} is for votes that name classes, and these are {found}")
    if given["to"] != "table":
        raise OptionError(f"--to {given['to']} is for votes that name classes, and these are {found}")
    name = DEFAULTS[found] if given["method"] == "auto" else given["method"]
    if METHODS[name].takes != found:
        takes = METHODS[name].takes
        raise OptionError(f"--method {name} takes {takes}, and these votes are {found}: crowdwise methods lists others")
    chosen = inputs.settings(given["set_"])
    method: Method[Any, Any] = make(name, seed=given["seed"], **chosen)
    columns = {option: given[option] for option in ("annotator", "label", "weight", "delimiter")}
    with speech.spoken_warnings(), speech.progress(name) as tell:
        votes: Votes
        if found == "ratings":
            votes, notes = read.read_ratings(inputs.sources(given), item=given["item"], **columns)
            gold = read.read_values(given["gold"]) if given["gold"] else None
        else:
            votes, notes = read.read_comparisons(inputs.sources(given), **columns)
            gold = given["gold"]
        for note in notes:
            speech.say(note)
        result = settle(votes, method, gold=gold, callback=speech.steps(tell), engine=given["engine"])
    speech.say_notes(result, name)
    if given["save"]:
        result.save(given["save"])
        speech.say(f"the result and its votes: {given['save']}")
    table = of_items(result, given["intervals"] or LEVEL)
    if given["out"] != "-" or not given["json"]:
        write_table(table, given["out"])
    if given["annotators_out"]:
        write_table(of_annotators(result), given["annotators_out"])
    if given["json"]:
        summary = {**votes.summary(), **result.summary(), "kind": found, "notes": list(result.notes)}
        here = {"items": speech.records(table)} if given["out"] == "-" else {"out": given["out"]}
        speech.as_json({**summary, **here})
    elif given["out"] != "-":
        what = "values" if found == "ratings" else "scores"
        speech.say(f"{how_many(len(table), what)} by {name} from {votes.sizes}: {given['out']}")


def of_items(result: Result, level: float) -> Table:
    """One row per item: value or score, standard deviation, and the ends of the interval."""
    from ..fit.estimates import Values
    from ..votes.table import Table

    assert isinstance(result.estimate, Values)  # scores too
    low, high = result.estimate.interval(level)
    return Table({**result.to_table().columns, "low": low, "high": high})


def of_annotators(result: Result) -> Table:
    """One row per annotator: how many answers, and what was learned of them."""
    from ..votes.table import Table

    assert result.votes is not None
    n = np.bincount(result.votes.annotator, minlength=len(result.annotators))
    own = {
        name: values
        for name, values in result.params.items()
        if type(result.method).axes_of(name).axes == ("annotator",) and name not in ("votes", "group")
    }
    return Table({"annotator": result.annotators, "votes": n, **own})
