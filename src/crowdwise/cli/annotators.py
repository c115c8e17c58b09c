"""crowdwise annotators: who is good, who is not, and of whom too little is known."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

MOST_ROWS = 20  # of the table, on a terminal
SHOWN = ("annotator", "votes", "accuracy", "accuracy_low", "accuracy_high", "information", "verdict", "group", "reason")


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
    trusted: o.Trusted = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Column of when a vote was given: drift and speed.")
    ] = None,
    seconds: Annotated[str | None, typer.Option("--seconds", help="Column of how long a vote took: speed.")] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the annotators to a file.")] = None,
    pruned: Annotated[
        str | None,
        typer.Option("--prune", help="Write the votes without spammers, adversaries and colluders to a file."),
    ] = None,
    by_class: Annotated[
        str | None, typer.Option("--by-class", help="Write a row an annotator and class to a file: accuracy and bias.")
    ] = None,
    attacked: Annotated[
        str | None,
        typer.Option("--attacked", help="Write the items on which colluders agree on a wrong label to a file."),
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

    Verdicts are colluder, adversary, spammer, undecided (too few votes to know) and fine; worst first.

    Example: crowdwise annotators votes.csv --out annotators.csv --prune cleaned.csv
    """
    from ..annotators import (
        attacked_items,
        effective_number,
        honest_result,
        prune,
        quality_by_class,
        timing,
        verdicts,
    )
    from ..codes import find
    from ..io import write_table
    from ..methods import make
    from ..table import Table

    extra = tuple(name for name in (time, seconds) if name)
    with o.spoken_warnings(), o.progress(method) as tell:
        crowd, known = o.with_known(
            o.read(votes, item, annotator, label, annotators, delimiter, no_vote, repeats, weight, extra, set_), gold
        )
        model = make(method, seed=seed, **o.settings(set_))
        fitted = model.fit(crowd, gold=known, engine=engine, callback=o.steps(tell))
        settled = known is not None and not trusted
        result = fitted if settled else honest_result(crowd, fitted, trusted=trusted or (), seed=seed)
        found = verdicts(
            crowd,
            result,
            least=least,
            level=level,
            false_discoveries=false_discoveries,
            gold=known,
            engine=engine,
        )
        if extra:
            timed = timing(crowd, result, time=time or "", seconds=seconds or "")
            place = find(found["annotator"], timed["annotator"])
            more = {name: timed[name][place] for name in timed.columns if name not in ("annotator", "votes")}
            found = Table({**found.columns, **more})
    if result is not fitted:
        o.say(
            f"{method} says what a minority of the annotators says: most contradict it, and they are believed. Trusted "
            "annotators (--trusted) or gold (--gold) decide otherwise."
        )
    if out:
        write_table(found, out)
    if by_class:
        write_table(quality_by_class(crowd, result, level=level), by_class)
    if attacked:
        plotters = found["annotator"][found["verdict"] == "colluder"]
        write_table(attacked_items(crowd, result, plotters.tolist()), attacked)
    if pruned:
        left = prune(crowd, found)
        write_table(left.to_table(), pruned)
        o.say(f"{pruned}: {left.n_votes:,} of {crowd.n_votes:,} votes, {left.n_annotators:,} annotators")
    together = effective_number(crowd, result)
    if json:
        o.as_json({**crowd.summary(), "annotators": o.records(found), "groups": o.records(together)})
        return
    o.show(Table({name: found[name][:MOST_ROWS] for name in SHOWN}), "Annotators, worst first")
    worth = together["effective_votes"][0]
    o.say(f"An item's {together['votes_per_item'][0]:.1f} votes are worth {worth:.1f} independent ones.")
