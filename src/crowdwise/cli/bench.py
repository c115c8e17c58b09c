"""crowdwise bench: methods on simulated crowds and on sets at hand."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ..errors import OptionError
from . import options as o
from . import speech


@o.command(35, bare=True)
def bench(
    methods: Annotated[
        str | None, typer.Option("--methods", help="Names, separated by commas; others' too.", show_default="the usual")
    ] = None,
    kinds: Annotated[
        str, typer.Option("--kinds", help="Simulated ones: classes, ratings, comparisons, spans ..., all, or none.")
    ] = "classes",
    data: Annotated[
        str | None,
        typer.Option(
            "--data", help="A folder of sets, each with labels.csv and truth.csv.", show_default="CROWDWISE_DATA"
        ),
        o.READ,
    ] = None,
    sets: Annotated[str | None, typer.Option("--sets", help="Which of them, separated by commas.")] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the table to a file."), o.WRITTEN] = None,
    seed: o.Seed = 0,
    json: o.AsJson = False,
) -> None:
    """Run methods on simulated crowds and on sets at hand: what each reaches, with intervals, and how long it takes.

    Methods of other packages (entry points) are run by their names, as ours are. The truth chooses nothing. Column
    ahead holds each method against the first of its set, on the same items.

    Example: crowdwise bench --methods auto,dawid-skene,majority-vote --kinds classes --out table.csv
    """
    from ..io import write_table
    from ..study.bench import KINDS, at_hand, simulated
    from ..study.bench import bench as run

    named = [name.strip() for name in methods.split(",")] if methods else []
    wanted = [] if kinds == "none" else list(KINDS) if kinds == "all" else [name.strip() for name in kinds.split(",")]
    for name in wanted:
        if name not in KINDS:
            raise OptionError(f"--kinds {name}: choose among {', '.join(KINDS)}, all or none")
    tasks = [task for name in wanted for task in simulated(name, seed)]
    folder = data or (os.environ.get("CROWDWISE_DATA") if sets or not wanted else None)
    if folder:
        chosen = [name.strip() for name in sets.split(",")] if sets else None
        found = [task for task in at_hand(folder) if chosen is None or task.name in chosen]
        missing = set(chosen or ()) - {task.name for task in found}
        if missing:
            raise OptionError(f"--sets: {sorted(missing)[0]} is no set of classes or ratings with a truth in {folder}")
        tasks += found
    elif sets:
        raise OptionError("--sets names sets of a folder: --data, or CROWDWISE_DATA, says which")
    with speech.spoken_warnings(), speech.progress("bench") as tell:
        table = run(tasks, named, level=level, seed=seed,
                    callback=None if tell is None else lambda task, name: tell(f"{task}, {name}"))  # fmt: skip
    if out:
        write_table(table, out)
    if json:
        speech.as_json({"bench": speech.records(table)})
    elif out != "-":
        speech.show(table, "What each method reaches")
