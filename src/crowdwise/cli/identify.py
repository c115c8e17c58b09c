"""crowdwise identify: can this crowd be understood at all?"""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

MOST_ROWS = 10  # of a table, on a terminal


@o.command(80)
@o.reads_votes()
def identify(
    context: typer.Context,
    votes: o.Votes,
    method: o.MethodName = "dawid-skene",
    set_: o.Settings = None,
    enough: Annotated[
        int, typer.Option(min=1, help="Shared items from which a pair is known, votes from which an annotator is.")
    ] = 20,
    gold: o.Gold = None,
    trusted: o.Trusted = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the annotators to a file.")] = None,
    wanted: Annotated[str | None, typer.Option(help="Write the votes that are wanted to a file.")] = None,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Say whether the votes can tell annotators and classes apart, what is missing, and which votes would help.

    Looks at who shares items with whom, at what annotators' confusion matrices tell apart, and at classes that nobody
    does. The verdict is yes, partly or no; the exit code is 0 whatever it is.

    Example: crowdwise identify votes.csv --wanted wanted.csv
    """
    from ..io import write_table
    from ..methods import make
    from ..study.identify import identify as identified
    from ..study.settle import settle
    from ..votes.table import Table

    with o.spoken_warnings(), o.progress(method) as tell:
        crowd, known = o.with_known(
            o.read(context.params, set_=set_),
            gold,
        )
        model = make(method, seed=seed, **o.settings(set_))
        result = settle(crowd, model, gold=known, trusted=trusted or (), engine=engine, callback=o.steps(tell))
        found = identified(crowd, result, enough=enough, engine=engine)
    o.say_notes(result, method)
    if out:
        write_table(found.annotators, out)
    if wanted:
        write_table(found.wanted, wanted)
    tables = {name: getattr(found, name) for name in ("annotators", "classes", "confusable", "wanted")}
    if json:
        numbers = {name: None if number != number else number for name, number in found.numbers.items()}  # noqa: PLR0124
        rows = {name: o.records(table) for name, table in tables.items()}
        o.as_json({"verdict": found.verdict, "findings": found.findings, "numbers": numbers, **rows})
        return
    typer.echo(f"Can this crowd be understood? {found.verdict.capitalize()}.")
    for finding in found.findings:
        typer.echo(f"- {finding}")
    titles = {
        "classes": "Classes, and the label that is given for each most exclusively",
        "confusable": "Classes that are hardest to tell apart",
        "annotators": "The annotators known least",
        "wanted": "Votes that would help: on items of two others",
    }
    for name, title in titles.items():
        table = tables[name]
        if len(table):
            o.show(Table({column: values[:MOST_ROWS] for column, values in table.columns.items()}), title)
