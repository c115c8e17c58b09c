"""The default on blocks: who errs together, and who decides, is asked in a sample; the committee is fitted to all."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..fit.params import Names, Params, carry
from ..methods import make
from ..votes.codes import Array
from .blocks import Blocks

LOG = logging.getLogger("crowdwise")
ASKED = 1_000_000  # votes of the sample
MEMBERS = ("ibcc", "mace", "community-bcc", "confusion-vector")
RICHER = "ebcc"


def asked_in_a_sample(blocks: Blocks, seed: int = 0) -> Params:
    """What auto finds in some of the items: groups of annotators, populations, who decides."""
    sample = blocks.sample(ASKED, seed)
    told = make("auto", seed=seed).fit(sample)
    LOG.info("auto: asked in a sample of %s", sample.sizes)
    here = Names(blocks.annotators, blocks.classes)
    params = carry(told.params, told.names, here, fill="population", axes_of=told.method.axes_of)
    params["sample"] = np.array([sample.n_votes])
    return params


def members_of(asked: Params) -> tuple[str, ...]:
    """Who is fitted to all votes: the richer model alone where it decided, or the committee."""
    return (RICHER,) if any(name.startswith(f"{RICHER}.") for name in asked) else MEMBERS


def write_weights(blocks: Blocks, group: Array, folder: Path) -> Mapping[int, Path]:
    """How much each vote counts, where annotators share one vote on an item; blocks without such votes have no file."""
    files = {}
    for block in range(len(blocks.sizes)):
        who = blocks.cells(block) // blocks.n_classes
        own = group[who]
        grouped = np.flatnonzero(own >= 0)
        if not grouped.size:
            continue
        item = np.repeat(np.arange(blocks.sizes[block][2]), blocks.counts(block))[grouped].astype(np.int64)
        key = item * (int(group.max()) + 1) + own[grouped]
        _, cell, count = np.unique(key, return_inverse=True, return_counts=True)
        weight = np.ones(who.size, np.float32)
        weight[grouped] = 1.0 / count[cell]
        folder.mkdir(parents=True, exist_ok=True)
        files[block] = folder / f"{block:05d}.npy"
        np.save(files[block], weight)
    return files


def joined(members: Mapping[str, Params], asked: Params, blocks: Blocks) -> Params:
    """Parameters as auto has them: each member's, the groups, and what strangers are worth."""
    params = {f"{name}.{key}": value for name, own in members.items() for key, value in own.items()}
    params |= {name: asked[name] for name in ("group", "strangers") if name in asked}
    params["heard"] = blocks.given.sum(axis=1).astype(np.int64)  # votes alone on an item are among them
    params["votes"] = blocks.given.sum(axis=1)
    if "evidence" in asked:
        params["evidence"] = asked["evidence"]
    return params
