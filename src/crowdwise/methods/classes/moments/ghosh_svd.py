"""Ghosh-SVD: votes weighted by the leading singular vector of the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....votes.codes import Array
from .two_sided import TwoSided, Weights, answers, leading


@dataclass(frozen=True, kw_only=True)
class GhoshSVD(TwoSided):
    r"""Two classes: items by the leading left singular vector of the matrix of answers.

    With answers :math:`O_{ij} = \pm 1`, 0 where there is none, :math:`E[O] \propto y w^\top` if annotator j is right
    with chance :math:`(1 + w_j) / 2`: the singular vectors are truths and weights. The sign is the one that agrees
    with the votes. O(votes) a step. Those who vote most weigh most; where classes are not balanced, the leading vector
    is the common answer instead of the truth.

    problems: how more than two classes are made two, see `TwoSided`.

    Reference: Ghosh, Kale & McAfee, EC 2011, section 3.

    >>> from crowdwise import GhoshSVD, simulate
    >>> made = simulate.crowd(simulate.one_coin(12, 2, 0.8), n_items=200, per_item=5, seed=0)
    >>> bool((GhoshSVD().fit(made.crowd).labels == made.truth).mean() > 0.9)
    True
    """

    name: ClassVar[str] = "ghosh-svd"

    def weigh(self, ops: NumpyEngine, sign: Array) -> Weights:
        from scipy.sparse.linalg import LinearOperator

        said, n = answers(ops, sign), ops.n_annotators
        weight = leading(LinearOperator((n, n), matvec=lambda x: said.T @ (said @ np.ravel(x)), dtype=float))
        agrees = float((said @ weight) @ said.sum(axis=1))
        return Weights(weight if agrees >= 0.0 else -weight)
