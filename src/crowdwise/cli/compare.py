"""crowdwise compare: methods side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def compare(
    votes: o.Votes,
    truth: Annotated[
        str | None, typer.Option(help="File of true labels (item, label), used to measure, never to fit.")
    ] = None,
    methods: Annotated[str | None, typer.Option(help="Names, separated by commas.", show_default="all methods")] = None,
    gold: o.Gold = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Also write the table to a file.")] = None,
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
    """Compare methods on the same votes; with --truth, also by accuracy, macro-F1, log-loss and calibration.

    Example: crowdwise compare votes.csv --truth truth.csv
    """
    from ..compare import compare as side_by_side
    from ..io import read_labels, write_table
    from ..methods import METHODS

    names = [name.strip() for name in methods.split(",")] if methods else list(METHODS)
    with o.spoken_warnings(), o.progress("compare") as tell:
        crowd, known = o.with_known(
            o.read(votes, item, annotator, label, annotators, delimiter, no_vote, repeats, weight), gold
        )
        true = read_labels(truth) if truth else None
        table, _ = side_by_side(crowd, truth=true, methods=names, gold=known, engine=engine, seed=seed, callback=tell)
    if out:
        write_table(table, out)
    if json:
        o.as_json(o.records(table))
    else:
        o.show(table, f"{crowd.n_votes:,} votes, {crowd.n_items:,} items, {crowd.n_annotators:,} annotators")
