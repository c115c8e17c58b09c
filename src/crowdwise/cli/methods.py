"""crowdwise methods: the table of methods."""

from __future__ import annotations

from . import options as o


def methods(json: o.AsJson = False) -> None:
    """List every method: one line, cost and reference.

    Example: crowdwise methods
    """
    import numpy as np

    from ..methods import METHODS
    from ..table import Table

    table = Table(
        {
            "method": np.array(list(METHODS), object),
            "what it does": np.array([method.line for method in METHODS.values()], object),
            "cost": np.array([method.cost for method in METHODS.values()], object),
            "reference": np.array([method.reference for method in METHODS.values()], object),
        }
    )
    if json:
        o.as_json(o.records(table))
    else:
        o.show(table)
