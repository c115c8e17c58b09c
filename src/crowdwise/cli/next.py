"""crowdwise next: whom to ask what next."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import InputError, how_many
from . import columns, inputs, queues, speech
from . import options as o

CHOICES = (
    "cover, joint, error-reduction, item-information, entropy, margin, entropy-skill, thompson, ucb, overlap or random"
)


@o.command(45)
@o.reads_votes()
@o.also_for(queues.next)
def next(
    context: typer.Context,
    votes: o.Votes = None,
    n: Annotated[int, typer.Option("--n", "-n", help="How many questions.", min=1)] = 20,
    for_annotator: Annotated[
        str | None, typer.Option("--for", help="Questions for this annotator, who is here now.")
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option("--costs", help="Table of what answers cost: annotator, cost, and capacity if you like."),
        o.READ,
    ] = None,
    items: Annotated[
        str | None,
        typer.Option("--items", help="Table of all items, with those that nobody was asked about yet."),
        o.READ,
    ] = None,
    families: Annotated[
        str | None,
        typer.Option("--families", help="Table of machines of one make: annotator, family. One of each is asked."),
        o.READ,
    ] = None,
    choose: Annotated[str, typer.Option("--choose", help=f"How questions are chosen: {CHOICES}.")] = "cover",
    explore: Annotated[
        float, typer.Option("--explore", help="Share of questions drawn at random.", min=0.0, max=1.0)
    ] = 0.1,
    max_votes: Annotated[int | None, typer.Option("--max-votes", help="Votes of an item, at most.", min=1)] = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Table of questions; - prints."), o.WRITTEN] = "-",
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Say whom to ask what next: one row per question, with what it tells and why it is asked.

    Every item is asked about once, then what tells most of item and annotator together, and a tenth by lot.
    No item is asked about twice in one list: ask again when the answers are there. With --for, questions for one
    annotator: new ones are taken for strangers. Of comparisons, the pairs that would tell most; of ratings, the items
    whose values are known least.

    Example: crowdwise next votes.csv --n 50 --costs costs.csv --out questions.csv
    """
    from ..collect import Online, Plan
    from ..io import write_table
    from ..votes.table import Table

    given = context.params
    if for_annotator is None and given["annotator"] is not None:
        for_annotator = _annotator_here(given)
    with speech.spoken_warnings():
        crowd = inputs.read(given).crowd.once("last")
        groups = {} if families is None else _by_annotator(families, "family", crowd.annotators.tolist())
        if groups and not set(groups) & set(crowd.annotators.tolist()):
            raise InputError(f"{families}: no annotator of it is among the votes', such as {next(iter(groups))!r}")
        live = Online(crowd.classes.tolist(), crowd.items.tolist(), families=groups, seed=seed)
        live.add_annotators(crowd.annotators.tolist())
        live.update(crowd)
        if items is not None:
            live.add_items(columns.names_in(items, "item")[2])
        price, capacity = _costs(costs, live)
        new = [name for name in price if name not in set(live.annotators)]
        if new:
            names = ", ".join(map(str, new[:5]))
            speech.say(f"{costs}: {how_many(len(new), 'annotators')} without votes may be asked too: {names}")
        plan = Plan(choose=choose, explore=explore, max_votes=max_votes, cost=price, capacity=capacity, seed=seed)  # type: ignore[arg-type]
        who = None if for_annotator is None else _spelt(for_annotator, live.annotators)
        if who is not None and who not in live.annotators:
            speech.say(f"{for_annotator} has no votes yet, and is taken for a stranger")
        found = plan.next_votes(live, n, annotator=who)
    kept = ("item", "annotator", "gain", *(("cost",) if costs is not None else ()), "why")
    table = Table({name: found[name] for name in kept})
    if len(table) < n:
        speech.say(f"{len(table):,} of {n:,} questions: one for each item at a time, and nothing else may be asked now")
    if json:
        speech.as_json({"questions": speech.records(table)})
    else:
        write_table(table, out)
        if out != "-":
            speech.say(f"{len(table):,} questions: {out}")


def _annotator_here(given: dict[str, Any]) -> str | None:
    """--annotator names a column of the table; of a file that has no such column, it names who is here."""
    from ..io.kinds import looked_at

    look = looked_at(inputs.sources(given)[0], {})
    if look is None or given["annotator"] in look.names:
        return None
    who, given["annotator"] = given["annotator"], None
    return str(who)


def _spelt(name: str, there: list[Any]) -> Any:
    """A name in the type of those that are there."""
    spelt = {str(one): one for one in there}
    return spelt.get(name, name)


def _by_annotator(file: str, column: str, there: list[Any]) -> dict[Any, Any]:
    """A column of a table of annotators, by their names."""
    from ..io.cells import plain
    from ..votes.frames import plain_name

    rows, _, who = columns.names_in(file, "annotator")
    named = {plain_name(name): name for name in rows.names}
    if column not in named:
        raise InputError(f"{file}: there is no column {column}; the columns are {', '.join(rows.names)}")
    values = plain(rows.table[named[column]]).tolist()
    return {_spelt(str(name), there): value for name, value in zip(who, values, strict=True) if value not in (None, "")}


def _costs(file: str | None, live: Any) -> tuple[dict[Any, float], dict[Any, int]]:
    """What answers cost, and how many each annotator gives at most."""
    from ..io.cells import numbers_of, plain, require_filled
    from ..io.table_rows import read_rows
    from ..votes.frames import plain_name, require_column

    if file is None:
        return {}, {}
    import numpy as np

    rows = read_rows(file)
    try:
        who = require_column("annotator", rows.names)
        require_filled(rows, who)
        named = {plain_name(name): name for name in rows.names}
        if "cost" not in named and "capacity" not in named:
            raise InputError(
                f"there is no column cost, and none called capacity; the columns are {', '.join(rows.names)}"
            )
        some = np.ones(rows.table.num_rows, bool)
        found: list[dict[Any, Any]] = []
        cells = plain(rows.table[who]).tolist()
        names = [_spelt(str(name), live.annotators) for name in cells]
        if len(set(names)) < len(names):
            twice = next(one for place, one in enumerate(names) if one in names[:place])
            raise InputError(f"annotator {twice!r} has several rows")
        for column, least in (("cost", 0.0), ("capacity", 0.0)):
            if column not in named:
                found.append({})
                continue
            numbers = numbers_of(rows, named[column], some, (least, np.inf)).tolist()
            found.append(dict(zip(names, numbers, strict=True)))
    except InputError as error:
        raise error.named(rows.name) from error
    return found[0], {name: int(most) for name, most in found[1].items()}
