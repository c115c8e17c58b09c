"""crowdwise history: what earlier projects tell of annotators, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from . import speech


@o.command(83)
def history(
    file: Annotated[str, typer.Argument(help="The history, such as people.json; made if it is not there.")],
    add: Annotated[
        str | None, typer.Option("--add", help="A result that --save kept: its annotators join."), o.READ
    ] = None,
    task: Annotated[str | None, typer.Option("--task", help="With --add: what was asked, such as sentiment.")] = None,
    source: Annotated[str | None, typer.Option("--source", help="With --add: which project this was.")] = None,
    merge: Annotated[str | None, typer.Option("--merge", help="Another history, which joins."), o.READ] = None,
    json: o.AsJson = False,
) -> None:
    """Keep what projects tell of their annotators, for later projects of the same task.

    Without options, who is in it. aggregate --history people.json --task sentiment uses it; other tasks are not asked.

    Example: crowdwise history people.json --add spring.npz --task sentiment --source spring
    """
    from ..errors import OptionError
    from ..fit.result import load
    from ..study.history import History

    there = Path(file).is_file()
    if not there and not (add or merge):
        raise OptionError(f"{file} is not there: --add a result to make it")
    known = History.load(file) if there else History()
    if add and not (task and source):
        raise OptionError("--add needs --task and --source: a history is used for its task only")
    more = known
    if add:
        more = more.add(load(add), task=str(task), source=str(source))
    if merge:
        more = more.merge(History.load(merge))
    if more is not known:
        more.save(file)
        speech.say(f"{len(more.records) - len(known.records):,} records more, {len(more.records):,} in all: {file}")
    table = more.to_table()
    if json:
        speech.as_json({"records": speech.records(table)})
    elif more is known:
        speech.show(table, f"{len(table):,} records")
