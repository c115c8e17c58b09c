"""OneCoinMoments: one accuracy for each annotator, from how often pairs agree."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ....engine import NumpyEngine
from ....errors import InputError
from ....fit.aggregator import Aggregator
from ....fit.method import Callback, Solution
from ....fit.params import Params
from ....votes.codes import Array
from ....votes.crowd import Crowd
from ....votes.known import Known
from .joint_counts import sets_of
from .moment_method import SILENT, busiest, distributions, pair_bytes


class Agreements(NamedTuple):
    """Pairs that met: codes, products of skills as seen, items shared; and how many annotators there are."""

    first: Array
    second: Array
    product: Array
    shared: Array
    n: int

    def both_ways(self) -> tuple[Array, Array, Array, Array]:
        """From, to, product and shared items of every pair, each way."""
        pairs = ((self.first, self.second), (self.second, self.first), *((own, own) for own in self[2:4]))
        source, target, product, shared = (np.concatenate(pair) for pair in pairs)
        return source, target, product, shared


@dataclass(frozen=True, kw_only=True)
class OneCoinMoments(Aggregator):
    r"""Annotator j is right with chance :math:`p_j`, errors spread evenly; skill :math:`s_j = (K p_j - 1) / (K - 1)`.

    Two annotators agree so that :math:`\frac{K}{K - 1} P(\text{agree}) - \frac{1}{K - 1} = s_i s_j`: a matrix of rank
    one, seen where they met. A method says `skills`. Votes count :math:`\log((K - 1) p / (1 - p))`; classes are equally
    likely. Gold is obeyed, and tells nothing about annotators. core: how many annotators, those of most votes, are in
    pairs; whoever met nobody is taken for average.
    """

    unit: ClassVar[str] = "log-odds"
    core: int = 500

    @abstractmethod
    def skills(self, pairs: Agreements, n_classes: int) -> tuple[Array, bool]:
        """Skill of each annotator in pairs, and whether they have settled."""

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        if start is not None:
            raise InputError(f"{self.name} has no starting point: leave start out")
        heard = ops.given.any(axis=0)  # classes that somebody names
        n_classes = max(int(heard.sum()), 2)
        core, among = busiest(ops, self.core)
        pairs, votes = agreements(among, n_classes), ops.given.sum(axis=1)
        skill, settled = self.skills(pairs, n_classes)
        # No skill is more certain than its votes: between guessing everything and knowing everything, both excluded.
        edge = 1.0 / np.sqrt(np.maximum(votes[core], 4.0))
        skill = np.clip(skill, -1.0 / (n_classes - 1) + edge / (n_classes - 1), 1.0 - edge)
        met = np.bincount(np.concatenate([pairs.first, pairs.second]), minlength=core.size) > 0
        usual = float(np.average(skill[met], weights=votes[core][met])) if met.any() else 0.5
        whole = np.full(ops.n_annotators, usual if usual > 0.0 else 0.5)
        whole[core[met]] = skill[met]
        params = {
            "accuracy": ((n_classes - 1) * whole + 1.0) / n_classes,
            "prior": distributions(np.asarray(heard, float), SILENT),
        }
        return Solution(self.infer(ops, params, known), params, {}, converged=settled)

    def infer(self, ops: NumpyEngine, params: Params, known: Known | None = None) -> Array:
        return ops.posterior_hits(*self._log_hits(ops, params), np.log(params["prior"]), known)[0]

    def scores(self, ops: NumpyEngine, params: Params) -> Array:
        hit, miss = self._log_hits(ops, params)
        return ops.item_votes((hit - miss)[ops.annotator, ops.label])

    def _log_hits(self, ops: NumpyEngine, params: Params) -> tuple[Array, Array]:
        accuracy = np.repeat(params["accuracy"][:, None], ops.n_classes, axis=1)
        heard = int((params["prior"] > 2.0 * SILENT).sum())
        return np.log(accuracy), np.log((1.0 - accuracy) / max(heard - 1, 1))

    @property
    def load(self) -> int:
        return 10

    def bytes_needed(self, crowd: Crowd) -> int:
        return super().bytes_needed(crowd) + pair_bytes(crowd, self.core)


def agreements(ops: NumpyEngine, n_classes: int) -> Agreements:
    """How often pairs of annotators agree, as products of their skills."""
    met = ops.tuples(2)
    key, place, shared = sets_of(ops, met)
    said = met.cells % ops.n_classes
    agree = np.bincount(place, met.often * (said[:, 0] == said[:, 1]), key.size) / np.maximum(shared, 1e-300)
    first, second = np.divmod(key, ops.n_annotators)
    return Agreements(first, second, (n_classes * agree - 1.0) / (n_classes - 1), shared, ops.n_annotators)
