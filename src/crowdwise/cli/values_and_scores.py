"""What commands do with answers that name no classes: what is found, their annotators, agreement, a report."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError, OptionError, how_many
from . import inputs, speech

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..fit.result import Result
    from ..votes.table import Table
    from ..votes.votes import Votes

# Options of votes that name classes, and what they are where nobody gave them.
CLASSES_ONLY = {
    "min_confidence": 0.0, "calibrate": False, "start": None, "normalise": False, "trusted": None,
    "probability": None, "prune": None, "by_class": None, "attacked": None, "time": None, "seconds": None, "by": None,
    "classes": None, "truth": None, "anonymise": False, "key": None, "hard": False, "repeats": "all", "encoding": None,
    "pruned": None, "methods": None, "labels_out": None, "history": None, "task": None,
}  # fmt: skip
LEVEL = 0.9
FOUND = {"ratings": "values", "comparisons": "scores", "similarities": "items", "groupings": "items",
         "label-sets": "sets"}  # fmt: skip
MOST_ROWS = 20  # of a table, on a terminal


class Found(NamedTuple):
    """Votes of another kind, what is believed of them, the name of the method, and what the reading had to say."""

    votes: Votes
    result: Result
    name: str
    notes: list[str]


def read(given: Mapping[str, Any], found: str) -> tuple[Votes, list[str]]:
    """The votes of a kind, as a command was told to read them; options that are for classes are refused."""
    from ..io.read_kind import read_kind

    for option, default in CLASSES_ONLY.items():
        if option in given and given[option] != default and given[option]:
            spelt = {"pruned": "prune", "labels_out": "labels"}.get(option, option).replace("_", "-")
            raise OptionError(f"--{spelt} is for votes that name classes, and these are {found}")
    told = inputs.columns_of(given)
    columns = {name: told[name] for name in ("item", "annotator", "label", "weight", "delimiter", "annotators")}
    columns |= {"form": given["input_format"], "question": given["question"], "tokens": given["tokens"]}
    votes, notes = read_kind(found, inputs.sources(given), no_vote=given["no_vote"] or (), **columns)
    for note in notes:
        speech.say(note)
    return votes, notes


@contextmanager
def settled(given: Mapping[str, Any], found: str) -> Iterator[Found]:
    """Votes read and settled as a command was told to, or the saved result that it was given."""
    from ..fit.result import load
    from ..io.numbers_and_pairs import read_values
    from ..methods import DEFAULTS, METHODS, make
    from ..study.settle import settle

    if given["result"]:
        result = load(given["result"])
        if result.votes is None:
            raise InputError(f"{given['result']} holds no votes: save it again with aggregate --save")
        yield Found(result.votes, result, result.method.name, [])
        return
    if given["gold"] and found != "ratings":
        raise OptionError(f"--gold is for votes that name classes and for ratings, and these are {found}")
    name = DEFAULTS[found] if given["method"] == "auto" else given["method"]
    if METHODS[name].takes != found:
        takes = METHODS[name].takes
        raise OptionError(f"--method {name} takes {takes}, and these votes are {found}: crowdwise methods lists others")
    method = make(name, seed=given["seed"], **inputs.settings(given["set_"]))
    with speech.spoken_warnings() as warned, speech.progress(name) as tell:
        votes, notes = read(given, found)
        gold = read_values(given["gold"]) if given["gold"] else None
        result = settle(votes, method, gold=gold, callback=speech.steps(tell), engine=given["engine"])
        yield Found(votes, result, name, [*notes, *warned])
    speech.say_notes(result, name)
    if given["save"]:
        result.save(given["save"])
        speech.say(f"the result and its votes: {given['save']}")


def aggregate(given: Mapping[str, Any], found: str) -> None:
    """Values or scores: one row per item, with a standard deviation and an interval."""
    from ..io import write_table
    from ..study.numbers import verdicts

    _check_target(given, found)
    with settled(given, found) as (votes, result, name, _):
        table = of_items(result, given["intervals"] or LEVEL)
        if given["annotators_out"]:
            write_table(with_params(verdicts(votes, result), result), given["annotators_out"])
    if given["to"] != "table":
        if found == "spans" and given["to"] != "conll" and "begin" not in votes.item_extra:
            raise OptionError(f"--to {given['to']} writes places in a text, and tags of tokens have none")
        _for_a_tool(given, found, result, votes)
    elif given["out"] != "-" or not given["json"]:
        write_table(table, given["out"])
    if given["json"]:
        summary = {**votes.summary(), **result.summary(), "kind": found, "notes": list(result.notes)}
        here = {"items": speech.records(table)} if given["out"] == "-" else {"out": given["out"]}
        speech.as_json({**summary, **here})
    elif given["out"] != "-":
        what = "tags" if found == "spans" and "position" in table.columns else FOUND.get(found, found)
        speech.say(f"{how_many(len(table), what)} by {name} from {votes.sizes}: {given['out']}")


def convert(given: Mapping[str, Any], found: str) -> None:
    """Answers as a table of their kind."""
    from ..io import check_target, write_table

    if given["to"] != "table":
        raise OptionError(
            f"--to {given['to']}: {found} are written as a table; aggregate writes what is found to tools"
        )
    if given["gold_out"]:
        raise OptionError(f"--gold-out is for votes that name classes, and these are {found}")
    check_target(given["out"], "table", ["table"])
    votes, _ = read(given, found)
    write_table(votes.to_table(), given["out"])
    speech.say(f"{given['out']}: {found}, from {votes.sizes}")


def _check_target(given: Mapping[str, Any], found: str) -> None:
    """Whether the results of this kind can be written for that tool."""
    from ..io import check_target
    from ..io.formats import number_formats

    if found not in ("ratings", "comparisons") and given.get("intervals"):
        raise OptionError(f"--intervals is for votes that name classes and for numbers, and these are {found}")
    to, there = given["to"], ["table", *number_formats(found)]
    check_target(given["out"], to, there)
    if to != "table" and given["out"] == "-" and given["json"]:
        raise OptionError(f"--to {to} needs a file: name it with --out")
    if to != "table" and found == "comparisons" and len(given["votes"] or ()) != 1:
        raise OptionError(f"--to {to} writes ranks into the records that people ranked: give one export of {to}")


def _units_of(votes: Any, found: str) -> list[Any]:
    """Everything that was looked at, whether anything was found there."""
    if found == "spans":
        return list(dict.fromkeys(votes.item_extra["document"].tolist()))
    return votes.items.tolist() if found in ("boxes", "masks", "texts") else []


def _tokens_of(votes: Any, result: Result) -> Table:
    """The words of all documents with the tags that were found, in their order."""
    from ..votes.table import Table

    if "token" not in votes.item_extra:
        raise OptionError("--to conll writes words, and these spans have none: give a table of them with --tokens")
    order = votes.order.order
    columns = {name: votes.item_extra[name][order] for name in ("document", "token")}
    return Table({**columns, "label": result.labels[order]})


def _for_a_tool(given: Mapping[str, Any], found: str, result: Result, votes: Any) -> None:
    """Values, or ranks, as a tool imports them, into its own export where the votes are from there."""
    from ..io import Labels, write_labels
    from ..io.numbers_and_pairs import question_of
    from ..io.recognise import form_of_file, format_of
    from ..io.write_answers import write_answers

    files = inputs.sources(given) if given["votes"] else []
    own = files[0] if len(files) == 1 and Path(files[0]).is_file() else None
    question = given["question"] or (question_of(own, found, given["input_format"]) if own else None)
    export = question is not None
    if question is None:
        own = None  # a table
        if found == "comparisons":
            raise OptionError(
                f"--to {given['to']} writes ranks into the records that people ranked, and this is a table"
            )
    elif own and (format_of(given["to"]).shape != "records" or form_of_file(own) != given["to"]):
        own = None
    if found not in ("ratings", "comparisons"):
        if found == "boxes" and given["to"] == "label-studio" and own is None:
            raise OptionError("--to label-studio writes boxes in percent of an image, whose size a table does not tell")
        about: dict[str, Any] = {"source": own, "question": question or "answer", "units": _units_of(votes, found)}
        about |= {"tokens": _tokens_of(votes, result) if given["to"] == "conll" else None}
        about |= {"model": f"crowdwise {result.method.name}"}
        if found == "boxes" and export and form_of_file(files[0]) == "label-studio" and given["to"] != "label-studio":
            about |= {"sizes": _sizes_of(files[0], given["to"])}
        write_answers(found, result.to_table(), given["out"], given["to"], **about)
        return
    labels = Labels.of_numbers(result)
    write_labels(labels, given["out"], given["to"], source=own, question=question or "value")


def _sizes_of(file: str, to: str) -> dict[str, tuple[float, float]]:
    """The sizes of the images of Label Studio's tasks, whose boxes are percent."""
    from ..io.formats.label_studio_regions import image_sizes
    from ..io.source import open_source
    from ..io.table_rows import records_of

    sizes = image_sizes(records_of(open_source(file)))
    if not sizes:
        raise OptionError(f"--to {to} writes pixels, and {file} tells boxes in percent and no size of an image")
    return sizes


def of_items(result: Result, level: float) -> Table:
    """One row per item: value or score, standard deviation, and the ends of the interval."""
    from ..fit.estimates import Values
    from ..votes.table import Table

    if not isinstance(result.estimate, Values):  # values and scores
        return result.to_table()
    low, high = result.estimate.interval(level)
    return Table({**result.to_table().columns, "low": low, "high": high})


def with_params(judged: Table, result: Result) -> Table:
    """The annotators' table, and behind it what the method learned of each."""
    from ..votes.codes import find
    from ..votes.table import Table

    place = find(judged["annotator"], result.annotators)
    own = {
        name: values[place]
        for name, values in result.params.items()
        if name not in ("votes", "group") and type(result.method).axes_of(name).axes == ("annotator",)
    }
    return Table({**judged.columns, **{(f"fitted_{n}" if n in judged.columns else n): own[n] for n in own}})


def annotators(given: Mapping[str, Any], found: str) -> None:
    """Who follows the others, who reverses, copies, tosses a coin, or of whom too little is known."""
    from ..io import write_table
    from ..study.numbers import verdicts
    from ..votes.table import Table

    with settled(given, found) as (votes, result, _, _):
        rules = {"level": given["level"], "false_discoveries": given["false_discoveries"]}
        table = verdicts(votes, result, **rules)
    if given["out"]:
        write_table(table, given["out"])
    if given["json"]:
        speech.as_json({**votes.summary(), "annotators": speech.records(table)})
    elif given["out"] != "-":
        kept = {name: column for name, column in table.columns.items() if name not in ("group", "spread", "ties")}
        shown = Table(kept).take(np.arange(min(MOST_ROWS, len(table))))
        speech.show(shown, f"Annotators, worst first: {len(shown)} of {len(table)}")


def agreement(given: Mapping[str, Any], found: str) -> None:
    """How much ratings of the same item, or answers to the same pair, agree."""
    from ..io import write_table
    from ..study.numbers import answers_alike, reliability
    from ..study.structured import structured_agreement

    if given["pairs"]:
        raise OptionError(f"--pairs is for votes that name classes, and these are {found}")
    options = {"level": given["level"], "draws": given["draws"], "seed": given["seed"]}
    measure: Any = {"ratings": reliability, "comparisons": answers_alike}.get(found, structured_agreement)
    if given["metric"] != "nominal":
        if measure is not structured_agreement:
            raise OptionError(f"--metric is for votes that name classes and for spans, and these are {found}")
        options["metric"] = given["metric"]
    with speech.spoken_warnings(), speech.progress("agreement"):
        votes: Any
        votes, _ = read({**given, "gold": None, "hard": False}, found)
        table = measure(votes, **options)
    if given["out"]:
        write_table(table, given["out"])
    if given["json"]:
        speech.as_json({**votes.summary(), "agreement": speech.records(table)})
    else:
        speech.show(table, "Agreement")


def report(given: Mapping[str, Any], found: str) -> None:
    """One page about values or scores."""
    import typer

    from ..io import write_table
    from ..report import report_of_numbers
    from ..study.numbers import verdicts
    from .report_form import form_of, title_of

    form = form_of(given["out"], given["form"], given["json"])
    out = given["out"] or ("report.html" if form == "html" else "-")
    told = {name: value for name, value in given.items() if name != "labels"}
    with settled(told, found) as (votes, result, _, notes):
        title = given["title"] or title_of(given)
        made = report_of_numbers(
            votes, result, level=given["level"], items=given["top"], title=title, notes=notes, seed=given["seed"]
        )
        if given["labels"]:
            write_table(of_items(result, given["level"]), given["labels"])
            speech.say(f"{FOUND.get(found, found)}: {given['labels']}")
        if given["annotators_out"]:
            write_table(verdicts(votes, result, level=given["level"]), given["annotators_out"])
            speech.say(f"annotators: {given['annotators_out']}")
    if out == "-":
        typer.echo(made.text(form))
    else:
        made.write(out, form)
        speech.say(f"report: {out}")
