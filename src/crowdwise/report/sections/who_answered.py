"""The annotators of ratings and comparisons, worst first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import how_many
from ..plain_report import AboutNumbers

MOST = 200  # rows of the table
PLAIN = ("fine", "undecided")


def section(about: AboutNumbers) -> dict[str, Any]:
    """How many of each verdict, and the table."""
    judged = about.judged
    verdict = judged["verdict"].astype(str)
    names, counts = np.unique(verdict, return_counts=True)
    told = ", ".join(f"{count:,} {name}" for name, count in zip(names.tolist(), counts.tolist(), strict=True))
    flagged = int((~np.isin(verdict, PLAIN)).sum())
    text = [f"{how_many(len(judged), 'annotators')}: {told}."]
    text.append(
        f"Talk to {how_many(flagged, 'annotators')}: the first rows say why." if flagged else "Nobody stands out."
    )
    return {"text": text, "tables": {"Annotators, worst first": judged.take(np.arange(min(MOST, len(judged))))}}
