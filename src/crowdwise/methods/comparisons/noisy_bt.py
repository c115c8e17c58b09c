"""NoisyBT: Bradley and Terry's model with answers that are a coin of the annotator's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...fit.params import Axes, Params
from ...votes.codes import Array
from ...votes.comparisons import Comparisons
from .annotator_bt import AnnotatorBT, Heard


@dataclass(frozen=True, kw_only=True)
class NoisyBT(AnnotatorBT):
    r"""With chance :math:`u_j` an answer is a coin that says left with chance :math:`q_j`; else Bradley and Terry's.

    By EM: z is the chance that an answer was not the coin's, scores are found from comparisons that count z, u has a
    Beta prior whose mean is learned, q has Beta(2, 2). Spam and a taste for one side in one model. O(comparisons +
    items^3), a step.

    max_iter: steps.

    Reference: the model of NoisyBradleyTerry in crowd-kit (Ustalov, Pavlichenko & Tseitlin 2024), fitted by EM.

    >>> from crowdwise import NoisyBT, simulate
    >>> made = simulate.comparisons(n_items=12, n_annotators=10, per_annotator=60, left=2, seed=0)
    >>> bool((NoisyBT().fit(made.comparisons).params["coin"][8:] > 0.5).all())
    True
    """

    name: ClassVar[str] = "noisy-bt"
    params: ClassVar[Mapping[str, Axes]] = {
        "coin": Axes(("annotator",), "unit"),
        "left_share": Axes(("annotator",), "unit"),
    }

    def begin(self, n: Array) -> Params:
        return {"coin": np.full(n.size, 0.1), "left_share": np.full(n.size, 0.5), "usual": np.array(0.1)}

    def hear(self, votes: Comparisons, weight: Array, n: Array, seen: Array, params: Params) -> Heard:
        who, usual = votes.annotator, float(params["usual"])
        coin, side = params["coin"][who], params["left_share"][who]
        tossed = np.where(votes.label == 2, 0.5, np.where(votes.label == 0, side, 1.0 - side))
        meant = (1.0 - coin) * seen
        total = meant + coin * tossed
        z = meant / total
        spam = np.bincount(who, weight * (1.0 - z), n.size)
        left = np.bincount(who, weight * (1.0 - z) * votes.won, n.size)
        share = (10.0 * usual + spam) / (10.0 + n)
        mean = np.clip((n * share).sum() / max(float(n.sum()), 1e-300), 0.01, 0.9)
        found = {"coin": share, "left_share": (2.0 + left) / (4.0 + spam), "usual": np.array(mean)}
        return Heard(votes.won, z, total, found)
