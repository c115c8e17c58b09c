"""crowdwise fairness: how annotators and labels treat groups of items."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import columns, inputs, speech
from . import options as o


@o.command(65)
@o.settles_votes()
def fairness(
    context: typer.Context,
    votes: o.Votes = None,
    by: Annotated[str | None, typer.Option("--by", help="Column of the items that names their groups.")] = None,
    items: columns.ItemTable = None,
    positive: Annotated[
        str | None, typer.Option("--positive", help="The class that is counted.", show_default="the last one")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.9,
    false_discoveries: Annotated[
        float, typer.Option(help="Share of the annotators named as biased that chance may name.")
    ] = 0.05,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the gaps to a file."), o.WRITTEN] = None,
    rates_out: Annotated[str | None, typer.Option("--rates-out", help="Write the groups' rates."), o.WRITTEN] = None,
    annotators_out: Annotated[
        str | None, typer.Option("--annotators-out", help="Write a row for each annotator."), o.WRITTEN
    ] = None,
    parity_out: Annotated[
        str | None, typer.Option("--parity-out", help="Write labels with the same rate in all groups."), o.WRITTEN
    ] = None,
    json: o.AsJson = False,
) -> None:
    """Say how labels and annotators treat groups of items: parity, opportunity, odds, and who is biased.

    The group stands in a column of the votes, or of a table of the items (--items). With --gold the gaps are those of
    known labels; without, they are the model's own belief, and a bias that all annotators share is not in them.

    Example: crowdwise fairness votes.csv --items items.csv --by race --gold gold.csv
    """
    from ..errors import OptionError
    from ..io import write_table
    from ..study.fairness import biased_annotators, gaps, parity, rates

    if by is None:
        raise OptionError("--by: name the column of the items that tells their groups, such as --by race")
    context.params["item_extra"] = [by] if items is None else []
    with speech.spoken_warnings(), speech.progress("fairness"):
        found, crowd = settled_with(context, items, None)
        how: dict[str, Any] = {"positive": positive, "gold": found.gold, "level": level}
        apart, each = gaps(found.result, by, **how), rates(found.result, by, **how)
        people = biased_annotators(crowd, by, level=false_discoveries, engine=context.params["engine"])
        equal = parity(found.result, by, positive=positive)
    inputs.say_settled(found, context.params)
    for table, file in ((apart, out), (each, rates_out), (people, annotators_out), (equal.labels, parity_out)):
        if file:
            write_table(table, file)
    told = {name: int((people["verdict"] == name).sum()) for name in ("biased", "not seen", "undecided")}
    if json:
        content = {"gaps": speech.records(apart), "rates": speech.records(each), "annotators": told}
        content |= {"biased": people.take(people["verdict"] == "biased")["annotator"].tolist(), "parity": str(equal)}
        speech.as_json(content)
        return
    if out != "-":
        speech.show(apart, f"Gaps by {by}")
    for line in sentences(told, found.gold is not None):
        speech.say(line)
    speech.say(f"parity: {equal}")


def sentences(told: dict[str, int], gold: bool) -> list[str]:
    """What the tables say of annotators, and what they do not say."""
    from ..errors import how_many

    lines = [
        f"{how_many(told['biased'], 'annotators')} treat groups otherwise than the rest does; "
        f"{told['undecided']:,} are undecided (fewer than 200 votes), of {told['not seen']:,} no bias is seen"
    ]
    if not gold:
        lines.append(
            "these gaps are the model's belief: a bias that all annotators share looks like a difference between the "
            "groups, and only known labels (--gold) would tell"
        )
    return lines


def settled_with(context: typer.Context, items: str | None, people: str | None) -> tuple[inputs.Settled, Any]:
    """Votes settled as a command was told to, with the columns of tables about items and annotators."""
    from dataclasses import replace

    found = inputs.settled(context)
    crowd = columns.with_tables(found.crowd, items, people)
    return found._replace(crowd=crowd, result=replace(found.result, votes=crowd)), crowd
