"""crowdwise convert: votes of any format in another."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import how_many
from . import inputs, speech, values_and_scores
from . import options as o


@o.command(110)
@o.reads_votes(without=("hard",))
@o.also_for(values_and_scores.convert)
def convert(
    context: typer.Context,
    *,
    votes: o.Votes = None,
    out: Annotated[
        str, typer.Argument(help="CSV, TSV, JSON lines or Parquet, by the ending, also .gz; - is stdout."), o.WRITTEN
    ],
    to: Annotated[
        str,
        typer.Option(help=f"{o.VOTES_TO}."),
    ] = "table",
    gold_out: Annotated[
        str | None,
        typer.Option("--gold-out", help="Also write the gold that the export holds: item, label."),
        o.WRITTEN,
    ] = None,
) -> None:
    """Write the votes of a table or an export as a long table, or as another tool's export.

    A long table has item, annotator, label, and what else is known: weight, time, seconds and probability of a vote,
    and the kind of its annotator, human or machine. The command says what the other format cannot hold. Answers of
    other kinds (ratings, comparisons, spans, boxes ...) are written as their own table.

    Example: crowdwise convert label_studio.json votes.parquet --question sentiment --gold-out gold.csv
    """
    from ..errors import InputError
    from ..io import check_target, vote_formats, write_table, write_votes
    from ..votes.codes import names_array
    from ..votes.table import Table

    check_target(out, to, vote_formats())
    with speech.progress("convert"):
        reading = inputs.read(context.params)
    crowd, gold = reading.crowd, reading.gold
    if gold_out and not gold:
        raise InputError(f"--gold-out {gold_out}: {', '.join(inputs.sources(context.params))} holds no gold")
    for note in write_votes(crowd, out, to, question=reading.question or "label"):
        speech.say(f"left out: {note}")
    if reading.texts:
        speech.say(f"left out: the texts of {how_many(len(reading.texts), 'items')}")
    if gold and not gold_out:
        speech.say(f"left out: gold of {how_many(len(gold), 'items')}; --gold-out writes it")
    if gold_out:
        write_table(Table({"item": names_array(list(gold)), "label": names_array(list(gold.values()))}), gold_out)
    speech.say(f"{out}: from {crowd.sizes}")
