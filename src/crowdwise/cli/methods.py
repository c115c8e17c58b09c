"""crowdwise methods: the table of methods."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o
from . import speech


@o.command(140, bare=True)
def methods(
    objectives: Annotated[
        bool, typer.Option("--objectives", help="List the ways to learn from features and votes instead.")
    ] = False,
    json: o.AsJson = False,
) -> None:
    """List every method: one line, cost and reference; with --objectives, those of crowdwise train.

    Example: crowdwise methods
    """
    import numpy as np

    from ..votes.table import Table

    columns: dict[str, list[str]]
    if objectives:
        from ..learn.objectives import OBJECTIVES

        columns = {
            "objective": list(OBJECTIVES),
            "what it does": [objective.line for objective in OBJECTIVES.values()],
            "reference": [objective.reference for objective in OBJECTIVES.values()],
        }
    else:
        from ..methods import METHODS

        columns = {
            "method": list(METHODS),
            "what it does": [method.line for method in METHODS.values()],
            "cost": [method.cost for method in METHODS.values()],
            "reference": [method.reference for method in METHODS.values()],
        }
    table = Table({name: np.array(column, object) for name, column in columns.items()})
    if json:
        speech.as_json(speech.records(table))
    else:
        speech.show(table)
