"""crowdwise compare: methods side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import how_many
from . import inputs, speech
from . import options as o

MOST_ROWS, MOST_COLUMNS = 10, 8  # of the disputed items, on a terminal


@o.command(30)
@o.reads_votes()
def compare(
    context: typer.Context,
    votes: o.Votes = None,
    truth: o.Truth = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Names, separated by commas, or all.", show_default="but samplers, ordered classes, moments"),
    ] = None,
    gold: o.Gold = None,
    trusted: o.Trusted = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Also write the table to a file."), o.WRITTEN] = None,
    differ: Annotated[
        str | None, typer.Option(help="Write the items on which methods differ, most disputed first."), o.WRITTEN
    ] = None,
    forecasts: Annotated[bool, typer.Option(help="Forecast held-out votes, at the price of a second fit each.")] = True,
    engine: o.Engine = "auto",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Compare methods on the same votes: agreement, forecasts of held-out votes, cost; with --truth, also accuracy.

    Forecasts are weak guides: to predict votes, common errors and all, is not to know the truth. Where truth is given,
    tempered_error is the calibration error at the temperature that held-out votes ask for.

    Example: crowdwise compare votes.csv --truth truth.csv --differ disputed.csv
    """
    from ..io import write_table
    from ..methods import names
    from ..study.compare import MEASURES, USUAL, advice, digits, disputed
    from ..study.compare import compare as side_by_side
    from ..votes.table import Table

    chosen = names() if methods == "all" else [name.strip() for name in methods.split(",")] if methods else USUAL
    with speech.spoken_warnings(), speech.progress("compare") as tell:
        crowd, known = inputs.with_known(inputs.read(context.params), context.params)
        true = inputs.known_labels(truth, crowd, context.params) if truth else None
        table, results = side_by_side(
            crowd,
            truth=true,
            methods=chosen,
            gold=known,
            trusted=trusted or (),
            forecasts=forecasts,
            engine=engine,
            seed=seed,
            callback=tell,
        )
        items, told = disputed(results), advice(crowd, results, true, known)
    if differ:
        write_table(items, differ)
    if out:
        write_table(table, out)
    if json:
        speech.as_json({"methods": speech.records(table), "disputed": speech.records(items), "advice": told})
        return
    measured = [name for name in (*MEASURES, "tempered_error") if name in table.columns]
    title = crowd.sizes
    speech.show(
        Table({name: column for name, column in table.columns.items() if name not in measured}),
        title,
        digits(crowd.n_items),
    )
    if measured:
        gold_too = "; gold items are told, and not counted" if known else ""
        measures = Table({name: table[name] for name in ("method", *measured)})
        speech.show(measures, f"Against the truth{gold_too}", digits(crowd.n_items))
    if len(results) > 1:
        speech.say(f"The methods differ on {len(items):,} of {how_many(crowd.n_items, 'items')}")
    if len(items):
        few = items.columns if len(results) <= MOST_COLUMNS else ("item", "labels")
        speech.show(Table({name: items[name][:MOST_ROWS] for name in few}), "The most disputed")
    speech.say(told)
