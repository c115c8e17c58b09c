"""How the report was made."""

from __future__ import annotations

import platform
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ..about import About


def section(about: About) -> dict[str, Any]:
    """Versions, method, settings, seed, and how the fit ended."""
    from ... import __version__

    result = about.result
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
        **about.made,
    }
