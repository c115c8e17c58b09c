"""crowdwise datasets: public data sets by name."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o
from . import speech


@o.command(130, bare=True)
def datasets(
    name: Annotated[str | None, typer.Argument(help="Which; without it, all are listed.")] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Write the votes; - prints."), o.WRITTEN] = None,
    truth: Annotated[str | None, typer.Option(help="Also write the true labels."), o.WRITTEN] = None,
    json: o.AsJson = False,
) -> None:
    """List public data sets, or fetch one: from $CROWDWISE_DATA, from the cache, or from its source, and checked.

    Example: crowdwise datasets bluebird --out votes.csv --truth truth.csv
    """
    from .. import datasets as known
    from ..errors import InputError, OptionError
    from ..io import write_table
    from ..votes.codes import names_array
    from ..votes.table import Table

    if name is None:
        if out or truth:
            raise OptionError("which data set should be written? crowdwise datasets NAME --out votes.csv")
        found = known.list()
        if json:
            speech.as_json(speech.records(found))
            return
        shown = ("name", "about", "votes", "items", "annotators", "classes", "where", "licence")
        speech.show(Table({column: found[column] for column in shown}))
        return
    data = known.load(name)
    if truth and not data.truth:
        raise InputError(f"--truth {truth}: the truth of {name} is not known")
    if out:
        write_table(data.crowd.to_table(), out)
    if truth:
        columns = {"item": [*data.truth], "label": [*data.truth.values()]}
        write_table(Table({column: names_array(values) for column, values in columns.items()}), truth)
    if json:
        about = {"licence": data.licence, "citation": data.citation, "source": data.source}
        speech.as_json({"name": name, **data.crowd.summary(), "truth": len(data.truth), **about})
    else:
        speech.say(repr(data))
