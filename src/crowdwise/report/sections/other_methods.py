"""The result beside other methods."""

from __future__ import annotations

from typing import Any

from ...study.compare import compare, disputed
from ..about import About

TOLD = 20  # disputed items


def section(about: About) -> dict[str, Any] | None:
    """A row for each method, and the items on which they differ; None where there are no others."""
    result = about.result
    others = [name for name in about.methods if name != result.method.name]
    if not others:
        return None
    table, results = compare(
        about.crowd,
        truth=about.truth,
        methods=others,
        gold=about.gold,
        forecasts=False,
        engine=about.engine,
        seed=result.method.seed,
        callback=about.tell,
        fitted={result.method.name: result},
    )
    items = disputed(results)
    return {"method": result.method.name, "table": table, "differ": len(items), "disputed": items.take(slice(0, TOLD))}
