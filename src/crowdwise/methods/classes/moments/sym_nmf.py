"""SymNMF: all pairs of annotators as one symmetric matrix, missing pairs imputed, factored into non-negative roots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from ....votes.codes import Array
from .imputed import Imputed
from .moment_method import Factors, distributions


@dataclass(frozen=True, kw_only=True)
class SymNMF(Imputed):
    r"""Symmetric non-negative factorisation of all pairs' moments, those of annotators who never met imputed.

    Stacked, :math:`H = [A_1^\top; A_2^\top; \dots] D^{1/2}` has :math:`X = H H^\top`, whose blocks are the pairs'
    :math:`R_{jm}`. Blocks that were not observed, the diagonal among them, are imputed by the best matrix of rank K.
    Its root U equals H up to a rotation, which is found by

    .. math:: H \leftarrow \max(0, U Q), \qquad Q \leftarrow \arg\min_{Q^\top Q = I} \|H - U Q\|

    from what the votes say of the annotators, which names the classes too. O(annotators^2 x classes^2) a step. Needs no
    class experts, only rows that are scattered well (`crowdwise identify` tells); pairs may be missing.

    max_iter: of the imputation, and of the rotation; tol: of the imputation. core, smoothing, right: as for every
    moment method.

    Reference: Ibrahim & Fu, ICML 2021, algorithms 1 and 2.

    >>> from crowdwise import SymNMF, simulate
    >>> made = simulate.crowd(simulate.dirichlet(15, 3, 6, 1, seed=0), n_items=3000, per_item=5, seed=0)
    >>> bool(abs(SymNMF().fit(made.crowd).params["confusion"] - made.confusion).mean() < 0.05)
    True
    """

    name: ClassVar[str] = "sym-nmf"

    def factor(self, ops: NumpyEngine) -> Factors:
        n, n_classes = ops.n_annotators, ops.n_classes
        root, start, met, settled = self.root_of(ops)
        if met.sum() < 3:
            return Factors.none(ops)
        factor = _non_negative(root, start, self.max_iter).reshape(n, n_classes, n_classes)
        # Column sums of each block of H are the roots of the class shares.
        shares = distributions(factor[met].sum(axis=1).mean(axis=0) ** 2, 1e-3)
        return Factors(distributions(factor.transpose(0, 2, 1)), shares, met, settled)


def _non_negative(root: Array, start: Array, max_iter: int) -> Array:
    """The rotation of a root that is nearest to non-negative, made so."""
    target = start
    for _ in range(max_iter):
        left, _, right = np.linalg.svd(root.T @ target)
        before, target = target, np.maximum(root @ left @ right, 0.0)
        if np.abs(target - before).max() < 1e-9:
            break
    return target
