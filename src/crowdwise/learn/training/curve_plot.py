"""A history drawn: loss by epoch, and the score that chose their number."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...files import whole_file
from ...votes.table import Table


def draw(history: Table, path: str | Path) -> None:
    """Write the history of a training run as an image (.svg)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axis = figure.subplots()
    axis.plot(history["epoch"], history["loss"], label="loss")
    axis.set_xlabel("epoch")
    axis.set_ylabel("loss")
    score = history["choice_score"]
    if not np.isnan(score).all():
        other = axis.twinx()
        other.plot(history["epoch"], score, color="tab:orange", label="score on what was held out")
        other.set_ylabel("score")
        best = int(np.nanargmax(score))
        other.axvline(history["epoch"][best], color="grey", linewidth=0.8, linestyle="--")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    with whole_file(path) as file:
        figure.savefig(file, format="svg", metadata={"Date": None})
