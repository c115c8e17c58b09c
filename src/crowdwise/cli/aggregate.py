"""crowdwise aggregate: votes in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ..errors import how_many
from . import options as o

if TYPE_CHECKING:
    from ..fit.result import Result
    from ..io import Reading
    from ..votes.codes import Array
    from ..votes.crowd import Crowd


@o.command(10)
@o.reads_votes()
def aggregate(
    context: typer.Context,
    votes: o.Votes,
    method: o.MethodName = "auto",
    gold: o.Gold = None,
    trusted: o.Trusted = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Labels: .csv, .tsv, .jsonl, .parquet, .gz; - prints.")] = "-",
    to: Annotated[
        str,
        typer.Option(help=f"What --out is for: {o.LABELS_TO}."),
    ] = "table",
    annotators_out: Annotated[
        str | None, typer.Option("--annotators-out", help="Also write a table of the annotators, worst first.")
    ] = None,
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
    save: Annotated[str | None, typer.Option(help="Keep the whole result (.npz) for --start or predict.")] = None,
    start: Annotated[
        str | None, typer.Option(help="Start from soft or hard votes, another method, or a saved result (.npz).")
    ] = None,
    set_: o.Settings = None,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Find the true labels: one row per item, with label and confidence.

    With --to, what a tool imports: predictions with a score (Label Studio), answered tasks (Prodigy), suggestions
    (Argilla), columns with class names (Hugging Face, .parquet), arrays (cleanlab, .npz).

    Example: crowdwise aggregate votes.csv --gold gold.csv --out labels.csv --annotators-out annotators.csv
    """
    from ..fit.result import load
    from ..io import write_table
    from ..methods import make
    from ..study.settle import settle
    from ..votes.table import Table

    _check_target(to, out, json)
    model = make(method, seed=seed, **o.settings(set_))
    with o.spoken_warnings(), o.progress(method) as tell:
        reading = o.read(context.params, set_=set_)
        crowd, known = o.with_known(reading, gold)
        begin = load(start) if start and start.endswith(".npz") else start
        who = trusted or ()
        result = settle(crowd, model, gold=known, trusted=who, start=begin, engine=engine, callback=o.steps(tell))
        columns = dict(result.to_table().columns)
        if intervals is not None:
            columns |= _intervals(crowd, result, intervals, known)
        if calibrate:
            columns["calibrated"] = _calibrated(crowd, result, known, begin, engine)
    o.say_notes(result, method)
    labels, confidence = result.labels, columns["calibrated" if calibrate else "confidence"]
    unsure = confidence < min_confidence
    if unsure.any():
        labels = labels.astype(object)
        labels[unsure] = None
        left = how_many(crowd.n_items, "items")
        o.say(f"{int(unsure.sum()):,} of {left} left without a label: below {min_confidence}")
    table = Table({**columns, "label": labels})
    if to != "table":
        _for_a_tool(to, out, votes, reading, result, confidence, min_confidence)
    elif out != "-" or not json:
        write_table(table, out)
    if annotators_out:
        from ..study.annotators import quality

        write_table(quality(crowd, result, level=intervals, gold=known), annotators_out)
    if save:
        result.save(save)
    if json:
        summary = {
            **crowd.summary(),
            **result.summary(),
            "notes": list(result.notes),
            "seed": seed,
            "abstained": int(unsure.sum()),
        }
        o.as_json({**summary, "labels": o.records(table)} if out == "-" else {**summary, "out": out})
    elif out != "-":
        told = how_many(crowd.n_items - int(unsure.sum()), "labels")
        o.say(f"{told} by {method} from {how_many(crowd.n_votes, 'votes')}: {out}")


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
    o.say(f"temperature {temperature:.2f} (above 1: overconfident), fitted on held-out votes")
    calm = tempered(result.posterior, temperature)
    return np.take_along_axis(calm, result.label_codes[:, None], axis=1)[:, 0]


def _check_target(to: str, out: str, json: bool) -> None:
    from ..errors import InputError
    from ..io import check_target, label_formats

    check_target(out, to, label_formats())
    if to != "table" and out == "-" and json:
        raise InputError(f"--to {to} needs a file: name it with --out")


def _for_a_tool(
    to: str, out: str, votes: str, reading: Reading, result: Result, confidence: Array, least: float
) -> None:
    """Labels as a tool imports them, with the data of its own export where the votes are from there."""
    from ..io import Labels, write_labels

    source = votes if reading.export == to and Path(votes).is_file() else None
    labels = Labels.of_result(result, confidence, least)
    write_labels(labels, out, to, source=source, question=reading.question or "label")
