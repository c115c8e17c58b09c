"""ZenCrowd: one reliability for each annotator, all classes equally likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .one_coin import OneCoin


@dataclass(frozen=True, kw_only=True)
class ZenCrowd(OneCoin):
    r"""One reliability for each annotator, all classes equally likely beforehand, by EM on a factor graph.

    `OneCoin` with a uniform class prior and smoothed reliabilities: an item's factor multiplies
    :math:`\theta_j` for each annotator who names a class and :math:`(1 - \theta_j) / (K - 1)` for each who does not.
    O(votes + items x classes) a step. Use it where classes are balanced, or should not be weighed against each other.

    right, wrong: pseudo-counts of right and wrong votes. The other parameters are those of every EM.

    Reference: Demartini, Difallah & Cudré-Mauroux, WWW 2012, section 4.3.

    >>> from crowdwise import ZenCrowd, simulate
    >>> made = simulate.crowd(simulate.one_coin(10, 3, accuracy=0.8), n_items=200, per_item=5, seed=0)
    >>> ZenCrowd().fit(made.crowd).params["prior"].round(3).tolist()
    [0.333, 0.333, 0.333]
    """

    name: ClassVar[str] = "zencrowd"
    structures: ClassVar[tuple[str, ...]] = ("independent", "graph")
    class_prior: str | tuple[float, ...] = "uniform"
    right: float = 1.0
    wrong: float = 0.1
