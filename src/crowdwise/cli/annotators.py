"""crowdwise annotators: who is good, who is not, and of whom too little is known."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

MOST_ROWS = 20  # of the table, on a terminal


def annotators(
    votes: o.Votes,
    method: o.MethodName = "auto",
    set_: o.Settings = None,
    least: Annotated[
        float, typer.Option(help="Share of a class's bits below which an annotator's votes are as good as none.")
    ] = 0.05,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.9,
    false_discoveries: Annotated[
        float, typer.Option(help="Share of the spammers named that may be named wrongly, on average.")
    ] = 0.05,
    gold: o.Gold = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the annotators to a file.")] = None,
    pruned: Annotated[
        str | None, typer.Option("--prune", help="Write the votes without spammers and adversaries to a file.")
    ] = None,
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
    """Say of every annotator how good he is, how much a vote of his tells, and a verdict.

    Verdicts are spammer, adversary, undecided (too few votes to know) and fine; worst first.

    Example: crowdwise annotators votes.csv --out annotators.csv --prune cleaned.csv
    """
    from ..annotators import prune, verdicts
    from ..io import write_table
    from ..methods import make
    from ..table import Table

    with o.spoken_warnings(), o.progress(method) as tell:
        crowd, known = o.with_known(
            o.read(votes, item, annotator, label, annotators, delimiter, no_vote, repeats, weight), gold
        )
        model = make(method, seed=seed, **o.settings(set_))
        result = model.fit(crowd, gold=known, engine=engine, callback=o.steps(tell))
        found = verdicts(
            crowd, result, least=least, level=level, false_discoveries=false_discoveries, seed=seed, engine=engine
        )
    if out:
        write_table(found, out)
    if pruned:
        left = prune(crowd, found)
        write_table(left.to_table(), pruned)
        o.say(f"{pruned}: {left.n_votes:,} of {crowd.n_votes:,} votes, {left.n_annotators:,} annotators")
    if json:
        o.as_json({**crowd.summary(), "annotators": o.records(found)})
        return
    o.show(Table({name: column[:MOST_ROWS] for name, column in found.columns.items()}), "Annotators, worst first")
