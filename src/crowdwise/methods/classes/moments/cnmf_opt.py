"""CNMF-OPT: confusion matrices that fit all pairs of annotators at once, in the Kullback-Leibler sense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ....engine import NumpyEngine, Tuples
from ....fit.method import Callback, Solution
from ....fit.params import Params
from ....votes.codes import Array
from ....votes.crowd import Crowd
from ....votes.known import Known
from ..em.dawid_skene import DawidSkene
from .joint_counts import sets_of
from .moment_method import busiest, completed, pair_bytes


@dataclass(frozen=True, kw_only=True)
class CNMFOpt(DawidSkene):
    r"""Coupled non-negative matrix factorisation: Dawid-Skene's model fitted to pairs of votes in place of items.

    .. math:: \min_{A, d} \sum_{j < m} w_{jm} \, \mathrm{KL}(R_{jm} \,\|\, A_j^\top D A_m)

    which is EM in which every pair of votes is an item of its own: the steps are multiplicative, closed and never make
    the sum larger, where the paper takes mirror descent with a line search. O(pairs that met x classes) a step, however
    many items there are. Use it where annotators share many items: pairs are then known well and the model is
    identified by them alone; votes of rare pairs are worth little here, and `DawidSkene` hears them better.

    weighting: "votes", each pair of annotators counts by the items they share; "pairs", all the same, as published.
    core: how many annotators, those of most votes, are in pairs; the others are fitted to what these say. Otherwise as
    for `DawidSkene`; it starts at `MultiSPA`'s answer, and gold only counts at the start and at the end.

    Reference: Ibrahim, Fu, Kargas & Huang, NeurIPS 2019, section 5 (there MultiSPA-KL).

    >>> from crowdwise import CNMFOpt, simulate
    >>> made = simulate.crowd(simulate.dirichlet(12, 3, 6, 1, seed=0), n_items=2000, per_item=6, seed=0)
    >>> bool(abs(CNMFOpt().fit(made.crowd).params["confusion"] - made.confusion).mean() < 0.05)
    True
    """

    name: ClassVar[str] = "cnmf-opt"
    structures: ClassVar[tuple[str, ...]] = ("independent", "graph")
    whole: ClassVar[str] = "it counts pairs of annotators over all items"
    first: ClassVar[str] = "multi-spa"
    weighting: Literal["pairs", "votes"] = "votes"
    core: int = 500

    def solve(self, ops: NumpyEngine, known: Known | None, start: Any, callback: Callback | None) -> Solution[Array]:
        found = super().solve(ops, known, start, callback)
        told = np.asarray(found.statistics["counts"].any(axis=(1, 2)))
        if not told.all():
            own, prior = found.params["confusion"], found.params["prior"]
            others = completed(ops, own, prior, told, self._pseudo(ops.n_classes), known)
            params = {**found.params, "confusion": np.where(told[:, None, None], own, others)}
            found = found._replace(params=params, found=self.infer(ops, params, known))
        return found

    def sweep(self, ops: NumpyEngine, params: Params, known: Known | None) -> tuple[Params, float]:
        if self not in ops.kept:
            ops.kept[self] = self.tuples(ops)
        swept = [ops.tuple_sweep(met, params["confusion"], params["prior"]) for met in ops.kept[self]]
        counts, states, evidence = (sum(part[1:], start=part[0]) for part in zip(*swept, strict=True))
        return {"counts": counts, "states": states}, evidence

    @property
    def load(self) -> int:
        return 10

    def bytes_needed(self, crowd: Crowd) -> int:
        return super().bytes_needed(crowd) + pair_bytes(crowd, self.core)

    def tuples(self, ops: NumpyEngine) -> list[Tuples]:
        """What is fitted; counted once a fit."""
        return [self.tuples_of(ops, 2, self.core)]

    def tuples_of(self, ops: NumpyEngine, order: int, most: int) -> Tuples:
        """Meetings of the votes of the busiest annotators, as weighted."""
        core, among = busiest(ops, most)
        met, n_classes = among.tuples(order), ops.n_classes
        cells = (core[met.cells // n_classes] * n_classes + met.cells % n_classes).astype(met.cells.dtype)
        if self.weighting == "votes" or not met.often.size:
            return Tuples(cells, met.often)
        _, place, shared = sets_of(among, met)
        return Tuples(cells, met.often * (shared.mean() / shared[place]))  # all as one of the usual size
