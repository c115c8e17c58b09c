"""crowdwise explain: why this label?"""

from __future__ import annotations

from typing import Annotated

import typer

from . import inputs, speech
from . import options as o


@o.command(40)
@o.settles_votes()
def explain(
    context: typer.Context,
    *,
    votes: o.Votes = None,
    which: Annotated[str, typer.Argument(metavar="ITEM", help="The item to explain.")],
    against: Annotated[str | None, typer.Option(help="Compare with this class.", show_default="the runner-up")] = None,
    json: o.AsJson = False,
) -> None:
    """Say why an item got its label: each vote's contribution, in log-odds where the method has them.

    Example: crowdwise explain votes.csv item-17
    """
    from ..study.explain import explain as why_of

    given = context.params
    with speech.spoken_warnings(), speech.progress(given["method"]) as tell:
        settled = inputs.settled(context, tell)
    method, known = settled.result.method.name, settled.gold
    why = why_of(settled.crowd, settled.result, which, against)
    inputs.say_settled(settled, given)
    if json:
        fields = {
            name: getattr(why, name) for name in ("item", "label", "other", "unit", "before", "total", "additive")
        }
        speech.as_json({**fields, "method": method, "votes": speech.records(why.votes)})
        return
    typer.echo(f"{which} is {why.label} rather than {why.other}, by {method}: {why.total:+.2f} {why.unit}")
    if known and which in {str(name) for name in known}:
        typer.echo("(the item is gold: its label was given, whatever the votes say)")
    rest = "before any vote" if why.additive else "everything else; each vote shows how much is lost without it"
    typer.echo(f"{why.before:+7.2f}  {rest}")
    for name, said, contribution in why.votes.rows():
        typer.echo(f"{contribution:+7.2f}  {name} said {said}")
