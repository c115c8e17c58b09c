"""Coupled CPD: confusion matrices that fit all pairs and triples of annotators at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ....engine import NumpyEngine, Tuples
from .cnmf_opt import CNMFOpt


@dataclass(frozen=True, kw_only=True)
class CoupledCPD(CNMFOpt):
    r"""Coupled canonical polyadic decomposition: the tensors of triples of annotators, and pairs, share their factors.

    .. math::
        \min_{A, d} \sum_{j < m < n} w_{jmn} \, \mathrm{KL}\Big(T_{jmn} \,\Big\|\,
        \sum_k d_k A_j[k] \otimes A_m[k] \otimes A_n[k]\Big)
        + \sum_{j < m} w_{jm} \, \mathrm{KL}(R_{jm} \| A_j^\top D A_m)

    A tensor's factors are unique where three annotators have confusion matrices of full rank, without class experts or
    scattered rows: the weakest condition of all. The steps are those of `CNMFOpt`, over triples too; the paper fits
    squares by ADMM, which takes rare and frequent labels for equally certain. O(triples that met x classes) a step, of
    which there are as many as the cube of the annotators: use it for small crowds that share most of their items.

    triples: how many annotators, those of most votes, are in triples. Otherwise as for `CNMFOpt`.

    Reference: Traganitis, Pages-Zamora & Giannakis, IEEE Trans. Signal Processing 66(18), 2018, section IV.

    >>> from crowdwise import CoupledCPD, simulate
    >>> made = simulate.crowd(simulate.dirichlet(8, 3, 6, 1, seed=0), n_items=1000, graph="dense", seed=0)
    >>> bool(abs(CoupledCPD().fit(made.crowd).params["confusion"] - made.confusion).mean() < 0.03)
    True
    """

    name: ClassVar[str] = "coupled-cpd"
    structures: ClassVar[tuple[str, ...]] = ("independent", "graph")
    triples: int = 30

    @property
    def load(self) -> int:
        return 20

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        pairs = (min(n_annotators, self.triples) * n_classes) ** 2
        return super().floats_needed(n_items, n_annotators, n_classes) + pairs

    def tuples(self, ops: NumpyEngine) -> list[Tuples]:
        return [*super().tuples(ops), self.tuples_of(ops, 3, min(self.triples, self.core))]
