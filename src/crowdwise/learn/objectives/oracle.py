"""Oracle: annotators' confusion matrices are known."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ...errors import InputError
from ..base.class_prior import ClassPrior
from ..base.confusion_objective import ConfusionObjective


class Oracle(ConfusionObjective):
    """`CCEM` with the annotators' true confusion matrices: what there is to win by knowing them.

    matrices: (annotators, true, given), in the order of the crowd's annotators; rows sum to one. class_prior: as for
    every objective.

    Reference: forward correction, Patrini et al., CVPR 2017, section 3, one matrix per annotator.
    """

    name: ClassVar[str] = "oracle"
    log_matrices: Tensor

    def __init__(self, matrices: Any = None, class_prior: ClassPrior = None):
        super().__init__(class_prior=class_prior)
        if matrices is None:
            raise InputError("oracle needs matrices=, the annotators' confusion: (annotators, true, given)")
        try:
            self.matrices = np.asarray(matrices, float)
        except (TypeError, ValueError) as error:
            raise InputError("matrices: numbers are needed, (annotators, true, given)") from error

    def allocate(self) -> None:
        m, k = self.sizes.annotators, self.sizes.classes
        if self.matrices.shape != (m, k, k) or not np.allclose(self.matrices.sum(axis=2), 1.0, atol=1e-6):
            raise InputError(f"matrices: ({m}, {k}, {k}) with rows that sum to one are needed")
        known = torch.as_tensor(self.matrices, dtype=torch.float32)
        self.register_buffer("log_matrices", torch.log(known.clamp_min(1e-9)))

    def log_confusion(self) -> Tensor:
        return self.log_matrices
