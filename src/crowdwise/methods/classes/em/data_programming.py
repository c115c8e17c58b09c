"""Data programming: labelling functions that vote or abstain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ....engine import NumpyEngine
from ....fit.params import Axes, Params
from ....votes.known import Known
from .one_coin import OneCoin


@dataclass(frozen=True, kw_only=True)
class DataProgramming(OneCoin):
    r"""Labelling functions with a coverage and an accuracy; to abstain is to give no vote.

    All classes are equally common. Function :math:`j` votes with probability :math:`\beta_j`, whatever the class, and
    is then right with :math:`\alpha_j`:

    .. math::
        P(\lambda_{ij} \mid y_i) = \beta_j \alpha_j 1[\lambda_{ij} = y_i]
        + \frac{\beta_j (1 - \alpha_j)}{K - 1} 1[\lambda_{ij} \ne y_i, \ne 0] + (1 - \beta_j) 1[\lambda_{ij} = 0]

    Abstentions say nothing of the class, so that the likelihood is highest at :math:`\beta_j` = votes / items, and at
    the accuracies of `OneCoin` with even classes; the paper climbs it by stochastic gradients, this by EM. The paper's
    model with dependencies is not here: see `weights="groups"`. O(votes + items x classes) a step. Use it for rules
    and other programs that speak on a part of the items; `params["coverage"]` and `params["accuracy"]`.

    right, wrong: pseudo-counts, see `OneCoin`. The other parameters are those of every EM.

    Reference: Ratner, De Sa, Wu, Selsam & Ré, Data Programming: Creating Large Training Sets, Quickly, NIPS 2016,
    section 3 (independent labelling functions).

    >>> from crowdwise import DataProgramming, simulate
    >>> made = simulate.crowd(simulate.one_coin(10, 2, accuracy=0.8), n_items=200, per_item=4, seed=0)
    >>> DataProgramming().fit(made.crowd).params["coverage"].mean().round(2)
    np.float64(0.4)
    """

    name: ClassVar[str] = "data-programming"
    structures: ClassVar[tuple[str, ...]] = ("independent", "graph")
    params: ClassVar[Mapping[str, Axes]] = {**OneCoin.params, "coverage": Axes(("annotator",), "unit")}
    class_prior: str | tuple[float, ...] = "uniform"

    def local(self, ops: NumpyEngine, params: Params, known: Known | None) -> Params:
        return {"coverage": params["coverage"] if "coverage" in params else ops.given.sum(axis=1) / ops.n_items}
