"""crowdwise methods: the table of methods."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from . import options as o


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

    from ..table import Table

    columns: dict[str, list[str]]
    if objectives:
        from ..learn import OBJECTIVES

        said = {name: inspect.getdoc(kind) or "" for name, kind in OBJECTIVES.items()}
        columns = {
            "objective": list(said),
            "what it does": [text.partition("\n")[0] for text in said.values()],
            "reference": [" ".join(text.partition("Reference: ")[2].split()) for text in said.values()],
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
        o.as_json(o.records(table))
    else:
        o.show(table)
