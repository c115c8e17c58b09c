"""How much linked items are taken for alike: as much as helps to foresee votes that were held out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import NumpyEngine
from ..votes.codes import Array
from ..votes.crowd import Crowd
from ..votes.keyed import keyed_uniform

if TYPE_CHECKING:
    from .em import EM

STRENGTHS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
HELD_OUT, SPLITS = 0.2, 5
MANY = 200_000  # votes, of which one part is held out once
STEPS = 60
SURELY = 2.0  # standard errors
SHUFFLES = 3


def strength_of(method: EM, ops: NumpyEngine, known: Any) -> float:
    """The least strength under which held-out votes are as likely as under the best, within one standard error.

    0 among them, and where links of items that were drawn at random do as well: a graph that tells nothing is left out.
    """
    told = {strength: _told(method, ops, known, strength) for strength in (0.0, *STRENGTHS)}
    best = told[max(told, key=lambda strength: float(told[strength].sum()))]

    def as_good(strength: float) -> bool:
        loss = best - told[strength]
        return float(loss.sum()) <= float(loss.std()) * np.sqrt(loss.size)

    chosen = next(strength for strength in told if as_good(strength))
    if not chosen:
        return 0.0
    for seed in range(SHUFFLES):
        gain = told[chosen] - _told(method, ops.over(_shuffled(ops.crowd, seed)), known, chosen)
        if float(gain.sum()) <= SURELY * float(gain.std()) * np.sqrt(gain.size):
            return 0.0
    return chosen


def _shuffled(crowd: Crowd, seed: int) -> Crowd:
    """The same votes with the same links among other items: they calm a model as much, and tell nothing."""
    assert crowd.graph is not None
    return crowd.derive(graph=crowd.graph.moved(np.argsort(keyed_uniform(seed + 1, crowd.item_hash))))


def _told(method: EM, ops: NumpyEngine, known: Any, strength: float) -> Array:
    """Log chance of each held-out vote, with links of a strength."""
    crowd, out = ops.crowd, []
    few = replace(method, strength=strength, max_iter=min(method.max_iter, STEPS))
    for split in range(SPLITS if crowd.n_votes < MANY else 1):
        hidden = keyed_uniform(split, crowd.vote_hash) < HELD_OUT
        if not hidden.any() or hidden.all():
            continue
        solution = few.solve(ops.over(crowd.take(~hidden)), known, None, None)
        asked = crowd.take(hidden)
        alone = Crowd(
            item=np.arange(asked.n_votes), annotator=asked.annotator, label=asked.label,
            items=np.arange(asked.n_votes), annotators=crowd.annotators, classes=crowd.classes,
        )  # fmt: skip
        said = few.log_likelihood(NumpyEngine(alone), solution.params)
        chance = (solution.found[asked.item] * np.exp(said)).sum(axis=1)
        out.append(np.log(np.maximum(chance, 1e-300)))
    return np.concatenate(out) if out else np.empty(0)
