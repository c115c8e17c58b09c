"""Review of votes on disk: the items to look at of all blocks, one block in memory at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.choice import first_of_tied
from ..files import whole_file
from ..fit.estimates import Classes
from ..fit.result import Result
from ..study.annotators import review
from ..votes.codes import find, names_array
from ..votes.crowd import Crowd
from ..votes.table import Table
from .block_fit import Fitted

STATES = ("easy", "open", "uncertain", "contested")
ACCEPTED = ("item", "label", "confidence", "votes")


def reviewed(
    fitted: Fitted,
    top: int = 50,
    sure: float = 0.95,
    *,
    gold: Mapping[Any, Any] | None = None,
    accepted: str | Path | None = None,
) -> tuple[Table, dict[str, int]]:
    """The items of all blocks that one more vote would tell most about, and how many there are of each state.

    As `crowdwise.annotators.review`, of which the columns are. accepted: a Parquet file for the items that can be
    accepted, written while blocks are looked at.
    """
    counts: Counter[str] = Counter()
    told = fitted.statistics.get("counts")  # where a method has other sums, a block's own people stand for all
    counts_of_all = told if told is not None and told.shape[1] == told.shape[2] else None
    kept: list[Table] = []
    with ExitStack() as closing:
        writer: Any = None
        for block in range(len(fitted.blocks.sizes)):
            crowd, posterior = fitted.blocks.crowd(block), fitted.posterior_of(block)
            estimate = Classes(posterior, crowd.classes, first_of_tied(posterior))
            params = {"votes": fitted.params["votes"]}
            result = Result(
                method=fitted.method, estimate=estimate, items=crowd.items, annotators=crowd.annotators, params=params,
                statistics={}, votes=crowd,
            )  # fmt: skip
            found = review(crowd, result, sure=sure, gold=_known_of(crowd, gold), counts=counts_of_all)
            state = found["state"].astype(str)
            counts.update(state.tolist())
            kept.append(found.take(np.flatnonzero(state != "easy")[:top]))
            if accepted is not None:
                import pyarrow.parquet as pq

                easy = found.take(state == "easy")
                if writer is None:  # columns are what they are in the whole block: some may be empty here
                    schema = Table({name: found[name] for name in ACCEPTED}).to_frame("pyarrow").schema
                    writer = closing.enter_context(
                        pq.ParquetWriter(closing.enter_context(whole_file(accepted)), schema)
                    )
                if len(easy):
                    table = Table({name: easy[name] for name in ACCEPTED}).to_frame("pyarrow")
                    writer.write_table(table.cast(writer.schema))
    columns = {name: np.concatenate([part[name] for part in kept]) for name in kept[0].columns}
    whole = Table(columns)
    order = np.argsort(-np.asarray(whole["gain"], float), kind="stable")[:top]
    return whole.take(order), {name: counts[name] for name in STATES}


def _known_of(crowd: Crowd, gold: Mapping[Any, Any] | None) -> dict[Any, Any] | None:
    """Gold of a block's items."""
    if not gold:
        return None
    here = find(names_array(list(gold)), crowd.items) >= 0
    return {name: label for (name, label), there in zip(gold.items(), here.tolist(), strict=True) if there} or None
