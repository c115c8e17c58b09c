"""NoisyBT: Bradley and Terry's model with answers that are a coin of the annotator's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...engine.comparison_sums import AnswerSums, People
from ...fit.params import Axes, Params
from ...votes.codes import Array
from .annotator_bt import AnnotatorBT


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

    def begin(self, n: Array) -> tuple[People, Params]:
        return People(np.ones(n.size), np.full(n.size, 0.1), np.full(n.size, 0.5)), {"usual": np.array(0.1)}

    def judge(self, n: Array, sums: AnswerSums, people: People, prior: Params) -> tuple[People, Params]:
        coin = (10.0 * float(prior["usual"]) + sums.tossed) / (10.0 + n)
        mean = np.clip((n * coin).sum() / max(float(n.sum()), 1e-300), 0.01, 0.9)
        left_share = (2.0 + sums.left) / (4.0 + sums.tossed)
        return people._replace(coin=coin, left_share=left_share), {"usual": np.asarray(mean)}

    def told(self, people: People) -> Params:
        return {"coin": people.coin, "left_share": people.left_share}
