"""crowdwise aggregate: votes in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ..errors import OptionError, how_many
from ..methods import METHODS
from . import disk, inputs, lake, speech, values_and_scores
from . import options as o

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..io import Reading
    from ..votes.codes import Array
    from ..votes.crowd import Crowd


@o.command(10)
@o.settles_votes()
@o.unless(disk.is_lake, lake.aggregate)
@o.also_for(values_and_scores.aggregate)
def aggregate(
    context: typer.Context,
    votes: o.Votes = None,
    out: o.LabelsOut = "-",
    to: Annotated[
        str,
        typer.Option(help=f"What --out is for: {o.LABELS_TO}."),
    ] = "table",
    annotators_out: o.AnnotatorsOut = None,
    min_confidence: Annotated[
        float, typer.Option(help="Leave the label empty below this confidence.", min=0.0, max=1.0)
    ] = 0.0,
    intervals: Annotated[
        float | None,
        typer.Option(
            help="Add sets of credible labels, and intervals, at this level, such as 0.9.", min=0.01, max=0.999
        ),
    ] = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Also give the confidence at a temperature fitted on held-out votes.")
    ] = False,
    start: Annotated[
        str | None,
        typer.Option(
            help="Start from soft or hard votes, another method, or a result that --save kept (.npz), whose votes "
            "these join."
        ),
        o.READ,
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", help="Votes go by the disk, with so much memory, such as 2GB; --out is a folder."),
    ] = None,
    set_aside: o.SetAside = False,
    history: Annotated[
        str | None,
        typer.Option("--history", help="What earlier projects tell of annotators (crowdwise history)."),
        o.READ,
    ] = None,
    task: Annotated[str | None, typer.Option("--task", help="With --history: the task, which it has to know.")] = None,
    json: o.AsJson = False,
) -> None:
    """Find the true labels: one row per item, with label and confidence.

    With --to, what a tool imports: predictions with a score (Label Studio), answered tasks (Prodigy), suggestions
    (Argilla), columns with class names (Hugging Face, .parquet), arrays (cleanlab, .npz).

    Ratings and comparisons are told by their columns: values and scores come with standard deviations and intervals.

    Example: crowdwise aggregate votes.csv --gold gold.csv --out labels.csv --annotators-out annotators.csv
    """
    from ..io import write_table
    from ..votes.table import Table

    given = context.params
    if task and not history:
        raise OptionError("--task goes with --history: it says which of the histories to ask")
    method, seed, engine = given["method"], given["seed"], given["engine"]
    _check_target(to, out, json, any_kind=True)
    with speech.spoken_warnings(), speech.progress(method) as tell:
        begin = _begin(start)
        found = _by_history(context, history, task) if history else inputs.settled(context, tell, start=begin)
        crowd, known, result = found.crowd, found.gold, found.result
        _check_target(to, out, json)
        columns = dict(result.to_table().columns)
        if intervals is not None:
            columns |= _intervals(crowd, result, intervals, known)
        if calibrate:
            columns["calibrated"] = _calibrated(crowd, result, known, begin, engine)
    inputs.say_settled(found, given)
    labels, confidence = result.labels, columns["calibrated" if calibrate else "confidence"]
    unsure = confidence < min_confidence
    if unsure.any():
        labels = labels.astype(object)
        labels[unsure] = None
        left = how_many(crowd.n_items, "items")
        speech.say(f"{int(unsure.sum()):,} of {left} left without a label: below {min_confidence}")
    table = Table({**columns, "label": labels})
    if to != "table":
        _for_a_tool(to, out, list(votes or ()), found.reading, result, confidence, min_confidence)
    elif out != "-" or not json:
        write_table(table, out)
    if annotators_out:
        from ..study.annotators import quality

        write_table(quality(crowd, result, level=intervals, gold=known), annotators_out)
    if json:
        summary = {
            **crowd.summary(),
            **result.summary(),
            "notes": list(result.notes),
            "seed": seed,
            "abstained": int(unsure.sum()),
            **({"nats for kinds of items": float(result.params["evidence"][0])} if "evidence" in result.params else {}),
        }
        speech.as_json({**summary, "labels": speech.records(table)} if out == "-" else {**summary, "out": out})
    elif out != "-":
        told = how_many(crowd.n_items - int(unsure.sum()), "labels")
        by = result.method.name if given["result"] or history else method
        speech.say(f"{told} by {by} from {how_many(crowd.n_votes, 'votes')}: {out}")


def _by_history(context: typer.Context, history: str, task: str | None) -> inputs.Settled:
    """Votes and what is believed of them, earlier projects of the same task counting as votes."""
    from ..errors import OptionError
    from ..study.history import History
    from ..study.settle import believed

    given = context.params
    if not task:
        raise OptionError("--history needs --task: earlier projects of other tasks are not asked")
    if given["start"] or given["result"] or given["trusted"]:
        raise OptionError("--history goes with a fit from the votes: leave out --start, --result and --trusted")
    method = "ibcc" if given["method"] == "auto" else given["method"]
    reading = inputs.read(given)
    crowd, gold = inputs.with_known(reading, given)
    fitted = History.load(history).fit(crowd, task=task, method=method, gold=gold, engine=given["engine"])
    result = believed(crowd, fitted, gold=gold)
    if given["save"]:
        result.save(given["save"])
    return inputs.Settled(reading, crowd, gold, result)


def _begin(start: str | None) -> Any:
    """Where a fit begins: a saved result, or the word or the method that was named."""
    from ..fit.em import VOTED
    from ..fit.result import load

    if start is None or start in VOTED or METHODS.get(start) is not None:
        return start
    if start.endswith(".npz"):
        return load(start)
    raise OptionError(f"--start {start}: name a result that --save kept (.npz), a method, or {' or '.join(VOTED)}")


def _intervals(crowd: Crowd, result: Result, level: float, gold: Any) -> dict[str, Array]:
    """Credible labels and, where the method has them, ends of the intervals of confidence."""
    from ..study.uncertainty import credible_sets, has_rows, label_intervals

    columns = {}
    if has_rows(result):
        bounds = label_intervals(crowd, result, level, seed=result.method.seed, gold=gold)
        columns = {name: bounds[name] for name in ("low", "high")}
    return {**columns, "credible": credible_sets(result, level)}


def _calibrated(crowd: Crowd, result: Result, gold: Any, start: Any, engine: str) -> Array:
    """The confidence of each label at a temperature that was fitted on held-out votes, which is told."""
    from ..study.held_out import held_out, tempered

    method = result.method
    temperature = held_out(crowd, method, gold=gold, start=start, engine=engine, seed=method.seed).temperature
    speech.say(f"temperature {temperature:.2f} (above 1: overconfident), fitted on held-out votes")
    calm = tempered(result.posterior, temperature)
    return np.take_along_axis(calm, result.label_codes[:, None], axis=1)[:, 0]


def _check_target(to: str, out: str, json: bool, any_kind: bool = False) -> None:
    """What labels are written to; any_kind: of an export it is not known yet whether its answers name classes."""
    from ..errors import OptionError
    from ..io import check_target, label_formats
    from ..io.formats import FORMATS

    names = [name for name, entry in FORMATS.items() if entry.labels or entry.numbers] if any_kind else label_formats()
    check_target(out, to, ["table", *(name for name in names if name != "table")])
    if to != "table" and out == "-" and json:
        raise OptionError(f"--to {to} needs a file: name it with --out")


def _for_a_tool(
    to: str, out: str, files: list[str], reading: Reading, result: Result, confidence: Array, least: float
) -> None:
    """Labels as a tool imports them, with the data of its own export where the votes are from there."""
    from ..io import Labels, write_labels

    one = len(files) == 1 and Path(files[0]).is_file()
    source = files[0] if one and reading.export == to else None
    if source is None and reading.export == to:
        speech.say("left out: texts and other data of the tasks, which come along from a single file only")
    labels = Labels.of_result(result, confidence, least)
    write_labels(labels, out, to, source=source, question=reading.question or "label")
