"""EigenRatio: votes weighted by agreement, made independent of who met whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....votes.codes import Array
from .moment_method import busiest_codes
from .two_sided import TwoSided, Weights, answers, leading


@dataclass(frozen=True, kw_only=True)
class EigenRatio(TwoSided):
    r"""Two classes: weights from the leading eigenvector of mean agreements, over that of who met whom.

    With :math:`O_{ij} = \pm 1`, 0 where there is no answer, and :math:`G = |O|`, mean agreements
    :math:`(O^\top O) / (G^\top G)` have expectation :math:`w w^\top` where annotators met, so that their leading
    eigenvector is w times that of :math:`1[G^\top G > 0]`. O(pairs that met) a step. Robust to who does how much; of
    annotators in another component of the graph it learns nothing.

    core: how many annotators, those of most votes, are in pairs; the others weigh as these do on average.
    problems: how more than two classes are made two, see `TwoSided`.

    Reference: Dalvi, Dasgupta, Kumar & Rastogi, WWW 2013, section 4 (the ratio of eigenvectors).

    >>> from crowdwise import EigenRatio, simulate
    >>> made = simulate.crowd(simulate.one_coin(12, 2, 0.8), n_items=200, per_item=5, seed=0)
    >>> bool((EigenRatio().fit(made.crowd).labels == made.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "eigen-ratio"
    core: int = 1000

    def weigh(self, ops: NumpyEngine, sign: Array) -> Weights:
        core = busiest_codes(ops, self.core)
        said, there = answers(ops, sign)[:, core], answers(ops, np.ones(sign.size))[:, core]
        met = (there.T @ there).tocsr()
        agree = (said.T @ said).multiply(met.power(-1.0)).tocsr()
        met.data[:] = 1.0
        base = np.abs(leading(met))
        weight, connected = np.full(ops.n_annotators, np.nan), np.flatnonzero(base > 1e-6 * base.max())
        ratio = leading(agree[connected][:, connected]) / base[connected]
        votes = there.sum(axis=0)[connected]
        weight[core[connected]] = ratio * (1.0 if (ratio * votes).sum() >= 0.0 else -1.0)
        return Weights(weight)
