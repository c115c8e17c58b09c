"""How values or scores were found."""

from __future__ import annotations

from typing import Any

from ..plain_report import AboutNumbers
from .how_made import of_result


def section(about: AboutNumbers) -> dict[str, Any]:
    """Method, settings, versions, and what there is to say of the data."""
    told = of_result(about.result)
    settings = ", ".join(f"{name} = {value}" for name, value in told["settings"].items())
    ended = "It settled." if told["converged"] else "It stopped before it settled: max_iter allows more."
    text = [
        f"By {told['method']} of crowdwise {told['version']} ({settings}). {ended}",
        f"Python {told['python']}, NumPy {told['numpy']}, {told['date']}.",
        *about.notes,
    ]
    return {"text": text}
