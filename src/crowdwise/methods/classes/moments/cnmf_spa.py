"""CNMF-SPA: one choice of class experts for the whole crowd, by successive projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....engine import NumpyEngine
from .imputed import Imputed
from .moment_method import Factors, distributions
from .multi_spa import class_shares
from .spa import corners


@dataclass(frozen=True, kw_only=True)
class CNMFSPA(Imputed):
    r"""Coupled factorisation by one successive projection: the same class experts for everybody.

    All pairs' moments are one matrix :math:`X = H D H^\top`, :math:`H = [A_1^\top; A_2^\top; \dots]`, missing blocks
    imputed as in `SymNMF`. Its column for (annotator, label), divided by its sum, is a mixture of the columns of H;
    K corners of them, class experts, are those columns, and hold a row of everybody's confusion matrix each: one order
    of the classes for the whole crowd, where `MultiSPA` has one for each annotator.
    O(annotators^2 x classes^2) a step of the imputation. Use it where experts are few and everybody meets somebody.

    least_votes: behind a label of an annotator for its column to be a corner. max_iter, tol: of the imputation. core,
    smoothing, right: as for every moment method.

    Reference: Ibrahim & Fu, Recovering Joint Probability of Discrete Random Variables From Pairwise Marginals, IEEE
    Trans. Signal Processing 69, 2021, section IV.

    >>> from crowdwise import CNMFSPA, simulate
    >>> made = simulate.crowd(simulate.specialists(9, 3), n_items=3000, per_item=6, seed=0)
    >>> bool((CNMFSPA().fit(made.crowd).labels == made.truth).mean() > 0.8)
    True
    """

    name: ClassVar[str] = "cnmf-spa"
    least_votes: float = 10.0

    def factor(self, ops: NumpyEngine) -> Factors:
        n, n_classes = ops.n_annotators, ops.n_classes
        root, _, met, settled = self.root_of(ops)
        total = root @ root.sum(axis=0)  # sums of the columns of X
        usable = np.flatnonzero((total > 0.0) & (ops.given.ravel() >= self.least_votes))
        # A column of X is U y; lengths of U y are those of y under U'U.
        points = root[usable] / total[usable, None]
        metric = np.linalg.cholesky(root.T @ root + 1e-12 * np.eye(n_classes))
        place, found = corners(points @ metric, np.zeros(usable.size, int), 1, n_classes)
        if not found[0]:
            return Factors.none(ops)
        factor = (root @ points[place[0]].T).reshape(n, n_classes, n_classes).transpose(0, 2, 1)
        confusion = distributions(factor)
        return Factors(confusion, class_shares(ops, confusion, met), met, settled)
