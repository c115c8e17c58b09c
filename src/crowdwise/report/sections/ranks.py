"""The items in order, and how surely they stand there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...study.numbers import rank_intervals, ranking_parts
from ...votes.codes import find
from ...votes.table import Table
from ..plain_report import AboutNumbers


def section(about: AboutNumbers) -> dict[str, Any]:
    """Sentences, and the first items with the intervals of their ranks."""
    ranks, met = rank_intervals(about.result, about.level, seed=about.seed), ranking_parts(about.votes)
    place = find(ranks["item"], met["item"])
    columns = {**ranks.columns, "won": met["won"][place], "lost": met["lost"][place]}
    table = Table(columns).take(np.arange(min(about.items, len(ranks))))
    best, chance = ranks["item"][0], float(ranks["best"][0])
    contenders = int((ranks["rank_low"] == 1).sum())
    text = [
        f"{best} ranks first, with a chance of {chance:.2f} to be the best of all; "
        + ("no other item has a claim to it." if contenders < 2 else f"{contenders} items may be."),
        "A difference of 1 between two scores is a chance of .73 to win; scores have mean 0.",
        *about.result.notes,
    ]
    if ties := float((about.votes.label == 2).mean()):
        text.append(f"{100 * ties:.0f} % of the comparisons are ties, which count as half a win for both.")
    caption = "Ranks" if len(table) == len(ranks) else f"The first {len(table)} of {len(ranks)}"
    return {"text": text, "tables": {caption: table}}
