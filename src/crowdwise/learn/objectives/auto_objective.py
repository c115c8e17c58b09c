"""Auto: the objective that suits the votes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...errors import how_many
from ...fit.dependence import find_groups
from ...votes.crowd import Crowd
from ..base.class_prior import ClassPrior
from ..base.first_guess import constants
from ..base.objective import Suited
from ..training.fair_votes import ASIDE, fair
from .cross_fit import CrossFit
from .max_mig import MaxMIG

ENOUGH = 5.0  # votes for each entry of a matrix: so many teach an aggregator what an annotator is worth


class Auto(CrossFit):
    """Cross-fitted EM or Max-MIG, by what is found in the votes; annotators who depend on each other share votes.

    Annotators who always say the same are set aside, and those who err together share one vote on an item
    (`crowdwise.find_groups`). Max-MIG learns what to make of each annotator's labels, whomever they copy, and takes the
    votes as they are: where most votes are of annotators with at least five votes for each pair of classes, it is
    taken. Where votes are fewer, `cross-fit` is, on votes that are shared fairly. `CrowdClassifier.notes_` says what
    was found and chosen. In a loop of your own, `suited(crowd)` gives the objective; by itself this is `cross-fit`.

    class_prior: as for every objective.

    Reference: crowdwise; see `CrossFit` and `MaxMIG`.
    """

    name: ClassVar[str] = "auto"

    def __init__(self, class_prior: ClassPrior = None):
        super().__init__(class_prior)

    def suited(self, crowd: Crowd) -> Suited:
        same = constants(crowd)
        votes = crowd.annotator_weight()
        # Half of the votes are of annotators with at least so many.
        order = np.sort(votes[~same])
        usual = order[np.searchsorted(np.cumsum(order), order.sum() / 2)] if order.size else 0.0
        found = [f"{how_many(int(same.sum()), 'annotators')} always say the same"] * bool(same.any())
        group = np.where(same, ASIDE, find_groups(fair(crowd, np.where(same, ASIDE, -1))))
        n = int(group.max(initial=-1)) + 1
        if n:
            found.append(f"{int((group >= 0).sum())} annotators err together, in {how_many(n, 'groups')}")
        if usual >= ENOUGH * crowd.n_classes**2:
            why = "; ".join([*found, "annotators have votes enough to learn what each one's labels are worth"])
            nobody = np.full(crowd.n_annotators, -1)
            return Suited(MaxMIG(class_prior=self.class_prior), nobody, f"auto chose max-mig: {why}")
        done = "; their votes are set aside or shared" if found else "nobody copies or always says the same"
        return Suited(CrossFit(class_prior=self.class_prior), group, f"auto chose cross-fit: {'; '.join(found)}{done}")
