"""Imputed: methods that factor all pairs of annotators as one matrix, those who never met imputed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....engine import NumpyEngine
from ....fit.options import AnyNumber
from ....votes.codes import Array
from .low_rank import completed_root, pair_matrix, voted_root
from .moment_method import MomentMethod


class Root(NamedTuple):
    """The root U, (cells, true); where it started, by the votes; who met anybody; whether it has settled."""

    root: Array
    start: Array
    met: Array
    settled: bool


@dataclass(frozen=True, kw_only=True)
class Imputed(MomentMethod):
    """A method says `factor`, out of `root_of`. max_iter, tol: of the imputation."""

    core: int = 200
    max_iter: int = 200
    tol: AnyNumber = 1e-3

    def root_of(self, ops: NumpyEngine) -> Root:
        """The root of the matrix of all pairs, of as many columns as there are classes."""
        (matrix, trust), start = pair_matrix(ops), voted_root(ops)
        met = np.asarray(trust.reshape(ops.n_annotators, ops.n_classes, -1)[:, 0].any(axis=1))
        root, settled = completed_root(matrix, trust, start, self.max_iter, self.tol)
        return Root(root, start, met, settled)

    def floats_needed(self, n_items: int, n_annotators: int, n_classes: int) -> int:
        dense = 5 * (min(n_annotators, self.core) * n_classes) ** 2
        return super().floats_needed(n_items, n_annotators, n_classes) + dense
