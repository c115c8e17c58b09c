"""CrowdBT: Bradley and Terry's model with annotators who sometimes say the opposite of what they see."""

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
class CrowdBT(AnnotatorBT):
    r"""P(left wins) :math:`= e_j \sigma(d) + (1 - e_j) \sigma(-d)`, d the difference of scores, by EM.

    With z the chance that an answer was meant as it was given, :math:`e_j = (A + \sum z) / (A + B + n_j)`, and scores
    are Bradley and Terry's from wins z and 1 - z. The prior Beta(A, B) follows by moments, and so does that of the
    scores. If most answers turn out to be reversed, all is turned round. A tie is half a win, and says nothing of e.
    O(comparisons + items^3), a step.

    max_iter: steps.

    Reference: Chen, Bennett, Collins-Thompson & Horvitz, WSDM 2013.

    >>> from crowdwise import CrowdBT, simulate
    >>> made = simulate.comparisons(n_items=12, n_annotators=10, per_annotator=60, flippers=2, seed=0)
    >>> bool((CrowdBT().fit(made.comparisons).params["honesty"][8:] < 0.5).all())
    True
    """

    name: ClassVar[str] = "crowd-bt"
    params: ClassVar[Mapping[str, Axes]] = {"honesty": Axes(("annotator",), "unit")}

    def begin(self, n: Array) -> tuple[People, Params]:
        nobody = np.zeros(n.size)
        return People(np.full(n.size, 0.85), nobody, nobody + 0.5), {"beta": np.array([4.0, 1.0])}

    def judge(self, n: Array, sums: AnswerSums, people: People, prior: Params) -> tuple[People, Params]:
        right, wrong = prior["beta"]
        honesty = (right + sums.meant) / (right + wrong + n)
        return people._replace(honesty=honesty), {"beta": _beta(honesty, n)}

    def told(self, people: People) -> Params:
        return {"honesty": people.honesty}

    def turned(self, n: Array, score: Array, people: People) -> tuple[Array, People]:
        if float((n * people.honesty).sum()) >= 0.5 * float(n.sum()):
            return score, people
        return -score, people._replace(honesty=1.0 - people.honesty)


def _beta(honesty: Array, n: Array) -> Array:
    """A Beta prior of the mean and spread of those with more than four answers."""
    mean = float(np.clip((n * honesty).sum() / max(float(n.sum()), 1e-300), 0.55, 0.98))
    many = n > 4.0
    variance = max(float(((honesty - mean) ** 2)[many].mean()) if many.any() else 0.0, 1e-4)
    strength = float(np.clip(mean * (1.0 - mean) / variance - 1.0, 2.0, 200.0))
    return strength * np.array([mean, 1.0 - mean])
