"""The default on blocks: who errs together, and who decides, is asked in a sample; the committee is fitted to all."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..fit.params import Names, Params, carry
from ..fit.result import Result
from ..methods import make
from ..votes.codes import Array
from .blocks import Blocks

LOG = logging.getLogger("crowdwise")
ASKED = 1_000_000  # votes of the sample
MEMBERS = ("ibcc", "mace", "community-bcc", "confusion-vector")
RICHER = "ebcc"


def asked_in_a_sample(blocks: Blocks, seed: int = 0) -> Result:
    """What auto finds in some of the items: groups of annotators, populations, who decides."""
    sample = blocks.sample(ASKED, seed)
    LOG.info("auto: asked in a sample of %s", sample.sizes)
    return make("auto", seed=seed).fit(sample)


def carried(told: Result, blocks: Blocks) -> Params:
    """The parameters of a result of some of the votes, with the names of all."""
    here = Names(blocks.annotators, blocks.classes)
    return carry(told.params, told.names, here, fill="population", axes_of=told.method.axes_of)


def members_of(asked: Params) -> tuple[str, ...]:
    """Who is fitted to all votes: the richer model alone where it decided, or the committee."""
    return (RICHER,) if any(name.startswith(f"{RICHER}.") for name in asked) else MEMBERS


def weight_of(blocks: Blocks, block: int, group: Array) -> Array | None:
    """How much each vote of a block counts, where annotators share one vote on an item; None where nobody does."""
    own = group[blocks.cells(block) // blocks.n_classes]
    grouped = np.flatnonzero(own >= 0)
    if not grouped.size:
        return None
    item = np.repeat(np.arange(blocks.sizes[block][2]), blocks.counts(block))[grouped].astype(np.int64)
    key = item * (int(group.max()) + 1) + own[grouped]
    _, cell, count = np.unique(key, return_inverse=True, return_counts=True)
    weight = np.ones(own.size, np.float32)
    weight[grouped] = 1.0 / count[cell]
    return weight


def write_weights(blocks: Blocks, group: Array, folder: Path) -> Mapping[int, Path]:
    """The same for all blocks, in files; blocks without such votes have none."""
    files = {}
    for block in range(len(blocks.sizes)):
        weight = weight_of(blocks, block, group)
        if weight is not None:
            folder.mkdir(parents=True, exist_ok=True)
            files[block] = folder / f"{block:05d}.npy"
            np.save(files[block], weight)
    return files


def joined(members: Mapping[str, Params], asked: Params, blocks: Blocks) -> Params:
    """Parameters as auto has them: each member's, the groups, and what strangers are worth."""
    params = {f"{name}.{key}": value for name, own in members.items() for key, value in own.items()}
    params |= {name: asked[name] for name in ("group", "strangers", "kept", "say", "worth") if name in asked}
    params["heard"] = blocks.given.sum(axis=1).astype(np.int64)  # votes alone on an item are among them
    params["votes"] = blocks.given.sum(axis=1)
    if "evidence" in asked:
        params["evidence"] = asked["evidence"]
    return params
