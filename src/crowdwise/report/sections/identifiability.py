"""Whether the crowd can be understood, and what is missing."""

from __future__ import annotations

from typing import Any

from ..about import About

TOLD = 20  # rows of a table that only a part is told of


def section(about: About) -> dict[str, Any]:
    """The verdict, findings, and which annotators and votes would help."""
    found = about.identified
    return {
        "verdict": found.verdict,
        "findings": found.findings,
        "numbers": found.numbers,
        "confusable": found.confusable.take(slice(0, TOLD)),
        "wanted": found.wanted.take(slice(0, TOLD)),
    }
