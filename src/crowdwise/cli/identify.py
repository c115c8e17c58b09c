"""crowdwise identify: can this crowd be understood at all?"""

from __future__ import annotations

from typing import Annotated

import typer

from . import inputs, speech
from . import options as o

MOST_ROWS = 10  # of a table, on a terminal


@o.command(80)
@o.settles_votes("dawid-skene")
def identify(
    context: typer.Context,
    votes: o.Votes = None,
    enough: Annotated[
        int, typer.Option(min=1, help="Shared items from which a pair is known, votes from which an annotator is.")
    ] = 20,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the annotators to a file."), o.WRITTEN] = None,
    wanted: Annotated[str | None, typer.Option(help="Write the votes that are wanted to a file."), o.WRITTEN] = None,
    json: o.AsJson = False,
) -> None:
    """Say whether the votes can tell annotators and classes apart, what is missing, and which votes would help.

    Looks at who shares items with whom, at what annotators' confusion matrices tell apart, and at classes that nobody
    does. The verdict is yes, partly or no; the exit code is 0 whatever it is.

    Example: crowdwise identify votes.csv --wanted wanted.csv
    """
    from ..io import write_table
    from ..study.identify import identify as identified
    from ..votes.table import Table

    given = context.params
    with speech.spoken_warnings(), speech.progress(given["method"]) as tell:
        settled = inputs.settled(context, tell)
        found = identified(settled.crowd, settled.result, enough=enough, engine=given["engine"])
    inputs.say_settled(settled, given)
    if out:
        write_table(found.annotators, out)
    if wanted:
        write_table(found.wanted, wanted)
    tables = {name: getattr(found, name) for name in ("annotators", "classes", "confusable", "wanted")}
    if json:
        numbers = {name: None if number != number else number for name, number in found.numbers.items()}  # noqa: PLR0124
        rows = {name: speech.records(table) for name, table in tables.items()}
        speech.as_json({"verdict": found.verdict, "findings": found.findings, "numbers": numbers, **rows})
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
            speech.show(Table({column: values[:MOST_ROWS] for column, values in table.columns.items()}), title)
