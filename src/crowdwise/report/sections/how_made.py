"""How the report was made."""

from __future__ import annotations

import platform
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ...fit.result import Result
from ..about import About


def section(about: About) -> dict[str, Any]:
    """Versions, method, settings, seed, and how the fit ended."""
    return {**of_result(about.result), **about.made}


def of_result(result: Result) -> dict[str, Any]:
    """What a result tells of how it was found."""
    from ... import __version__

    return {
        "version": __version__,
        "method": result.method.name,
        "settings": asdict(result.method),
        "seed": result.method.seed,
        "steps": len(result.trace),
        "converged": result.converged,
        "remarks": result.notes,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "date": datetime.now(UTC).date().isoformat(),
    }
