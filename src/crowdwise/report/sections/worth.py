"""What votes are worth together."""

from __future__ import annotations

from ...votes.table import Table
from ..about import About


def section(about: About) -> Table:
    """Everybody, then each group of annotators who err together."""
    return about.together
