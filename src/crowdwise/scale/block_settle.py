"""Settle on blocks: a sample of the votes tells what can be believed, and all votes are fitted from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..engine import bind
from ..errors import how_many
from ..methods import make
from ..methods.classes.strangers import population
from ..study.settle import settle as settle_sample
from ..votes.codes import find, names_array
from .block_fit import Callback, Fitted, finished, fitting, require_additive
from .block_labels import new_folder
from .blocks import Blocks
from .committee import ASKED


def settle(
    blocks: Blocks,
    method: Any = "auto",
    *,
    gold: Mapping[Any, Any] | None = None,
    trusted: Iterable[Any] = (),
    out: str | Path | None = None,
    posterior: bool = False,
    sample: int = ASKED,
    checkpoint: str | Path | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
) -> Fitted:
    """What a method finds in votes on disk, if it can be believed: `crowdwise.settle`, beyond the memory.

    `crowdwise.settle` of some items, with all votes on them and all gold, tells what is believed: where annotators who
    work together have made a truth of their own, an honest majority, gold or those who are trusted decide, or it is
    refused. The method that is believed then climbs over all blocks, from what the sample found. Nobody is surer than
    the votes support. `notes` of the result has what was found.

    sample: how many votes are asked. The others are those of `fit`; trusted: names of annotators to believe.
    """
    model: Any = make(method) if isinstance(method, str) else method
    require_additive(model)
    if out is not None:
        new_folder(Path(out))
    known = blocks.parts(known=gold).gold
    some = blocks.sample(sample, model.seed, also=list(known or {}))
    told = settle_sample(some, model, gold=known or None, trusted=_heard(blocks, some, trusted))
    notes = told.notes
    if some.n_votes < blocks.n_votes:
        notes = (*notes, f"what is believed was asked in a sample of {how_many(some.n_votes, 'votes')}")
    strangers = population(bind(some, "numpy").item_votes())
    folder = None if checkpoint is None else Path(checkpoint)
    with fitting(told.method, blocks, known, folder, threads, callback, told) as (done, parts):
        own = replace(done, notes=notes, strangers=None if told.method.name == "auto" else strangers)
        return finished(own, parts, out, posterior)


def _heard(blocks: Blocks, some: Any, trusted: Iterable[Any]) -> list[Any]:
    """Those of the trusted who voted on items of the sample; a name of nobody is an error, told by the sample."""
    names = names_array([trusted] if isinstance(trusted, str) else list(trusted))
    if not len(names):
        return []
    silent = (find(names, blocks.annotators) >= 0) & (find(names, some.annotators) < 0)
    return list(names[~silent].tolist())
