"""crowdwise aggregate: votes in, labels out."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def aggregate(
    votes: o.Votes,
    method: o.MethodName = "dawid-skene",
    gold: o.Gold = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Labels: .csv, .tsv, .jsonl, .parquet, .gz; - prints.")] = "-",
    annotators_out: Annotated[
        str | None, typer.Option("--annotators-out", help="Also write a table of the annotators, worst first.")
    ] = None,
    min_confidence: Annotated[
        float, typer.Option(help="Leave the label empty below this confidence.", min=0.0, max=1.0)
    ] = 0.0,
    save: Annotated[str | None, typer.Option(help="Keep the whole result (.npz) for --start or predict.")] = None,
    start: Annotated[
        str | None, typer.Option(help="Start from soft or hard votes, another method, or a saved result (.npz).")
    ] = None,
    set_: o.Settings = None,
    item: o.ItemColumn = None,
    annotator: o.AnnotatorColumn = None,
    label: o.LabelColumn = None,
    annotators: o.WideColumns = None,
    delimiter: o.Delimiter = None,
    no_vote: o.NoVote = None,
    repeats: o.Repeats = "all",
    weight: o.WeightColumn = None,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Find the true labels: a row an item, with label and confidence.

    Example: crowdwise aggregate votes.csv --method dawid-skene --gold gold.csv --out labels.csv
    """
    from ..annotators import quality
    from ..io import write_table
    from ..methods import make
    from ..saving import load
    from ..table import Table

    model = make(method, seed=seed, **o.settings(set_))
    with o.spoken_warnings(), o.progress(method) as tell:
        crowd, known = o.with_known(
            o.read(votes, item, annotator, label, annotators, delimiter, no_vote, repeats, weight), gold
        )
        begin = load(start) if start and start.endswith(".npz") else start
        result = model.fit(crowd, gold=known, start=begin, engine=engine, callback=o.steps(tell))
    labels, confidence = result.labels, result.confidence
    unsure = confidence < min_confidence
    if unsure.any():
        labels = labels.astype(object)
        labels[unsure] = None
        o.say(f"{int(unsure.sum()):,} of {crowd.n_items:,} items are left without a label: below {min_confidence}")
    table = Table({"item": result.items, "label": labels, "confidence": confidence})
    if not result.converged:
        o.say(f"{method} stopped after {len(result.trace)} steps, before it settled; --set max_iter=... allows more")
    if out != "-" or not json:
        write_table(table, out)
    if annotators_out:
        write_table(quality(crowd, result), annotators_out)
    if save:
        result.save(save)
    if json:
        summary = {**crowd.summary(), **result.summary(), "seed": seed, "abstained": int(unsure.sum())}
        o.as_json({**summary, "labels": o.records(table)} if out == "-" else {**summary, "out": out})
    elif out != "-":
        o.say(f"{crowd.n_items - int(unsure.sum()):,} labels by {method} from {crowd.n_votes:,} votes: {out}")
